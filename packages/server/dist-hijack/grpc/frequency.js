import { frequencyService as service } from '@tallystick/client/wire';
import { unary } from "./unary.js";
function replyOf({ code, msg, business_id, key, freq, ttl, outcome }) {
    return { code, msg, business_id, key, freq, ttl, accepted: outcome === 'accepted' };
}
const batchOf = ({ code, msg, results }) => ({ code, msg, results: results.map(replyOf) });
/** The methods over the use cases. */
export function frequencyHandlers(app, around) {
    return {
        AddFreq: unary(service.AddFreq, around, async (request, call) => replyOf(await app.addFreq(request, call))),
        BatchAddFreq: unary(service.BatchAddFreq, around, async (request, call) => batchOf(await app.batchAddFreq(request, call))),
        GetFreq: unary(service.GetFreq, around, async (request, call) => replyOf(await app.getFreq(request, call))),
        BatchGetFreq: unary(service.BatchGetFreq, around, async (request, call) => batchOf(await app.batchGetFreq(request, call))),
    };
}
//# sourceMappingURL=frequency.js.map