/** A tenth of the time is left for the answer's way back, and at most so much. */
const MOST_KEPT_BACK_MS = 50;
/**
 * What a use case is told of a deadline: a little less time than is left, so that it can still answer
 * `accepted`; 0 or less when the deadline has passed, which a use case refuses before it does anything.
 */
export function callUntil(deadline, nowMs) {
    const leftMs = Number(deadline) - nowMs;
    if (leftMs === Infinity)
        return {};
    return { timeoutMs: leftMs - Math.min(MOST_KEPT_BACK_MS, Math.max(0, leftMs / 10)) };
}
//# sourceMappingURL=deadline.js.map