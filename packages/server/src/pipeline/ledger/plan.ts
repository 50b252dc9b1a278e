/**
 * What is to be done with records, given the progress of their sources: the sequence rule of the ledger. Pure, so
 * that whatever keeps the ledger only has to carry it out in one transaction.
 */
import { decodeHead, decodeRecord, type LogRecord, type RecordHead } from '../record.ts';
import { isRestoreSource, type DeadLetterReason } from './ledger.ts';

/** A record as it came. */
export interface Arrival {
  readonly bytes: Uint8Array;
  /** Whose it is; undefined when that cannot be read. */
  readonly head: RecordHead | undefined;
  /** Empty when there is a fault. */
  readonly entries: LogRecord['entries'];
  /** Why it cannot be applied. */
  readonly fault: string | undefined;
}

/** A record that is to be a dead letter. */
export interface Parked {
  readonly arrival: Arrival;
  readonly reason: DeadLetterReason;
  readonly fault: string;
}

/** How far a source has come. */
export interface Place {
  readonly seq: number;
  readonly atMs: number;
}

/** An exact sum of deltas; a `bigint` where a number would not be exact. */
export type Sum = number | bigint;

/** What is known of a partition before. */
export interface Known {
  /** The last seq applied, by source. */
  readonly progress: ReadonlyMap<string, number>;
  /** Sources whose last record was older are forgotten, in milliseconds since 1970. */
  readonly forgottenBeforeMs: number;
  /**
   * When Redis was restored from here last, in milliseconds since 1970. What was applied there before and comes only now is
   * not in Redis any more: its source sends it again, under the same seq.
   */
  readonly restoredAtMs: number;
}

/** What is to be done, in one transaction. */
export interface Plan {
  /** What is added, by key. */
  readonly sums: Map<string, Sum>;
  /** Progress of the sources that have come further. */
  readonly advanced: Map<string, Place>;
  readonly parked: Parked[];
  readonly applied: Arrival[];
  readonly skipped: Arrival[];
  /** Batches that have not come and were given up. */
  lost: number;
}

const messageOf = (error: unknown): string => (error as Error).message;

/** Reads a record, faulty or not. */
export function readArrival(partition: number, bytes: Uint8Array): Arrival {
  try {
    const { entries, ...head } = decodeRecord(partition, bytes);
    return { bytes, head, entries, fault: undefined };
  } catch (error) {
    return { bytes, head: headOf(partition, bytes), entries: [], fault: messageOf(error) };
  }
}

function headOf(partition: number, bytes: Uint8Array): RecordHead | undefined {
  try {
    return decodeHead(partition, bytes);
  } catch {
    return undefined;
  }
}

/** Adds `entries` to `sums`, exactly. */
export function fold(sums: Map<string, Sum>, entries: LogRecord['entries']): void {
  for (const [key, delta] of entries) sums.set(key, plus(sums.get(key) ?? 0, delta));
}

function plus(sum: Sum, delta: number): Sum {
  if (typeof sum === 'bigint') return sum + BigInt(delta);
  const next = sum + delta;
  return Number.isSafeInteger(next) ? next : BigInt(sum) + BigInt(delta);
}

/**
 * Decides what is to be done with `arrivals`, in their order.
 *
 * @param giveUp Whether batches that have not come are given up: what waits for them is applied, and they are counted as lost.
 */
export function planOf({ progress, forgottenBeforeMs, restoredAtMs }: Known, arrivals: readonly Arrival[], giveUp = false): Plan {
  const plan: Plan = { sums: new Map(), advanced: new Map(), parked: [], applied: [], skipped: [], lost: 0 };
  const park = (arrival: Arrival, reason: DeadLetterReason, fault: string): void => void plan.parked.push({ arrival, reason, fault });
  for (const arrival of arrivals) {
    const { head, entries, fault } = arrival;
    if (head === undefined) {
      park(arrival, 'unreadable', fault ?? 'unreadable');
      continue;
    }
    const { source, seq, atMs } = head;
    const before = plan.advanced.get(source);
    const known = before?.seq ?? progress.get(source);
    const next = (known ?? 0) + 1;
    if (known === undefined && atMs < forgottenBeforeMs) park(arrival, 'forgotten', `sources before ${new Date(forgottenBeforeMs).toISOString()} are forgotten`);
    else if (seq < next) plan.skipped.push(arrival);
    else if (atMs < restoredAtMs && !giveUp && !isRestoreSource(source)) park(arrival, 'gap', `Redis was restored without it at ${new Date(restoredAtMs).toISOString()}`);
    else if (seq > next && !giveUp) park(arrival, 'gap', `seq ${next} to ${seq - 1} have not come`);
    else {
      plan.lost += seq - next;
      plan.advanced.set(source, { seq, atMs: Math.max(atMs, before?.atMs ?? 0) });
      if (fault === undefined) {
        plan.applied.push(arrival);
        fold(plan.sums, entries);
      } else park(arrival, 'impossible', fault);
    }
  }
  return plan;
}
