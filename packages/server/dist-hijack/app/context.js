/** What every use case is given. */
import { TallystickError } from 'tallystick';
import { withinOwn } from "./deadlines.js";
/**
 * How long a call may take.
 *
 * @throws TallystickError `TIMEOUT` when the caller's time is over already.
 */
export function timeoutOf(context, call) {
    const timeoutMs = call?.timeoutMs;
    if (timeoutMs === undefined)
        return context.requestTimeoutMs;
    if (timeoutMs <= 0)
        throw new TallystickError('TIMEOUT', 'the deadline had passed when the call arrived; nothing was done');
    return Math.min(Math.ceil(timeoutMs), context.requestTimeoutMs);
}
/**
 * The answer of a read, if it comes within the call's time.
 *
 * @throws TallystickError `TIMEOUT`.
 */
export function inTime(context, call, read) {
    const timeoutMs = timeoutOf(context, call);
    return timeoutMs === context.requestTimeoutMs ? context.deadlines.within(read()) : withinOwn(read(), timeoutMs);
}
//# sourceMappingURL=context.js.map