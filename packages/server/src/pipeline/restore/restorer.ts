/**
 * Brings a partition back that Redis has lost: its totals, and how far each source has come, as the ledger has them.
 * Sources then send again, by the sequence rule, what the ledger had not.
 *
 * 1. Begin: the partition stays closed, and what another restorer has loaded is taken away.
 * 2. Drain: what the log still carries reaches the ledger, as its source may not live to send it again.
 * 3. Settle the point of restore: what comes to the ledger later is parked, for Redis would be without it.
 * 4. Load and open.
 *
 * A restorer that dies leaves a closed partition, with which the next one begins anew; one that only stood still finds
 * its next step refused.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_VALUE, TallystickError } from 'tallystick';
import type { Destination } from '../destination.ts';
import { isRestoreSource, restoreSource, type Ledger } from '../ledger/ledger.ts';
import { encodeRecord } from '../record.ts';

/** A partition of the store that is being restored. A step resolves to false when another restorer has taken over. */
export interface Restoring {
  /** The store's time when it was begun, in milliseconds since 1970. */
  readonly nowMs: number;
  load(totals: readonly (readonly [key: string, value: number])[]): Promise<boolean>;
  loadSources(progress: ReadonlyMap<string, number>): Promise<boolean>;
  /** What is applied from then on has a time from `notBeforeMs` on. */
  open(notBeforeMs: number): Promise<boolean>;
}

/** The store, as a restorer sees it. */
export interface Restorable {
  /** Begins with a partition; undefined when it has data. */
  begin(partition: number): Promise<Restoring | undefined>;
}

/** What a restorer has to say. */
export interface Restored {
  readonly partition: number;
  readonly counters: number;
  readonly sources: number;
  readonly tookMs: number;
}

/** Settings of a {@link Restorer}. */
export interface RestorerOptions {
  readonly store: Restorable;
  readonly ledger: Ledger;
  /**
   * Where records go that reach the ledger only later: Kafka. Without one, whoever asks for a restore has delivered to
   * the ledger all that it had.
   */
  readonly log?: Destination;
  /** Told of a partition that is to be brought back. */
  readonly onBegin?: (partition: number) => void;
  readonly onRestored?: (restored: Restored) => void;
}

/** Counters that are read and loaded at a time. */
const PAGE = 20_000;
const LOOK_EVERY_MS = 50;
const DRAINED_WITHIN_MS = 30_000;

/** Restores partitions. */
export class Restorer {
  readonly #options: RestorerOptions;

  constructor(options: RestorerOptions) {
    this.#options = options;
  }

  /**
   * Restores a partition, unless it has data; returns also when another restorer has taken over.
   *
   * @throws TallystickError `STORE_UNAVAILABLE`, `TIMEOUT` when the log does not reach the ledger, `DATA_CORRUPT` when a total
   * is none. The partition stays closed, and it can be tried again.
   */
  readonly restore = async (partition: number): Promise<void> => {
    const startedAtMs = performance.now();
    const { store, ledger, onBegin, onRestored } = this.#options;
    const restoring = await store.begin(partition);
    if (restoring === undefined) return;
    onBegin?.(partition);
    await this.#drain(partition);
    const { progress, atMs } = await ledger.restorePoint(partition, restoring.nowMs);
    const sources = new Map([...progress].filter(([source]) => !isRestoreSource(source)));
    const counters = await this.#load(partition, restoring);
    if (counters === undefined || !(await restoring.loadSources(sources)) || !(await restoring.open(atMs))) return;
    onRestored?.({ partition, counters, sources: sources.size, tookMs: Math.round(performance.now() - startedAtMs) });
  };

  /** A record of its own goes the way of all that were delivered before it; when that is there, so are they. */
  async #drain(partition: number): Promise<void> {
    const { log, ledger } = this.#options;
    if (log === undefined) return;
    const source = restoreSource(randomUUID());
    await log.deliver(partition, [encodeRecord({ source, seq: 1, atMs: Date.now(), entries: [] })]);
    const untilMs = performance.now() + DRAINED_WITHIN_MS;
    while (!(await ledger.progress(partition, [source])).has(source)) {
      if (performance.now() > untilMs) throw new TallystickError('TIMEOUT', `partition ${partition}: what was delivered to Kafka has not reached the ledger`);
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** Returns how many counters there are; undefined when another has taken over. The next page is read while one is loaded. */
  async #load(partition: number, restoring: Restoring): Promise<number | undefined> {
    let counters = 0;
    let loading: Promise<boolean> = Promise.resolve(true);
    for (let after = '', isEnd = false; !isEnd;) {
      const [page, isOurs] = await Promise.all([this.#options.ledger.totals(partition, after, PAGE), loading]);
      if (!isOurs) return undefined;
      loading = page.length > 0 ? restoring.load(page.map(([key, value]) => [key, exact(key, value)] as const)) : Promise.resolve(true);
      counters += page.length;
      after = page.at(-1)?.[0] ?? after;
      isEnd = page.length < PAGE;
    }
    return (await loading) ? counters : undefined;
  }
}

/** With all of the log applied, a total is what Redis had. */
function exact(key: string, value: bigint): number {
  const number = Number(value);
  if (number <= MAX_VALUE && number >= -MAX_VALUE) return number;
  throw new TallystickError('DATA_CORRUPT', `the ledger: expected a total within ±(2^53 − 1) of ${JSON.stringify(key)}, got ${value}`);
}
