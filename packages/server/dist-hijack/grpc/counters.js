import { countersService as service } from '@tallystick/client/wire';
import { TallystickError } from 'tallystick';
import { inWireNames, refusalOf } from "./refusal.js";
import { unary } from "./unary.js";
/** One add, of which the shorter of its own time and the call's counts. */
function add(app, { key, timeoutMs, ...request }, call = {}) {
    if (timeoutMs === undefined)
        return app.addCounter(key, request, call);
    return app.addCounter(key, request, { timeoutMs: Math.min(Number(timeoutMs), call.timeoutMs ?? Infinity) });
}
/** One add of a stream: refused by itself. */
export async function addByItself(app, request, log) {
    try {
        return await add(app, request);
    }
    catch (error) {
        const refusal = refusalOf(error, log);
        const { field, message } = inWireNames(refusal);
        return { outcome: 'refused', code: refusal.code, msg: message, ...(field !== '' && { field }) };
    }
}
/** The use case speaks of `keys`, the message of `items`. */
function itemsForKeys(error) {
    if (!(error instanceof TallystickError) || error.field === undefined)
        return error;
    const { code, index, cause } = error;
    const field = error.field.replace(/^keys/, 'items');
    return new TallystickError(code, error.message.replace(/^keys/, 'items'), { field, cause, ...(index !== undefined && { index }) });
}
/** The unary methods over the use cases. */
export function counterHandlers(app, around) {
    return {
        Add: unary(service.Add, around, (request, call) => add(app, request, call)),
        Get: unary(service.Get, around, ({ key, ...options }, call) => app.getCounter(key, options, call)),
        BatchAdd: unary(service.BatchAdd, around, async (request, call) => (await app.addCounters(request, call)).results),
        BatchGet: unary(service.BatchGet, around, async (items, call) => {
            try {
                return (await app.getCounters({ keys: items }, call)).results;
            }
            catch (error) {
                throw itemsForKeys(error);
            }
        }),
    };
}
//# sourceMappingURL=counters.js.map