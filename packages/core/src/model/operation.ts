/**
 * What callers ask for. An operation is a key, a signed amount and its *terms*: the kind of counter and
 * the conditions under which the amount counts. Terms are shared, frozen objects: two operations whose
 * terms are the same object mean the same thing, which is what makes combining cheap to decide.
 */
import type { Verdict } from './decision.ts';
import type { LimitsTerms } from './limit.ts';
import type { Memo } from './memo.ts';

/** A plain total, optionally bounded and optionally expiring. */
export interface CountTerms {
  readonly kind: 'count';
  /** A decrease stops here: the effective amount is what is left above it. */
  readonly min?: number;
  /** An increase stops here. */
  readonly max?: number;
  /** Lifetime given when the counter is created; later operations do not renew it. */
  readonly ttlMs?: number;
  /** Instead of `ttlMs`, for a counter that is created before one of these times: it ends at the time beside it. */
  readonly ends?: Ends;
}

/**
 * When a counter ends by the time of its creation: `[beforeMs, endMs]`, rising in both, `endMs` at least `beforeMs`; the first
 * holds that the creation comes before, by the store's clock. So whoever knows a calendar can send it to a store that does not.
 */
export type Ends = readonly (readonly [beforeMs: number, endMs: number])[];

/** Exact count of the events of the last `windowMs`. */
export interface LogTerms {
  readonly kind: 'log';
  readonly windowMs: number;
}

/** Count of the events of the last `windowMs` in `slices` sub-counters: constant memory, stated bound. */
export interface WindowTerms {
  readonly kind: 'window';
  readonly windowMs: number;
  readonly slices: number;
}

/** Exact number of distinct members seen in the last `windowMs`. */
export interface UniqueTerms {
  readonly kind: 'unique';
  readonly windowMs: number;
}

/** Estimated number of distinct members seen in the last `windowMs` (HyperLogLog). */
export interface SketchTerms {
  readonly kind: 'sketch';
  readonly windowMs: number;
  readonly slices: number;
}

/** The conditions of an operation, by kind of counter. */
export type Terms = CountTerms | LogTerms | WindowTerms | UniqueTerms | SketchTerms | LimitsTerms;

/** A kind of counter state. */
export type Kind = Terms['kind'];

/**
 * Set on an operation whose effect was decided before, somewhere else or before a failover: it is applied
 * as it was decided, and no condition is asked again.
 */
export interface Effect {
  /** The store's clock when the effect was decided. */
  readonly atMs: number;
  /** When the counter it belonged to expires; the effect belongs to no later counter of that key. */
  readonly expiresAtMs?: number;
  /** The counter had no expiry until this effect gave it one. */
  readonly repaired?: true;
  /** What was answered to the request id of this operation. */
  readonly answered?: { readonly value: number; readonly delta: number; readonly verdict?: Verdict };
}

/** One change asked for. */
export interface Operation {
  readonly key: string;
  /** Signed amount; 1 for the kinds that count members. */
  readonly delta: number;
  /** Undefined means a plain `count` without conditions. */
  readonly terms?: Terms | undefined;
  /** The member of a `unique` or `sketch`; the lease of a `limits`. */
  readonly member?: string | undefined;
  /** The first answer to this id (of this key) is remembered and given again. */
  readonly requestId?: string | undefined;
  /** For how long; at most, and by default, the store's `requestRetentionMs`. The same whenever the same id is sent. */
  readonly requestTtlMs?: number | undefined;
  /**
   * For an amount combined out of several callers' amounts of both signs: the sum of their magnitudes.
   * The store refuses the whole when a partial sum might leave the range; the lane then asks singly.
   */
  readonly reach?: number | undefined;
  readonly effect?: Effect | undefined;
  /** Spares a store in this process a look-up of the key. It goes nowhere else: on a wire or a disk it is not written. */
  readonly memo?: Memo | undefined;
}

/** One question asked: the state of a counter. */
export interface Query {
  readonly key: string;
  /** As in {@link Operation}; conditions that only matter to changes are ignored. */
  readonly terms?: Terms | undefined;
}
