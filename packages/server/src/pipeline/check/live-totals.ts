/** The port to Redis' side of a comparison: totals, bucket by bucket. */

/** Some totals of a partition. */
export interface LivePage {
  /** Keys of counters that do not expire, and their values. */
  readonly totals: readonly (readonly [key: string, value: number])[];
  /** The first bucket that was not read; as many as there are buckets at the end. */
  readonly next: number;
}

/** The port. What is read is as old as the answer: it holds for no place of the log. */
export interface LiveTotals {
  readonly partitions: number;
  /** How many buckets a partition has; what was read of it last tells. */
  buckets(partition: number): number;
  /** In which bucket of its partition a key is. */
  bucketOf(partition: number, key: string): number;
  /** Totals of a partition from bucket `from` on, as many as do not hold the server up. */
  read(partition: number, from: number): Promise<LivePage>;
}
