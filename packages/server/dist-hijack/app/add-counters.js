/** Adding to counters, one or many, with every option of the library. */
import { COUNTER_TYPES } from 'tallystick';
import { checkEach, checkList, checkObject } from "./checks.js";
import { timeoutOf } from "./context.js";
const OPTIONS = ['type', 'min', 'max', 'ttlMs', 'windowMs', 'slices', 'shards', 'member', 'requestId', 'requestTtlMs'];
const SINGLE = new Set(['delta', ...OPTIONS]);
const ITEM = new Set(['key', 'delta', ...OPTIONS]);
const BATCH = new Set(['items', 'requestId', 'requestTtlMs']);
/** Refuses fields that no counter has; their values, and the key, are for the library to judge. */
const checkItem = (item) => checkObject(item, ITEM);
/**
 * `{items: [{key, delta?, type?, min?, max?, ttlMs?, windowMs?, slices?, shards?, member?, requestId?,
 * requestTtlMs?}], requestId?, requestTtlMs?}`: every item is checked before any is counted, and one bad item refuses the whole, naming its index.
 *
 * @throws TallystickError
 */
export async function addCounters(context, request, call) {
    const { items, requestId, requestTtlMs } = checkObject(request, BATCH, 'body');
    const list = checkEach('items', checkList(items, 'items', context.maxBatchItems), checkItem);
    const timeoutMs = timeoutOf(context, call);
    const options = { timeoutMs, requestId, requestTtlMs };
    const results = await context.counters.addMany(list, options);
    return { results: results.map((result, index) => recorded(context, list[index], result)) };
}
function recorded(context, { key, type }, result) {
    context.figures.countIncrement(keyType(context, key, type), result.outcome);
    return { key, ...result };
}
/**
 * Adds to the counter `key`: `{delta?, type?, min?, max?, ttlMs?, windowMs?, slices?, shards?, member?, requestId?,
 * requestTtlMs?}`, or nothing at all for an add of 1.
 *
 * @throws TallystickError when refused.
 */
export async function addCounter(context, key, request = {}, call) {
    const { delta, ...options } = checkObject(request, SINGLE, 'body');
    const result = await recordedAdd(context, key, delta, { ...options, timeoutMs: timeoutOf(context, call) });
    return { key, ...result };
}
/** One add that leaves its mark in the figures, whatever comes of it. */
export async function recordedAdd(context, key, delta, options) {
    try {
        const result = await context.counters.add(key, delta, options);
        context.figures.countIncrement(keyType(context, key, options.type), result.outcome);
        return result;
    }
    catch (error) {
        context.figures.countIncrement(keyType(context, key, options.type), 'refused');
        throw error;
    }
}
/** The type for the figures. One that a caller made up has no name there, so that names stay few. */
function keyType({ typeOfKey }, key, type) {
    if (type === undefined)
        return typeOfKey(key);
    return COUNTER_TYPES.includes(type) ? type : 'invalid';
}
//# sourceMappingURL=add-counters.js.map