/**
 * Figures of this node for its metrics: plain numbers, cheap to record, read when somebody scrapes. Every
 * name in here comes from the program (a route, a counter type, an event), never from a caller.
 */
/** Upper edges of the response time buckets, in seconds. */
export declare const BUCKETS_SECONDS: readonly number[];
/** How long the calls of one route took. */
export declare class ResponseTimes {
    /** Calls per bucket, not cumulated; the last is for what is above every edge. */
    readonly buckets: Float64Array<ArrayBuffer>;
    sumSeconds: number;
    observe(seconds: number): void;
    get count(): number;
}
/** What came of an increment, as counted in metrics. */
export type IncrementStatus = 'applied' | 'accepted' | 'refused';
/** Recorded by use cases and transports, read by the metrics page. */
export declare class Figures {
    /** Increments by counter type and status. */
    readonly increments: Map<string, Map<IncrementStatus, number>>;
    /** By route: a transport and a path pattern or method name. */
    readonly responseTimes: Map<string, ResponseTimes>;
    /** Events of the library by type. */
    readonly events: Map<string, number>;
    countIncrement(keyType: string, status: IncrementStatus): void;
    countEvent(type: string): void;
    /** The response times of a route, to be kept by whoever serves it. */
    timesOf(route: string): ResponseTimes;
}
//# sourceMappingURL=figures.d.ts.map