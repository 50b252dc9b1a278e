/**
 * Likes of a resource: a counter under the key `4:like:<resourceId>`, which is `joinKey('like', resourceId)`.
 * A like adds 1; an unlike takes 1 away and stops at 0.
 */
import { joinKey } from 'tallystick';
import { recordedAdd } from "./add-counters.js";
import { checkEach, checkKeyPart, checkList, checkObject, checkText, renamed } from "./checks.js";
import { inTime, timeoutOf } from "./context.js";
import { readMany } from "./get-counters.js";
const LIKE = new Set(['userId', 'resourceId', 'requestId', 'requestTtlMs']);
const BATCH = new Set(['resourceIds']);
const MAX_USER_ID_CHARACTERS = 512;
/** Keys whose parts differ only in the last begin alike. */
const BEGINNING = joinKey('like', '-').slice(0, -1);
/** The counter's key; an item of a list has no field name of its own. */
const likeKey = (resourceId, field) => BEGINNING + checkKeyPart(resourceId, field);
async function change(context, request, delta, call) {
    const { userId, resourceId, ...again } = checkObject(request, LIKE, 'body');
    checkText(userId, 'userId', MAX_USER_ID_CHARACTERS);
    const key = likeKey(resourceId, 'resourceId');
    try {
        const { value, ...result } = await recordedAdd(context, key, delta, optionsOf(delta, timeoutOf(context, call), again));
        return { resourceId: resourceId, count: value, ...result };
    }
    catch (error) {
        throw renamed(error, 'key', 'resourceId');
    }
}
function optionsOf(delta, timeoutMs, request) {
    return delta < 0 ? { timeoutMs, min: 0, ...request } : { timeoutMs, ...request };
}
/** `{userId, resourceId, requestId?, requestTtlMs?}`: one like more. @throws TallystickError when refused. */
export const like = (context, request, call) => change(context, request, 1, call);
/** `{userId, resourceId, requestId?, requestTtlMs?}`: one like less, never below 0. @throws TallystickError when refused. */
export const unlike = (context, request, call) => change(context, request, -1, call);
/** The likes of one resource; 0 for one that was never liked. @throws TallystickError */
export async function countLikes(context, resourceId, call) {
    const key = likeKey(resourceId, 'resourceId');
    try {
        const { value, exact } = await inTime(context, call, () => context.counters.get(key));
        return { resourceId, count: value, exact };
    }
    catch (error) {
        throw renamed(error, 'key', 'resourceId');
    }
}
/** `{resourceIds: […]}`: the likes of many resources, in order. @throws TallystickError */
export async function countLikesOfMany(context, request, call) {
    const { resourceIds } = checkObject(request, BATCH, 'body');
    const ids = checkList(resourceIds, 'resourceIds', context.maxBatchItems);
    const keys = checkEach('resourceIds', ids, (id) => likeKey(id));
    const readings = await readMany(context, keys, 'resourceIds', call);
    return readings.map(({ value, exact }, index) => ({ resourceId: ids[index], count: value, exact }));
}
//# sourceMappingURL=like.js.map