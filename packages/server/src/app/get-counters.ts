/** Reading counters, one or many. */
import { TallystickError, type CounterReading, type GetItem, type GetOptions } from 'tallystick';
import { checkEach, checkInteger, checkList, checkObject, renamed, type Fields } from './checks.ts';
import { inTime, type Call, type Context } from './context.ts';

/** What a counter stands at. */
export type CounterValue = CounterReading & { readonly key: string };

/** What the counters of a batch stand at, in the order of its keys. */
export interface GetCountersReply {
  readonly results: readonly CounterValue[];
}

const SINGLE = new Set(['type', 'windowMs', 'slices', 'maxAgeMs']);
const ITEM = new Set(['key', ...SINGLE]);
const BATCH = new Set(['keys', 'maxAgeMs']);

function checkKeyItem(item: unknown): string | GetItem {
  return typeof item === 'string' ? item : (checkObject(item, ITEM) as Fields & GetItem);
}

/** An item with what is said of all of them. */
function ofAge(item: string | GetItem, maxAgeMs: unknown): string | GetItem {
  if (maxAgeMs === undefined) return item;
  return { maxAgeMs: checkInteger(maxAgeMs, 'maxAgeMs', 0, Number.MAX_SAFE_INTEGER), ...(typeof item === 'string' ? { key: item } : item) };
}

/**
 * `{keys: [key | {key, type?, windowMs?, slices?, maxAgeMs?}], maxAgeMs?}`. A counter that is not there reads 0,
 * `found: false`.
 *
 * @throws TallystickError
 */
export async function getCounters(context: Context, request: unknown, call?: Call): Promise<GetCountersReply> {
  const { keys, maxAgeMs } = checkObject(request, BATCH, 'body');
  const items = checkEach('keys', checkList(keys, 'keys', context.maxBatchItems), checkKeyItem);
  const readings = await readMany(context, maxAgeMs === undefined ? items : items.map((item) => ofAge(item, maxAgeMs)), 'keys', call);
  return { results: readings.map((reading, index) => ({ key: keyOf(items[index] as string | GetItem), ...reading })) };
}

const keyOf = (item: string | GetItem): string => (typeof item === 'string' ? item : item.key);

/** Reads many within the call's time; errors name the item as one of `list`. */
export async function readMany(
  context: Context,
  items: readonly (string | GetItem)[],
  list: string,
  call: Call | undefined,
): Promise<CounterReading[]> {
  try {
    return await inTime(context, call, () => context.counters.getMany(items));
  } catch (error) {
    throw renamed(unwrapped(error, items), 'items', list);
  }
}

/** An item that is only a key has no field `key`. */
function unwrapped(error: unknown, items: readonly (string | GetItem)[]): unknown {
  const index = error instanceof TallystickError ? error.index : undefined;
  if (index === undefined || typeof items[index] !== 'string') return error;
  return renamed(error, `items[${index}].key`, `items[${index}]`);
}

/**
 * Reads the counter `key`: `{type?, windowMs?, slices?, maxAgeMs?}`.
 *
 * @throws TallystickError
 */
export async function getCounter(context: Context, key: string, request: unknown = {}, call?: Call): Promise<CounterValue> {
  const options = checkObject(request, SINGLE, 'query') as GetOptions;
  return { key, ...(await inTime(context, call, () => context.counters.get(key, options))) };
}
