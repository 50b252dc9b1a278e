import type { Config } from '../config/index.ts';
import { type Terminal } from './terminal.ts';
/** Runs the workers until told to stop, and then ends the process. */
export declare function supervise(config: Config, asJson: boolean, terminal: Terminal): Promise<never>;
//# sourceMappingURL=supervisor.d.ts.map