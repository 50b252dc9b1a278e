/** What a caller is told of an add that was not refused. */
export interface AddResult {
  /** `applied`: counted, and `value` is exact. `accepted`: will be counted exactly once; `value` is an estimate. */
  readonly outcome: 'applied' | 'accepted';
  /** The counter's value right after this add. */
  readonly value: number;
  /** Whether `value` is exact. */
  readonly exact: boolean;
  /** The amount really added: less than asked where a bound stopped it, 0 for a member seen before. */
  readonly delta: number;
  /** Time left to live in milliseconds, for a counter that expires. */
  readonly ttlMs?: number;
  /** This is the first answer to the same request id, given again. */
  readonly replayed?: true;
}
