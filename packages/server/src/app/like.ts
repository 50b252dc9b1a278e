/**
 * Likes of a resource: a counter under the key `4:like:<resourceId>`, which is `joinKey('like', resourceId)`.
 * A like adds 1; an unlike takes 1 away and stops at 0.
 */
import { joinKey, type AddOptions, type AddResult, TallystickError } from 'tallystick';
import { recordedAdd } from './add-counters.ts';
import { checkEach, checkList, checkObject, checkText, renamed, unexpected } from './checks.ts';
import { timeoutOf, within, type Call, type Context } from './context.ts';
import { readMany } from './get-counters.ts';

/** What came of a like or unlike. */
export type LikeReply = AddResultOf & {
  /** Likes right after. */
  readonly count: number;
};
type AddResultOf = Omit<AddResult, 'value'> & { readonly resourceId: string };

/** How often a resource is liked. */
export interface CountReply {
  readonly resourceId: string;
  readonly count: number;
  readonly exact: boolean;
}

const LIKE = new Set(['userId', 'resourceId', 'requestId']);
const BATCH = new Set(['resourceIds']);
const MAX_USER_ID_CHARACTERS = 512;

/** `joinKey` puts nothing after the last part, so that all like keys begin alike. */
const BEGINNING = joinKey('like', '-').slice(0, -1);

function likeKey(resourceId: unknown, field = 'resourceId'): string {
  if (typeof resourceId !== 'string') throw unexpected(field, 'a string', resourceId);
  if (resourceId === '') throw new TallystickError('INVALID_KEY', `${field}: expected at least 1 byte, got an empty string`, { field });
  return BEGINNING + resourceId;
}

async function change(context: Context, request: unknown, delta: 1 | -1, call: Call | undefined): Promise<LikeReply> {
  const { userId, resourceId, requestId } = checkObject(request, LIKE, 'body');
  checkText(userId, 'userId', MAX_USER_ID_CHARACTERS);
  const key = likeKey(resourceId);
  const timeoutMs = timeoutOf(context, call);
  const options = { timeoutMs, ...(delta < 0 && { min: 0 }), ...(requestId !== undefined && { requestId }) } as AddOptions;
  try {
    const { value, ...result } = await recordedAdd(context, key, delta, options);
    return { resourceId: resourceId as string, count: value, ...result };
  } catch (error) {
    throw renamed(error, 'key', 'resourceId');
  }
}

/** `{userId, resourceId, requestId?}`: one like more. @throws TallystickError when refused. */
export const like = (context: Context, request: unknown, call?: Call): Promise<LikeReply> => change(context, request, 1, call);

/** `{userId, resourceId, requestId?}`: one like less, never below 0. @throws TallystickError when refused. */
export const unlike = (context: Context, request: unknown, call?: Call): Promise<LikeReply> => change(context, request, -1, call);

/** The likes of one resource; 0 for one that was never liked. @throws TallystickError */
export async function countLikes(context: Context, resourceId: string, call?: Call): Promise<CountReply> {
  const key = likeKey(resourceId);
  const timeoutMs = timeoutOf(context, call);
  try {
    const { value, exact } = await within(context.counters.get(key), timeoutMs);
    return { resourceId, count: value, exact };
  } catch (error) {
    throw renamed(error, 'key', 'resourceId');
  }
}

/** `{resourceIds: […]}`: the likes of many resources, in order. @throws TallystickError */
export async function countLikesOfMany(context: Context, request: unknown, call?: Call): Promise<readonly CountReply[]> {
  const { resourceIds } = checkObject(request, BATCH, 'body');
  const ids = checkList(resourceIds, 'resourceIds', context.maxBatchItems);
  const keys = checkEach('resourceIds', ids, (id) => likeKey(id, 'resourceIds'));
  const readings = await readMany(context, keys, 'resourceIds', call);
  return readings.map(({ value, exact }, index) => ({ resourceId: ids[index] as string, count: value, exact }));
}
