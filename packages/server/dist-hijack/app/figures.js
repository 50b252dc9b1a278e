/**
 * Figures of this node for its metrics: plain numbers, cheap to record, read when somebody scrapes. Every
 * name in here comes from the program (a route, a counter type, an event), never from a caller.
 */
/** Upper edges of the response time buckets, in seconds. */
export const BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** How long the calls of one route took. */
export class ResponseTimes {
    /** Calls per bucket, not cumulated; the last is for what is above every edge. */
    buckets = new Float64Array(BUCKETS_SECONDS.length + 1);
    sumSeconds = 0;
    observe(seconds) {
        let bucket = 0;
        while (bucket < BUCKETS_SECONDS.length && seconds > BUCKETS_SECONDS[bucket])
            bucket++;
        this.buckets[bucket] = this.buckets[bucket] + 1;
        this.sumSeconds += seconds;
    }
    get count() {
        return this.buckets.reduce((sum, calls) => sum + calls, 0);
    }
}
/** Recorded by use cases and transports, read by the metrics page. */
export class Figures {
    /** Increments by counter type and status. */
    increments = new Map();
    /** By route: a transport and a path pattern or method name. */
    responseTimes = new Map();
    /** Events of the library by type. */
    events = new Map();
    countIncrement(keyType, status) {
        let byStatus = this.increments.get(keyType);
        if (byStatus === undefined)
            this.increments.set(keyType, (byStatus = new Map()));
        byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    }
    countEvent(type) {
        this.events.set(type, (this.events.get(type) ?? 0) + 1);
    }
    /** The response times of a route, to be kept by whoever serves it. */
    timesOf(route) {
        let times = this.responseTimes.get(route);
        if (times === undefined)
            this.responseTimes.set(route, (times = new ResponseTimes()));
        return times;
    }
}
//# sourceMappingURL=figures.js.map