/**
 * The port to tier 2: the authority for live values. Everything above it is the same for every store.
 *
 * A store MUST apply each batch exactly once, in order, per source and partition:
 * 1. seq = last + 1: it MUST apply all operations in their order, remember the results and advance `last`
 *    in one atomic step, and MUST answer only when that step is as durable as the store promises.
 * 2. seq ≤ last: it MUST change nothing and MUST answer the remembered results. It MUST remember the
 *    results of the last `WINDOW` batches of each source.
 * 3. seq > last + 1: it MUST change nothing and MUST answer `behind(last)`.
 * 4. It MUST decide each operation as the pure strategies of `operations/` do, by one reading of its own
 *    clock per batch, which MUST never run back.
 * 5. An operation that is refused MUST NOT fail the others; it MUST have a note with a code.
 * 6. A rejected `apply` says nothing about whether the batch was applied: the lane will send it again.
 * 7. A read MUST reflect every batch that was answered before the read was asked, and MUST NOT reflect a
 *    batch that could still be undone.
 * 8. `close` MUST answer what it has taken, release everything and then refuse with `CLOSED`. It MUST be
 *    safe to call twice.
 * 9. A store MUST refuse data that was created with another number of partitions.
 * 10. When it says `isSpread`, it MUST keep one key in two partitions apart, as two counters; else the key MUST be
 *    the same counter in all.
 */
import type { Reading, Reply } from './model/answer.ts';
import type { Batch } from './model/batch.ts';
import type { Query } from './model/operation.ts';

/** The port to what holds the counters. The head of this file says what every store MUST do; `storeContract` tests it. */
export interface Store {
  /** How many partitions the data has: fixed when it was created. */
  readonly partitions: number;
  /**
   * Whether a batch that was answered may be missing later (a failover, a flush). Lanes then keep answered
   * batches for a while, to send them again. Default false.
   */
  readonly mayLose?: boolean;
  /**
   * Whether the same key in two partitions is two counters, as where partitions are on different servers.
   * `sharded` counters then keep a part of their total in each. Default false: a key is one counter.
   */
  readonly isSpread?: boolean;
  /**
   * Applies a sealed batch.
   *
   * @throws TallystickError `STORE_UNAVAILABLE` or `CLOSED`; the outcome is then unknown.
   */
  apply(batch: Batch): Promise<Reply>;
  /**
   * Reads counters of one partition, one reading per query, in their order.
   *
   * @throws TallystickError `STORE_UNAVAILABLE` or `CLOSED`.
   */
  read(partition: number, queries: readonly Query[]): Promise<readonly Reading[]>;
  /** Answers what was taken, releases everything, and refuses from then on. Safe to call twice. */
  close(): Promise<void>;
}
