import type { Context } from './context.ts';
/** Whether calls would be served now, and if not why. */
export interface Readiness {
    readonly ready: boolean;
    readonly reason?: string;
}
/** Asks the store for one counter. Never throws. */
export declare function readiness({ counters }: Context): Promise<Readiness>;
//# sourceMappingURL=health.d.ts.map