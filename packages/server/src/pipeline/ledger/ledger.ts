/**
 * The port to tier 3: totals and the last seq per source, in a database that outlives Redis.
 *
 * A ledger MUST apply each record exactly once, in order, per source and partition, in one transaction with the
 * source's progress. So a record that comes twice, from two sinks, or after a commit whose answer was lost, changes
 * nothing; and a rejection says nothing about what was applied: the same records are applied again.
 *
 * What cannot be applied is parked as a dead letter, in the same transaction, and holds nothing else up.
 */

/** Why a record was parked. */
export type DeadLetterReason =
  /** One before it, of its source, has not come. It is applied when that has, or when an operator gives that up. */
  | 'gap'
  /** Not even whose it is can be read. */
  | 'unreadable'
  /** It is its source's next one, but cannot be applied; the source's progress is past it. */
  | 'impossible'
  /** It is older than what is remembered of sources: it may have been applied. */
  | 'forgotten';

/** A parked record. */
export interface DeadLetter {
  readonly id: number;
  readonly partition: number;
  readonly reason: DeadLetterReason;
  /** What is wrong, for a person. */
  readonly fault: string;
  /** Undefined when the record does not say. */
  readonly source: string | undefined;
  readonly seq: number | undefined;
  readonly parkedAt: Date;
  readonly bytes: number;
}

/** Which dead letters are meant; without fields: all. */
export interface DeadLetterFilter {
  readonly ids?: readonly number[];
  readonly partition?: number;
  readonly reasons?: readonly DeadLetterReason[];
}

/** What a replay came to. */
export interface Replayed {
  /** Records that were applied now. */
  readonly applied: number;
  /** Records that had been applied meanwhile: their dead letters were removed. */
  readonly skipped: number;
  /** Records that stay parked. */
  readonly left: number;
  /** Batches that were missing and given up. */
  readonly lost: number;
}

/** What became of some records. */
export interface Applied {
  /** Records whose batch was the source's next one. */
  readonly applied: number;
  /** Records that had been applied before. */
  readonly skipped: number;
  /** Records that are dead letters now. */
  readonly parked: number;
  /** Rows of counters that were written. */
  readonly rows: number;
  /** Whether dead letters can be replayed now, because what was missing before them has come. */
  readonly isGapClosed: boolean;
}

/** The dead letters. */
export interface DeadLetters {
  /** Oldest first, at most `limit`. */
  list(filter: DeadLetterFilter, limit: number): Promise<readonly DeadLetter[]>;
  /** How many there are, by reason. */
  count(): Promise<ReadonlyMap<DeadLetterReason, number>>;
  /**
   * Applies what can be applied by now, each exactly once. With `giveUp` also what waits for batches that never
   * came, which are then counted as lost, and what may have been applied before it was forgotten.
   */
  replay(filter: DeadLetterFilter, giveUp: boolean): Promise<Replayed>;
  /** Removes them: what they hold is never counted. Returns how many. */
  drop(filter: DeadLetterFilter): Promise<number>;
}

/** Values of the ledger at one place of the log, for a comparison with those of Redis at the same place. */
export interface Readings {
  /** Asks for `keys` at the place of the record of `source`, which has not been written yet. */
  ask(source: string, partition: number, keys: readonly string[]): Promise<void>;
  /** The values, in the order of the keys that were asked for, by key; undefined as long as that place is not reached. */
  read(source: string, partition: number): Promise<ReadonlyMap<string, bigint> | undefined>;
  /** Removes what was asked for by `source`. */
  remove(source: string): Promise<void>;
}

/** What Redis is restored to, beside the totals. */
export interface RestorePoint {
  /** The last seq applied, by source. */
  readonly progress: ReadonlyMap<string, number>;
  /** What is applied from then on has a time from this on, in milliseconds since 1970. */
  readonly atMs: number;
}

/** The port. */
export interface Ledger {
  /** How many partitions the data has: fixed when it was created. */
  readonly partitions: number;
  readonly deadLetters: DeadLetters;
  readonly readings: Readings;
  /**
   * Applies records of one partition, in their order.
   *
   * @param records As `encodeRecord` writes them.
   * @throws TallystickError `STORE_UNAVAILABLE`; the outcome is then unknown.
   */
  apply(partition: number, records: readonly Uint8Array[]): Promise<Applied>;
  /** The last seq applied of every source that is remembered, or of those of `sources` that are. */
  progress(partition: number, sources?: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * Settles that Redis is restored from what is here now: records that were applied in Redis before `nowMs` and come later
   * are parked, as Redis is without them. So what is read from here on is of one state, until the partition is opened.
   */
  restorePoint(partition: number, nowMs: number): Promise<RestorePoint>;
  /** Keys and values after `after`, which is not among them, in the order of the keys' bytes, at most `limit`. */
  totals(partition: number, after: string, limit: number): Promise<readonly (readonly [key: string, value: bigint])[]>;
  /** The values of `keys`; 0 where there is none. A `bigint`, as the order of sources may take a total out of range for a while. */
  values(partition: number, keys: readonly string[]): Promise<ReadonlyMap<string, bigint>>;
  /** Forgets sources whose last record is older than `beforeMs` (since 1970). Records of theirs are parked from then on. */
  forgetSources(beforeMs: number): Promise<number>;
  /** Runs `work` while no other process runs something under the same name; returns false when one does. */
  alone(name: string, work: () => Promise<void>): Promise<boolean>;
  /** Releases everything. Safe to call twice. */
  close(): Promise<void>;
}

/** What a source's name begins with whose records mark the place of a comparison. */
const CHECK_SOURCE = 'check:';

/** A source for comparisons; `id` is never given twice. */
export const checkSource = (id: string): string => CHECK_SOURCE + id;

/** Whether a record of `source` marks the place of a comparison. */
export const isCheckSource = (source: string): boolean => source.startsWith(CHECK_SOURCE);

/** What a source's name begins with whose records mark where the log of before a restore ends. */
const RESTORE_SOURCE = 'restore:';

/** A source for one restore; `id` is never given twice. */
export const restoreSource = (id: string): string => RESTORE_SOURCE + id;

/** Whether a record of `source` marks where the log of before a restore ends. */
export const isRestoreSource = (source: string): boolean => source.startsWith(RESTORE_SOURCE);
