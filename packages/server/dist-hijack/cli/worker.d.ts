import type { Ports } from './announce.ts';
import type { Stopping } from './stopping.ts';
/** What a supervisor says. */
export type Order = 'stop' | 'stop at once';
/** Whether this process was started by a supervisor. */
export declare const isWorker: boolean;
/** Says that this worker listens. */
export declare function tellSupervisor(ports: Ports): void;
/** Lets a worker that can't start end by itself: its line to the supervisor would keep it. */
export declare function leaveSupervisor(): void;
/**
 * Stops at the supervisor's word. A terminal and a service manager signal every process of a group, so a signal
 * here is no second word, and those of a terminal are left to the supervisor.
 */
export declare function stopByOrder({ begin, atOnce }: Stopping): void;
//# sourceMappingURL=worker.d.ts.map