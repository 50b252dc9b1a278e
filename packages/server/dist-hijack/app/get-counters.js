/** Reading counters, one or many. */
import { TallystickError } from 'tallystick';
import { checkEach, checkList, checkObject, renamed } from "./checks.js";
import { inTime } from "./context.js";
const SINGLE = new Set(['type', 'windowMs', 'slices']);
const ITEM = new Set(['key', ...SINGLE]);
const BATCH = new Set(['keys']);
function checkKeyItem(item) {
    return typeof item === 'string' ? item : checkObject(item, ITEM);
}
/**
 * `{keys: [key | {key, type?, windowMs?, slices?}]}`. A counter that is not there reads 0, `found: false`.
 *
 * @throws TallystickError
 */
export async function getCounters(context, request, call) {
    const { keys } = checkObject(request, BATCH, 'body');
    const items = checkEach('keys', checkList(keys, 'keys', context.maxBatchItems), checkKeyItem);
    const readings = await readMany(context, items, 'keys', call);
    return { results: readings.map((reading, index) => ({ key: keyOf(items[index]), ...reading })) };
}
const keyOf = (item) => (typeof item === 'string' ? item : item.key);
/** Reads many within the call's time; errors name the item as one of `list`. */
export async function readMany(context, items, list, call) {
    try {
        return await inTime(context, call, () => context.counters.getMany(items));
    }
    catch (error) {
        throw renamed(unwrapped(error, items), 'items', list);
    }
}
/** An item that is only a key has no field `key`. */
function unwrapped(error, items) {
    const index = error instanceof TallystickError ? error.index : undefined;
    if (index === undefined || typeof items[index] !== 'string')
        return error;
    return renamed(error, `items[${index}].key`, `items[${index}]`);
}
/**
 * Reads the counter `key`: `{type?, windowMs?, slices?}`.
 *
 * @throws TallystickError
 */
export async function getCounter(context, key, request = {}, call) {
    const options = checkObject(request, SINGLE, 'query');
    return { key, ...(await inTime(context, call, () => context.counters.get(key, options))) };
}
//# sourceMappingURL=get-counters.js.map