/**
 * Limits, as operations carry them. A rule belongs to a name; what it has counted of a subject lies under its
 * name and shape ({@link LimitRule.id}), never under its limit: a limit that is edited holds from the next take on.
 */

/** What every rule has. */
interface RuleBase {
  /** Given back in the answer. */
  readonly name: string;
  /** Name and shape: what tells apart the states that a subject has. */
  readonly id: string;
  /** Units that may be taken; 0 denies everything. */
  readonly limit: number;
}

/** `limit` units a window; windows begin at a take (`first`) or at multiples of `windowMs` since the epoch (`clock`). */
export interface FixedRule extends RuleBase {
  readonly algorithm: 'fixed-window';
  readonly windowMs: number;
  readonly align: 'first' | 'clock';
}

/** `limit` units in the last `windowMs`, counted in slices; `interpolated` counts the oldest slice by its part. */
export interface SlicesRule extends RuleBase {
  readonly algorithm: 'sliding-window';
  readonly windowMs: number;
  readonly slices: number;
  readonly mode: 'conservative' | 'interpolated';
}

/** `limit` units in the last `windowMs`, exactly. */
export interface LogRule extends RuleBase {
  readonly algorithm: 'sliding-log';
  readonly windowMs: number;
}

/** A bucket of `burst` units that gets `limit` units back every `windowMs`, evenly. */
export interface BucketRule extends RuleBase {
  readonly algorithm: 'token-bucket';
  readonly windowMs: number;
  readonly burst: number;
}

/** `limit` units held at once; what is not released in time is free again after `leaseMs`. */
export interface LeaseRule extends RuleBase {
  readonly algorithm: 'concurrency';
  readonly leaseMs: number;
}

/** Units of a calendar; a week begins on Monday. */
export type CalendarUnit = 'day' | 'week' | 'month' | 'year';

/** `limit` units in each window of a calendar. */
export interface CalendarRule extends RuleBase {
  readonly algorithm: 'calendar';
  readonly unit: CalendarUnit;
  readonly timeZone: string;
  /** Where windows begin and end, rising: the store's clock picks one, and refuses what has none for it. */
  readonly edges: readonly number[];
}

/** One rule of an operation, by algorithm. */
export type LimitRule = FixedRule | SlicesRule | LogRule | BucketRule | LeaseRule | CalendarRule;

/** What an operation does with a subject's limits. `penalize` charges without asking; `block` asks no rule at all. */
export type LimitAction = 'take' | 'peek' | 'refund' | 'penalize' | 'reset' | 'block' | 'unblock';

/** Terms of an operation on the limits of one subject, the operation's key. */
export interface LimitsTerms {
  readonly kind: 'limits';
  readonly action: LimitAction;
  /** All or nothing. `reset` without rules means all that the subject has. */
  readonly rules: readonly LimitRule[];
  /** Units of each caller; the operation's amount is that of all callers combined in it. */
  readonly cost: number;
  /** `refund`, `penalize`: when the units were taken, by the store's clock; they belong to the window of that time. */
  readonly takenAtMs?: number;
  /** `block`: for how long; absent means until it is ended. */
  readonly blockMs?: number;
}
