/** How a process is told to stop. */
/** What stopping means to a process. */
export interface Stopping {
    /** Begins to stop; later calls have no effect. */
    readonly begin: (signal: string) => void;
    /** Ends at once, and says what that costs. */
    readonly atOnce: () => void;
}
/** How much longer than `drainTimeoutMs` the closing of the store itself may take. */
export declare const CLOSE_GRACE_MS = 5000;
/** `begin`, which is called once. */
export declare function stoppingOnce(begin: (signal: string) => void, atOnce: () => void): Stopping;
/** The first signal begins, a second one ends at once. */
export declare function stopBySignals({ begin, atOnce }: Stopping): void;
//# sourceMappingURL=stopping.d.ts.map