/**
 * Likes of a resource: a counter under the key `4:like:<resourceId>`, which is `joinKey('like', resourceId)`.
 * A like adds 1; an unlike takes 1 away and stops at 0.
 */
import { joinKey, type AddOptions, type AddResult, type CounterReading } from 'tallystick';
import { recordedAdd } from './add-counters.ts';
import { checkEach, checkKeyPart, checkList, checkObject, checkText, renamed, type Fields } from './checks.ts';
import { inTime, timeoutOf, type Call, type Context } from './context.ts';
import type { GuardDenial } from './guard/guard.ts';
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
  /** Of a copy: how old it is at most, in milliseconds. */
  readonly ageMs?: number;
  /** The store does not answer, and a copy older than else allowed stands in. */
  readonly stale?: true;
}

const LIKE = new Set(['userId', 'resourceId', 'requestId', 'requestTtlMs']);
const BATCH = new Set(['resourceIds']);
const MAX_USER_ID_CHARACTERS = 512;

/** Keys whose parts differ only in the last begin alike. */
const BEGINNING = joinKey('like', '-').slice(0, -1);

/** The counter's key; an item of a list has no field name of its own. */
const likeKey = (resourceId: unknown, field?: string): string => BEGINNING + checkKeyPart(resourceId, field);

type Repeat = Pick<AddOptions, 'requestId' | 'requestTtlMs'>;

async function change(context: Context, request: unknown, delta: 1 | -1, call: Call | undefined): Promise<LikeReply | GuardDenial> {
  const { userId, resourceId, ...again } = checkObject(request, LIKE, 'body') as Fields & Repeat;
  const user = checkText(userId, 'userId', MAX_USER_ID_CHARACTERS);
  const resource = checkKeyPart(resourceId, 'resourceId');
  const timeoutMs = timeoutOf(context, call);
  const { guard } = context;
  if (guard === undefined) return count(context, resource, delta, optionsOf(delta, timeoutMs, again));
  const act = { api: delta > 0 ? 'like' : 'unlike', userId: user, resourceId: resource, ...again, peer: call?.peer?.() };
  return guard.around(act, timeoutMs, (leftMs) => count(context, resource, delta, optionsOf(delta, leftMs, again)));
}

async function count(context: Context, resourceId: string, delta: 1 | -1, options: AddOptions): Promise<LikeReply> {
  try {
    const { value, ...result } = await recordedAdd(context, BEGINNING + resourceId, delta, options);
    return { resourceId, count: value, ...result };
  } catch (error) {
    throw renamed(error, 'key', 'resourceId');
  }
}

function optionsOf(delta: 1 | -1, timeoutMs: number, request: Repeat): AddOptions {
  return delta < 0 ? { timeoutMs, min: 0, ...request } : { timeoutMs, ...request };
}

/** `{userId, resourceId, requestId?, requestTtlMs?}`: one like more, if the guard allows. @throws TallystickError when refused. */
export const like = (context: Context, request: unknown, call?: Call): Promise<LikeReply | GuardDenial> => change(context, request, 1, call);

/** `{userId, resourceId, requestId?, requestTtlMs?}`: one like less, never below 0, if the guard allows. @throws TallystickError when refused. */
export const unlike = (context: Context, request: unknown, call?: Call): Promise<LikeReply | GuardDenial> => change(context, request, -1, call);

/** The likes of one resource; 0 for one that was never liked. @throws TallystickError */
export async function countLikes(context: Context, resourceId: string, call?: Call): Promise<CountReply> {
  const key = likeKey(resourceId, 'resourceId');
  try {
    return likesOf(resourceId, await inTime(context, call, () => context.counters.get(key)));
  } catch (error) {
    throw renamed(error, 'key', 'resourceId');
  }
}

/** `{resourceIds: […]}`: the likes of many resources, in order. @throws TallystickError */
export async function countLikesOfMany(context: Context, request: unknown, call?: Call): Promise<readonly CountReply[]> {
  const { resourceIds } = checkObject(request, BATCH, 'body');
  const ids = checkList(resourceIds, 'resourceIds', context.maxBatchItems);
  const keys = checkEach('resourceIds', ids, (id) => likeKey(id));
  const readings = await readMany(context, keys, 'resourceIds', call);
  return readings.map((reading, index) => likesOf(ids[index] as string, reading));
}

function likesOf(resourceId: string, { value, exact, ageMs, stale }: CounterReading): CountReply {
  return { resourceId, count: value, exact, ...(ageMs !== undefined && { ageMs }), ...(stale && { stale }) };
}
