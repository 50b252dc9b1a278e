/** Limits, as an application holds them. */
import type { Refusal } from './counters.ts';
import type { Decision } from './model/decision.ts';
import type { CalendarUnit } from './model/limit.ts';

/**
 * What takes are answered while the store is away: `open` allows, `closed` denies with the reason `outage`, and `local`
 * counts in this process: each process grants at most the limit anew, and charges the store for it once when it is back.
 */
export type OnOutage = 'open' | 'closed' | 'local';

/** Options of every rule. */
export interface AnyLimit {
  /**
   * What holds while the store is away. The answer says `source: 'fallback'`. Under several rules the strictest of
   * `closed`, `local`, `open` holds, and `local` asks the rules that say so. Default: a take waits for the store, as it
   * does when any of its rules has the default.
   */
  readonly onOutage?: OnOutage;
}

/** `limit` units in each window. At most 2 × `limit` in any span of `windowMs`. */
export interface FixedWindowLimit extends AnyLimit {
  readonly algorithm: 'fixed-window';
  readonly limit: number;
  readonly windowMs: number;
  /** Whether windows begin at a take, or at multiples of `windowMs` since the epoch. Default `first`. */
  readonly align?: 'first' | 'clock';
}

/** `limit` units in the last `windowMs`, in constant memory. */
export interface SlidingWindowLimit extends AnyLimit {
  readonly algorithm: 'sliding-window';
  readonly limit: number;
  readonly windowMs: number;
  /** Number of sub-counters, 1 to 1,000. Default 10. */
  readonly slices?: number;
  /**
   * `conservative`: never more than `limit` in any span of `windowMs`; under uniform load at least
   * `limit × slices / (slices + 1)`. `interpolated`: `limit` under uniform load, less than 2 × `limit` under attack.
   * Default `conservative`.
   */
  readonly mode?: 'conservative' | 'interpolated';
}

/** `limit` units in the last `windowMs`, exactly; memory grows with `limit`, which is at most 100,000. */
export interface SlidingLogLimit extends AnyLimit {
  readonly algorithm: 'sliding-log';
  readonly limit: number;
  readonly windowMs: number;
}

/** A bucket of `burst` units that gets `limit` units every `windowMs`: at most `burst + limit` in any span of `windowMs`. */
export interface TokenBucketLimit extends AnyLimit {
  readonly algorithm: 'token-bucket';
  readonly limit: number;
  readonly windowMs: number;
  /** At least 1. Default `limit`. */
  readonly burst?: number;
}

/** `limit` units held at once, at most 100,000. What is not released within `leaseMs` is free again. */
export interface ConcurrencyLimit extends AnyLimit {
  readonly algorithm: 'concurrency';
  readonly limit: number;
  readonly leaseMs: number;
}

/**
 * `limit` units in each day, week (from Monday), month or year of a time zone, right where its clocks are put forward or
 * back. At most 2 × `limit` across the border of two windows. Needs the option `calendar` of {@link createTallystick}.
 */
export interface CalendarLimit extends AnyLimit {
  readonly algorithm: 'calendar';
  readonly limit: number;
  readonly unit: CalendarUnit;
  /** IANA name, such as `Europe/Berlin`. Default `UTC`. */
  readonly timeZone?: string;
}

/**
 * Where windows of a calendar begin: that of `atMs`, at least one before it and some after it, rising. Pure. `tallystick/calendar`
 * has one.
 *
 * @throws RangeError when there is no such time zone.
 */
export type Calendar = (unit: CalendarUnit, timeZone: string, atMs: number) => readonly number[];

/** One rule. */
export type LimitOptions = FixedWindowLimit | SlidingWindowLimit | SlidingLogLimit | TokenBucketLimit | ConcurrencyLimit | CalendarLimit;

/** A rule that is given with a call. What it counts lies under its name, and is shared with every rule of that name and shape. */
export type NamedLimit = LimitOptions & { readonly name: string };

/** The rules of a call, by their declared names or in full; at most 32. All or nothing. */
export type Rules = string | NamedLimit | readonly (string | NamedLimit)[];

/** Options of one take. */
export interface TakeOptions {
  /** Units to take, at least 1. Default 1. */
  readonly cost?: number;
  /**
   * The first answer to this id (of this subject) is given again; nothing is taken twice. At most 128 characters. An
   * answer that came from a fallback is not remembered.
   */
  readonly requestId?: string;
  /** How long that first answer is given again; at most, and by default, the store's `requestRetentionMs`. */
  readonly requestTtlMs?: number;
  /** How long to wait. Default: as long as it takes, or until `onOutage` of the rules holds. */
  readonly timeoutMs?: number;
}

/** One item of {@link Limits.takeMany}. */
export interface TakeItem extends TakeOptions {
  readonly subject: string;
  readonly rules: Rules;
}

/** Options of a change that is no take. */
export interface ChangeOptions {
  /**
   * Makes a repeated change harmless: an id (of this subject) that was seen before changes nothing. At most 128
   * characters; not one of a take.
   */
  readonly requestId?: string;
  /** How long that id is remembered; at most, and by default, the store's `requestRetentionMs`. */
  readonly requestTtlMs?: number;
  /** How long to wait. Default: as long as it takes. */
  readonly timeoutMs?: number;
}

/** What came of a change that is no take. */
export interface ChangeResult {
  /** `accepted`: the time was up, and the change will be made, once. */
  readonly outcome: 'applied' | 'accepted';
  /** The same request id was seen before: nothing was changed now. */
  readonly replayed?: true;
}

/** Options of one penalty. */
export interface PenaltyOptions extends ChangeOptions {
  /** Units to take, at least 1. Default 1. */
  readonly cost?: number;
}

/** Options of one block. */
export interface BlockOptions extends ChangeOptions {
  /** For how long. Default: until it is ended. */
  readonly forMs?: number;
}

/** Options of one refund. */
export interface RefundOptions extends ChangeOptions {
  /** Units to give back, at least 1. Default 1. */
  readonly cost?: number;
  /** The decision of the take: units go back to the window they came from, and a denial gives nothing back. Default: taken now. */
  readonly decision?: Decision;
}

/** Limits over one store. */
export interface Limits {
  /**
   * Takes `cost` units under all rules, or nothing.
   *
   * @returns The decision; a denial is one, too.
   * @throws TallystickError when nothing could be decided: bad input, `TIMEOUT`, `OVERLOADED`, `CLOSED`; or
   * `OUTCOME_UNKNOWN`, when the time was up after the take was sent.
   * @example const { allowed, retryAfterMs } = await tallystick.limits.take('user:42', 'login')
   */
  take(subject: string, rules: Rules, options?: TakeOptions): Promise<Decision>;
  /**
   * Takes many at once, each by itself; the results are in the order of the items. Every item is checked before any
   * is taken: one bad item rejects the whole call, naming its index. What can't be decided later is a {@link Refusal}.
   */
  takeMany(items: readonly TakeItem[], options?: Pick<TakeOptions, 'timeoutMs'>): Promise<(Decision | Refusal)[]>;
  /** What a take would be told now. Changes nothing. */
  peek(subject: string, rules: Rules, options?: Pick<TakeOptions, 'cost' | 'timeoutMs'>): Promise<Decision>;
  /** Gives units back; a count never falls below 0. */
  refund(subject: string, rules: Rules, options?: RefundOptions): Promise<ChangeResult>;
  /** Gives a lease of `concurrency` rules back, by {@link Decision.lease}. */
  release(subject: string, rules: Rules, lease: string, options?: ChangeOptions): Promise<ChangeResult>;
  /** Takes units without asking. */
  penalize(subject: string, rules: Rules, options?: PenaltyOptions): Promise<ChangeResult>;
  /** Forgets what these rules, or all, have counted of the subject. A block stays. */
  reset(subject: string, rules?: Rules, options?: ChangeOptions): Promise<ChangeResult>;
  /** Denies every take of the subject for `forMs`, or until `unblock`. */
  block(subject: string, options?: BlockOptions): Promise<ChangeResult>;
  /** Ends a block. */
  unblock(subject: string, options?: ChangeOptions): Promise<ChangeResult>;
  /** These rules in full, such as {@link rateLimitHeaders} takes them. @throws TallystickError as `take` does for rules. */
  resolve(rules: Rules): readonly NamedLimit[];
}
