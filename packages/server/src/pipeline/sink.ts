/**
 * The last stage: takes records of the log and applies them to the ledger, many in one transaction.
 *
 * - While a transaction of a partition runs, what arrives for it is collected for the next one: the slower the
 *   ledger, the more a transaction folds.
 * - A fault of the ledger is waited out, with back-off: the same records are applied again, and the ledger knows by
 *   their seqs what it has. Deliveries are answered when they are committed, so a caller that waits for that holds
 *   itself back.
 * - What the ledger parked is a dead letter and holds nothing up. Where a gap was closed later, what waited for it is
 *   applied after the next transaction of that partition.
 */
import { TallystickError } from 'tallystick';
import { backoffMs } from './backoff.ts';
import type { Destination } from './destination.ts';
import type { Applied, DeadLetterReason, Ledger } from './ledger/ledger.ts';
import { decodeHead } from './record.ts';

/** What a sink has to say. */
export type SinkEvent =
  /** The ledger does not take records; they are kept and tried again. */
  | { readonly type: 'ledger-fault'; readonly partition: number; readonly attempt: number; readonly error: unknown }
  /** The ledger takes records again. */
  | { readonly type: 'ledger-recovered'; readonly partition: number }
  /** Records became dead letters. */
  | { readonly type: 'parked'; readonly partition: number; readonly records: number }
  /** Dead letters were applied after all, because what was missing has come. */
  | { readonly type: 'gap-closed'; readonly partition: number; readonly records: number };

/** Settings of {@link Sink}. */
export interface SinkOptions {
  readonly ledger: Ledger;
  /** So many records of a partition begin a transaction at once. Default 100. */
  readonly batchRecords?: number;
  /** Fewer begin one after this time, in milliseconds. At most 5,000; default 200. */
  readonly delayMs?: number;
  /** Deliveries beyond so many bytes that are not committed are refused. Default 64 MiB. */
  readonly maxPendingBytes?: number;
  readonly onEvent?: (event: SinkEvent) => void;
  /** The clock that lag is measured by, in milliseconds since 1970. */
  readonly nowMs?: () => number;
  readonly random?: () => number;
}

/** Figures since the start; gauges are as they are now. */
export interface SinkStats {
  applied: number;
  skipped: number;
  parked: number;
  /** Rows of counters that were written. */
  rows: number;
  transactions: number;
  /** Attempts that failed. */
  faults: number;
  /** Gauge: records that are not committed yet. */
  pendingRecords: number;
  pendingBytes: number;
  /** Gauge: how long ago the store applied the newest record that is committed, at the time of its commit, in milliseconds. */
  lagMs: number;
}

/** A delivery that waits. */
interface Delivery {
  readonly records: readonly Uint8Array[];
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const DEFAULTS = { batchRecords: 100, delayMs: 200, maxPendingBytes: 64 * 1024 * 1024 };
/** The most of one transaction, but that a delivery is not split. */
const TRANSACTION_RECORDS = 20_000;
const TRANSACTION_BYTES = 2 * 1024 * 1024;

/** The last stage: from the log to the ledger. */
export class Sink implements Destination {
  readonly #options: Required<SinkOptions>;
  readonly #lanes = new Map<number, SinkLane>();
  readonly #stats: SinkStats = { applied: 0, skipped: 0, parked: 0, rows: 0, transactions: 0, faults: 0, pendingRecords: 0, pendingBytes: 0, lagMs: 0 };
  #closed = false;

  constructor(options: SinkOptions) {
    this.#options = { ...DEFAULTS, onEvent: () => undefined, nowMs: Date.now, random: Math.random, ...options };
  }

  get stats(): Readonly<SinkStats> {
    return this.#stats;
  }

  deliver(partition: number, records: readonly Uint8Array[]): Promise<void> {
    if (this.#closed) return Promise.reject(closed());
    if (records.length === 0) return Promise.resolve();
    const bytes = records.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (this.#stats.pendingBytes > 0 && this.#stats.pendingBytes + bytes > this.#options.maxPendingBytes) {
      return Promise.reject(new TallystickError('OVERLOADED', `sink: ${this.#stats.pendingBytes} bytes wait for the ledger; deliver fewer at a time`));
    }
    let lane = this.#lanes.get(partition);
    if (lane === undefined) this.#lanes.set(partition, (lane = new SinkLane(partition, this.#options, this.#stats)));
    return lane.deliver(records, bytes);
  }

  /** Deliveries that are not committed are rejected: whoever delivered them does it again elsewhere. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(Array.from(this.#lanes.values(), (lane) => lane.close()));
  }
}

const closed = (): TallystickError => new TallystickError('CLOSED', 'the sink is closed');

/** One partition: its transactions follow each other. */
class SinkLane {
  readonly #partition: number;
  readonly #options: Required<SinkOptions>;
  readonly #stats: SinkStats;
  #queue: Delivery[] = [];
  #records = 0;
  #running: Promise<void> | undefined;
  #closed = false;
  /** Whether what waited for a record before it can be applied now; unknown at first. */
  #isGapClosed = true;
  /** Whether the pause there is ends when there are enough records. */
  #collecting = false;
  /** Ends the pause there is. */
  #wake: () => void = () => undefined;

  constructor(partition: number, options: Required<SinkOptions>, stats: SinkStats) {
    this.#partition = partition;
    this.#options = options;
    this.#stats = stats;
  }

  deliver(records: readonly Uint8Array[], bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ records, bytes, resolve, reject });
      this.#count(records.length, bytes);
      if (this.#collecting && this.#records >= this.#options.batchRecords) this.#wake();
      this.#running ??= this.#run();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    await this.#running;
  }

  #count(records: number, bytes: number): void {
    this.#records += records;
    this.#stats.pendingRecords += records;
    this.#stats.pendingBytes += bytes;
  }

  /** Until nothing is left: waits for enough, or for the delay, and applies it. */
  async #run(): Promise<void> {
    while (this.#queue.length > 0 && !this.#closed) {
      await this.#collect();
      const deliveries = this.#taken();
      const applied = await this.#apply(deliveries.flatMap(({ records }) => records));
      for (const { records, bytes, resolve, reject } of deliveries) {
        this.#count(-records.length, -bytes);
        if (applied) resolve();
        else reject(closed());
      }
    }
    for (const { records, bytes, reject } of this.#queue.splice(0)) {
      this.#count(-records.length, -bytes);
      reject(closed());
    }
    // In the same turn as the last look at the queue: who was answered above may deliver before this is settled.
    this.#running = undefined;
  }

  async #collect(): Promise<void> {
    if (this.#records >= this.#options.batchRecords) return;
    this.#collecting = true;
    await this.#pause(this.#options.delayMs);
    this.#collecting = false;
  }

  /** What the next transaction takes: whole deliveries, the oldest first. */
  #taken(): Delivery[] {
    let records = 0;
    let bytes = 0;
    const end = this.#queue.findIndex((delivery, index) => {
      records += delivery.records.length;
      bytes += delivery.bytes;
      return index > 0 && (records > TRANSACTION_RECORDS || bytes > TRANSACTION_BYTES);
    });
    return this.#queue.splice(0, end < 0 ? this.#queue.length : end);
  }

  /** Applies records, again and again until the ledger has them; false when the sink is closed before. */
  async #apply(records: readonly Uint8Array[]): Promise<boolean> {
    for (let attempt = 1; !this.#closed; attempt++) {
      try {
        this.#committed(await this.#options.ledger.apply(this.#partition, records), records);
        if (attempt > 1) this.#options.onEvent({ type: 'ledger-recovered', partition: this.#partition });
        await this.#closeGaps();
        return true;
      } catch (error) {
        this.#stats.faults++;
        this.#options.onEvent({ type: 'ledger-fault', partition: this.#partition, attempt, error });
        await this.#pause(backoffMs(attempt, this.#options.random));
      }
    }
    return false;
  }

  #committed({ applied, skipped, parked, rows, isGapClosed }: Applied, records: readonly Uint8Array[]): void {
    const { onEvent, nowMs } = this.#options;
    this.#stats.applied += applied;
    this.#stats.skipped += skipped;
    this.#stats.parked += parked;
    this.#stats.rows += rows;
    this.#stats.transactions++;
    const atMs = appliedAtMs(this.#partition, records.at(-1));
    if (atMs !== undefined) this.#stats.lagMs = Math.max(0, nowMs() - atMs);
    this.#isGapClosed ||= isGapClosed;
    if (parked > 0) onEvent({ type: 'parked', partition: this.#partition, records: parked });
  }

  /** A fault in here is one of the whole attempt, which comes again and skips what was applied. */
  async #closeGaps(): Promise<void> {
    if (!this.#isGapClosed) return;
    const { applied } = await this.#options.ledger.deadLetters.replay({ partition: this.#partition, reasons: IN_ORDER }, false);
    this.#isGapClosed = false;
    if (applied > 0) this.#options.onEvent({ type: 'gap-closed', partition: this.#partition, records: applied });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#closed) this.#wake();
    });
  }
}

/** What waits for its turn, and needs no operator. */
const IN_ORDER: readonly DeadLetterReason[] = ['gap', 'unreadable'];

/** When the store applied a record; undefined when it cannot be read. */
function appliedAtMs(partition: number, record: Uint8Array | undefined): number | undefined {
  if (record === undefined) return undefined;
  try {
    return decodeHead(partition, record).atMs;
  } catch {
    return undefined;
  }
}
