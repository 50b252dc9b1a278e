/** What an application counts with. */
import type { ErrorCode } from './errors.ts';
import type { AddResult } from './model/add-result.ts';
import type { Reading } from './model/answer.ts';
import type { CounterOptions } from './model/counter-type.ts';

/** Options of one add. Counter options given here replace those declared for the key. */
export interface AddOptions extends CounterOptions {
  /** `unique`, `unique-approx`: the member that was seen, 1 to 512 bytes. Required for those types. */
  readonly member?: string;
  /**
   * Makes a repeated call harmless: the first answer to this id (of this key) is given again and nothing
   * is counted twice, for the store's `requestRetentionMs`. 1 to 128 characters.
   */
  readonly requestId?: string;
  /**
   * How long the first answer to this request id is given again, in milliseconds; the same whenever the id is
   * sent. It should outlast every attempt, and a store that is away meanwhile; a store needs about 230 bytes of
   * memory for an id while it lasts. 1 to the store's `requestRetentionMs`, which cuts off what is more. Default:
   * the store's `requestRetentionMs`. Only together with `requestId`.
   */
  readonly requestTtlMs?: number;
  /**
   * Milliseconds this caller waits. When they pass while the operation is already on its way, the result
   * is `accepted`; when it is not, the call is refused with `TIMEOUT` and nothing was counted. Default: no limit.
   */
  readonly timeoutMs?: number;
}

/** What came of one item of a batch that was refused: nothing happened and nothing will. */
export interface Refusal {
  readonly outcome: 'refused';
  readonly code: ErrorCode;
  readonly msg: string;
  /** The counter's value, unchanged, where the store told it. */
  readonly value?: number;
}

/** One item of {@link Counters.addMany}. */
export interface AddItem extends AddOptions {
  readonly key: string;
  /** Default 1. */
  readonly delta?: number;
}

/** Options of {@link Counters.addMany}. What they say of all items, an item may say for itself. */
export interface AddManyOptions extends Pick<AddOptions, 'requestTtlMs' | 'timeoutMs'> {
  /**
   * Makes a repeated call harmless when it has the same items: each item without a `requestId` of its own gets
   * this one, with `#` and its index. 1 to 128 characters.
   */
  readonly requestId?: string;
  /**
   * Takes all items or, with a thrown error, none: what is taken will be applied, exactly once each, and what is not
   * applied by `timeoutMs` is `accepted`. It is no single step for a reader. Only an item that would leave the range of
   * numbers is still refused by itself. Not for `batched` and `sharded` counters. Default false.
   */
  readonly allOrNothing?: boolean;
}

/** Options of a read: which counter of the key is meant (default: as declared), and how old a copy may be. */
export interface GetOptions extends Pick<CounterOptions, 'type' | 'windowMs' | 'slices'> {
  /**
   * With a near cache: how old a copy may be, in milliseconds; 0 asks the store, and gives no copy even when the
   * store is unavailable unless `staleIfErrorMs` is given. Default, and at most: `near.ttlMs`. Without a near cache every read asks the store.
   */
  readonly maxAgeMs?: number;
  /**
   * With a near cache: how old a copy may be that stands in, marked `stale`, while the store is unavailable, in
   * milliseconds. Default: `near.staleIfErrorMs`, or 0 with a `maxAgeMs` of 0. At most 86,400,000.
   */
  readonly staleIfErrorMs?: number;
}

/** What a counter stands at. */
export interface CounterReading extends Reading {
  /** Whether the value is exact; false for `batched` counters with unflushed amounts, for estimates and for copies. */
  readonly exact: boolean;
  /** Of a copy out of the near cache: how old it is at most, in milliseconds. */
  readonly ageMs?: number;
  /** The store is unavailable, and the copy is given because `staleIfErrorMs` allows it. */
  readonly stale?: true;
}

/** One item of {@link Counters.getMany}. */
export interface GetItem extends GetOptions {
  readonly key: string;
}

/** Counters of one {@link Tallystick}. Every method refuses bad input before anything is counted. */
export interface Counters {
  /**
   * Adds `delta` (default 1) to a counter and answers with its exact value right after; of a `batched` or
   * `sharded` one, with an estimate.
   *
   * @throws TallystickError (as a rejection) when refused: `INVALID_KEY`, `INVALID_AMOUNT`,
   * `INVALID_ARGUMENT`, `OUT_OF_RANGE`, `STATE_TOO_LARGE`, `TIMEOUT`, `OVERLOADED`, `CLOSED`.
   * @example const { value } = await counters.add('article:like:42')
   */
  add(key: string, delta?: number, options?: AddOptions): Promise<AddResult>;
  /**
   * Adds without waiting: absorbed here, flushed within the flush interval, exactly once. Costs
   * nanoseconds. Only for keys declared `batched`, or not declared.
   *
   * @throws TallystickError at once when refused: as `add`, or `OVERLOADED` when too many keys are pending.
   * @example counters.tally('article:read:42')
   */
  tally(key: string, delta?: number): void;
  /** Reads one counter. A `batched` one includes what this process has not flushed yet. */
  get(key: string, options?: GetOptions): Promise<CounterReading>;
  /**
   * Adds many at once; the results are in the order of the items. Every item is checked before any is
   * counted: one bad item rejects the whole call, naming its index.
   */
  addMany(items: readonly AddItem[], options?: AddManyOptions): Promise<(AddResult | Refusal)[]>;
  /** Reads many at once, in order. */
  getMany(items: readonly (string | GetItem)[]): Promise<CounterReading[]>;
}

/** The most items one `addMany` or `getMany` may have. */
export const MAX_BATCH_ITEMS = 10_000;
