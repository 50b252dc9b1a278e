/** What is said to a take: by the store for all callers of an operation, and then to each caller. */

/** Where a subject stands with the rule that is nearest to its limit. */
export interface Standing {
  /** Name of the rule; null for a block. */
  readonly rule: string | null;
  readonly limit: number;
  /** Units left, a whole number and never below 0. */
  readonly remaining: number;
  /** When all units are free again if nothing more is taken, by the store's clock; null for never. */
  readonly resetAtMs: number | null;
}

/** Where a subject stands that had to be denied. */
export interface Denial extends Standing {
  /** From when on the same take fits, if nobody else takes before; null for never. */
  readonly retryAtMs: number | null;
}

/** The store's word on an operation: of the callers combined in it, the first were granted, the others denied. */
export interface Verdict {
  /** When it was decided, by the store's clock. */
  readonly atMs: number;
  /** After the last caller that was granted. */
  readonly granted?: Standing;
  readonly denied?: Denial;
}

/** A verdict, as it concerns one of the callers combined in an operation. */
export interface Ruling {
  readonly verdict: Verdict;
  readonly isGranted: boolean;
  /** Units granted to callers after this one. */
  readonly after: number;
  /** The store's clock when it answered: later than the verdict where a first answer is given again. */
  readonly answeredAtMs: number;
}

/** The answer to one take or peek. A denial is an answer, never an error. */
export interface Decision {
  readonly allowed: boolean;
  /** The limit of {@link Decision.rule}; 0 for a block. */
  readonly limit: number;
  /** Units left of that rule, a whole number and never below 0. */
  readonly remaining: number;
  /** Milliseconds until all units of that rule are free again if nothing more is taken; null for never. */
  readonly resetMs: number | null;
  /** 0 when allowed; else after so many milliseconds the same take fits, if nobody else takes before. Null: waiting does not help. */
  readonly retryAfterMs: number | null;
  /** `outage`: the store is away, and `onOutage` of the rule is `closed`; nobody knows more. */
  readonly reason: 'allowed' | 'limited' | 'blocked' | 'outage';
  /** The rule nearest to its limit or, of a denial, the one to wait for longest; null for a block. */
  readonly rule: string | null;
  /** Who decided: the store, a denial of the store that this process remembers, or `onOutage` of the rules. */
  readonly source: 'store' | 'near' | 'fallback';
  /** When it was decided, by the store's clock as far as it is known. */
  readonly atMs: number;
  /** Name of the lease that a `concurrency` rule gave; release it by this. */
  readonly lease?: string;
  /** This is the first answer to the same request id, given again. */
  readonly replayed?: true;
}
