/** The node's log: JSON lines on standard error. */
import type { Log } from '../app/index.ts';
import type { LogLevel } from '../config/index.ts';
/** A log of `level`. It writes at once, so that nothing is missing after a crash. */
export declare function createLog(level: LogLevel): Promise<Log>;
//# sourceMappingURL=log.d.ts.map