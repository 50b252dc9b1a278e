/** The time a caller still waits. */
import type { Deadline } from '@grpc/grpc-js';
/**
 * What a use case is told of a deadline: a little less time than is left, so that it can still answer
 * `accepted`; 0 or less when the deadline has passed, which a use case refuses before it does anything.
 */
export declare function callUntil(deadline: Deadline, nowMs: number): {
    timeoutMs?: number;
};
//# sourceMappingURL=deadline.d.ts.map