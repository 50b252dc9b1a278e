/** Counter types as an application declares them, and the terms each stands for. */
import { describe, TallystickError } from '../errors.ts';
import { checkAmount, checkDurationMs } from './amount.ts';
import type { Ends, Terms } from './operation.ts';

/** Names of the counter types. What each promises stands in the README's table. */
export const COUNTER_TYPES = ['simple', 'sharded', 'batched', 'sliding-log', 'sliding-window', 'unique', 'unique-approx'] as const;

/** A counter type. */
export type CounterType = (typeof COUNTER_TYPES)[number];

/** What is done for a caller when the store is away. */
export const OUTAGE_POLICIES = ['queue', 'reject', 'local'] as const;

/** A policy for outages: see {@link CounterOptions.onOutage}. */
export type CounterOnOutage = (typeof OUTAGE_POLICIES)[number];

/** How a counter behaves. Fields that the type does not know are refused. */
export interface CounterOptions {
  /** Default `simple`. */
  readonly type?: CounterType;
  /** `simple`: a decrease stops here and the result says so. Default none. */
  readonly min?: number;
  /** `simple`: an increase stops here. Default none. */
  readonly max?: number;
  /** `simple`, `batched`: lifetime in milliseconds given at creation, not renewed later. Default none. */
  readonly ttlMs?: number;
  /**
   * `simple`, with `ttlMs`: when a counter ends by when it is created, such as at the end of a calendar's day; see
   * {@link Ends}. What is created after all of these times, lives for `ttlMs`. At most 16. Default none.
   */
  readonly ends?: Ends;
  /** Window in milliseconds; required for the sliding and unique types. At least 1, sliding-window 1,000. */
  readonly windowMs?: number;
  /** `sliding-window`, `unique-approx`: number of sub-counters, 1 to 1,000. Defaults 60 and 6. */
  readonly slices?: number;
  /**
   * `sharded`: over how many partitions the adds are spread, 1 to 1,024; all of them where there are fewer.
   * Default 100. It may differ from process to process and be changed at any time: nothing is lost.
   */
  readonly shards?: number;
  /**
   * What an add gets while the store is away, that is when a batch has waited half a second for its answer:
   * - `queue`: it waits for the store; when its `timeoutMs` passes it is `accepted` if it was sent, else refused.
   * - `reject`: it is refused with `STORE_UNAVAILABLE` at once, unless it was sent before: then it waits.
   * - `local`: it is kept in this process and `accepted` at once with an estimate, and applied exactly once when the
   *   store is back. Bounds and windows are asked then.
   *
   * Default `queue`, or what is declared for the key. A `batched` counter absorbs adds in an outage as ever, unless it says `reject`.
   */
  readonly onOutage?: CounterOnOutage;
}

/** The fields each type knows beside `type`. */
const FIELDS: Record<CounterType, readonly (keyof CounterOptions)[]> = {
  simple: ['min', 'max', 'ttlMs', 'ends', 'onOutage'],
  sharded: ['shards', 'onOutage'],
  batched: ['ttlMs', 'onOutage'],
  'sliding-log': ['windowMs', 'onOutage'],
  'sliding-window': ['windowMs', 'slices', 'onOutage'],
  unique: ['windowMs', 'onOutage'],
  'unique-approx': ['windowMs', 'slices', 'onOutage'],
};

const MAX_SLICES = 1000;
const MAX_SHARDS = 1024;
const DEFAULT_SHARDS = 100;
const MAX_ENDS = 16;

/** A refusal that names the field, what was expected and what came. */
function unexpected(field: string, expected: string, got: unknown): TallystickError {
  return new TallystickError('INVALID_ARGUMENT', `${field}: expected ${expected}, got ${describe(got)}`, { field });
}

function checkNumber(field: 'slices' | 'shards', number: unknown, most: number): number {
  if (Number.isSafeInteger(number) && (number as number) >= 1 && (number as number) <= most) return number as number;
  throw unexpected(field, `an integer from 1 to ${most}`, number);
}

const slicesOf = (slices: unknown, fallback: number): number => checkNumber('slices', slices === undefined ? fallback : slices, MAX_SLICES);

/** The type named in `options`, default `simple`. @throws TallystickError `INVALID_ARGUMENT`, field `type`. */
export function typeOf({ type = 'simple' }: CounterOptions): CounterType {
  if (COUNTER_TYPES.includes(type)) return type;
  throw unexpected('type', `one of ${COUNTER_TYPES.join(', ')}`, type);
}

function checkFields(options: CounterOptions, type: CounterType): void {
  for (const [field, value] of Object.entries(options)) {
    if (field === 'type' || value === undefined || FIELDS[type].includes(field as keyof CounterOptions)) continue;
    const known = Object.hasOwn(options, field) && Object.values(FIELDS).some((fields) => fields.includes(field as keyof CounterOptions));
    const code = known ? 'INVALID_ARGUMENT' : 'UNKNOWN_FIELD';
    const fields = ['type', ...FIELDS[type]].join(', ');
    throw new TallystickError(code, `${field}: not a field of a ${type} counter, which knows ${fields}`, { field });
  }
}

const isTime = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const isPair = (pair: unknown): pair is Ends[number] => Array.isArray(pair) && pair.length === 2 && pair.every(isTime);

const rises = ([beforeMs, endMs]: Ends[number], [lastBeforeMs, lastEndMs]: Ends[number]): boolean =>
  endMs >= beforeMs && beforeMs > lastBeforeMs && endMs >= lastEndMs;

function isEnds(ends: unknown): boolean {
  if (!Array.isArray(ends) || ends.length < 1 || ends.length > MAX_ENDS || !ends.every(isPair)) return false;
  return ends.every((pair, i) => rises(pair, ends[i - 1] ?? [-1, -1]));
}

function checkEnds(ends: unknown, ttlMs: unknown): void {
  if (ends === undefined) return;
  if (ttlMs === undefined) throw unexpected('ends', 'nothing without ttlMs', ends);
  if (!isEnds(ends)) throw unexpected('ends', `1 to ${MAX_ENDS} pairs [beforeMs, endMs] of rising times`, ends);
}

function countTerms({ min, max, ttlMs, ends }: CounterOptions): Terms | undefined {
  checkEnds(ends, ttlMs);
  if (min === undefined && max === undefined && ttlMs === undefined) return undefined;
  if (min !== undefined) checkAmount(min, 'min');
  if (max !== undefined) checkAmount(max, 'max');
  if (min !== undefined && max !== undefined && min > max) {
    throw new TallystickError('INVALID_ARGUMENT', `min: expected at most max (${max}), got ${min}`, { field: 'min' });
  }
  if (ttlMs !== undefined) checkDurationMs(ttlMs, 'ttlMs');
  return { kind: 'count', ...(min !== undefined && { min }), ...(max !== undefined && { max }), ...(ttlMs !== undefined && { ttlMs }), ...(ends !== undefined && { ends }) };
}

/**
 * The terms that `options` stand for; undefined for a plain total: `simple`, `batched` or `sharded`.
 *
 * @throws TallystickError `INVALID_ARGUMENT`, `INVALID_AMOUNT` or `UNKNOWN_FIELD`, naming the field.
 */
export function termsOf(options: CounterOptions): Terms | undefined {
  const type = typeOf(options);
  checkFields(options, type);
  switch (type) {
    case 'simple':
    case 'batched':
      return countTerms(options);
    case 'sharded':
      return undefined;
    case 'sliding-log':
      return { kind: 'log', windowMs: checkDurationMs(options.windowMs, 'windowMs') };
    case 'unique':
      return { kind: 'unique', windowMs: checkDurationMs(options.windowMs, 'windowMs') };
    case 'sliding-window':
      return { kind: 'window', windowMs: checkDurationMs(options.windowMs, 'windowMs', 1000), slices: slicesOf(options.slices, 60) };
    case 'unique-approx':
      return { kind: 'sketch', windowMs: checkDurationMs(options.windowMs, 'windowMs', 1000), slices: slicesOf(options.slices, 6) };
  }
}

/**
 * Over how many partitions the adds of a `sharded` counter are spread; undefined for any other type.
 *
 * @throws TallystickError `INVALID_ARGUMENT`, field `shards`.
 */
export function shardsOf(options: CounterOptions): number | undefined {
  if (typeOf(options) !== 'sharded') return undefined;
  const { shards = DEFAULT_SHARDS } = options;
  return checkNumber('shards', shards, MAX_SHARDS);
}

/** The policy for outages; undefined when none is named. @throws TallystickError `INVALID_ARGUMENT`, field `onOutage`. */
export function outagePolicyOf({ onOutage }: CounterOptions): CounterOnOutage | undefined {
  if (onOutage === undefined || OUTAGE_POLICIES.includes(onOutage)) return onOutage;
  throw unexpected('onOutage', `one of ${OUTAGE_POLICIES.join(', ')}`, onOutage);
}
