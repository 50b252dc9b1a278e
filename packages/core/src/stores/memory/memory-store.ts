/** The store that keeps everything in this process: exact, fast, gone with the process. */
import { TallystickError } from '../../errors.ts';
import type { Reading, Reply } from '../../model/answer.ts';
import type { Batch } from '../../model/batch.ts';
import { checkFunction, checkOptions, checkWhole } from '../../model/check.ts';
import { steadyClock, type Clock } from '../../model/clock.ts';
import type { Query } from '../../model/operation.ts';
import { Replica, type ReplicaOptions } from '../../replica/replica.ts';
import type { Store } from '../../store.ts';

/** Settings of {@link memoryStore}. */
export interface MemoryStoreOptions extends ReplicaOptions {
  /** Milliseconds since the epoch; it may be set back, the store's time will not run back. Default `Date.now`. */
  readonly clock?: Clock;
  /** Number of partitions, 1 to 1,024. Default 1: in one process more gain nothing. */
  readonly partitions?: number;
}

const SWEEP_EVERY_MS = 1000;
/** Expired entries looked at in one go, so that nobody waits for a mass expiry. */
const SWEEP_STEP = 2000;

class MemoryStore implements Store {
  readonly partitions: number;
  readonly #replica: Replica;
  readonly #clock: Clock;
  #sweeping: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(given: MemoryStoreOptions) {
    const { clock = Date.now, partitions = 1, ...options } = checked(given);
    this.partitions = partitions;
    this.#clock = steadyClock(clock);
    this.#replica = new Replica(options);
  }

  apply(batch: Batch): Promise<Reply> {
    if (this.#closed) return Promise.reject(closed());
    const reply = this.#replica.apply(batch, this.#clock());
    if (this.#sweeping === undefined && this.#replica.expires) this.#sweepIn(SWEEP_EVERY_MS);
    return Promise.resolve(reply);
  }

  read(_partition: number, queries: readonly Query[]): Promise<readonly Reading[]> {
    if (this.#closed) return Promise.reject(closed());
    const nowMs = this.#clock();
    return Promise.resolve(queries.map((query) => this.#replica.read(query, nowMs)));
  }

  close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#sweeping);
    return Promise.resolve();
  }

  /** Drops what has expired, in steps between which others get their turn. Keeps no process alive. */
  #sweepIn(delayMs: number): void {
    this.#sweeping = setTimeout(() => {
      this.#sweeping = undefined;
      const looked = this.#replica.sweep(this.#clock(), SWEEP_STEP);
      if (this.#replica.expires) this.#sweepIn(looked < SWEEP_STEP ? SWEEP_EVERY_MS : 1);
    }, delayMs).unref();
  }
}

const KNOWN = ['clock', 'partitions', 'requestRetentionMs'] as const;
const MOST_PARTITIONS = 1024;

function checked(options: MemoryStoreOptions): MemoryStoreOptions {
  const { clock, partitions, requestRetentionMs } = checkOptions(options, KNOWN);
  checkFunction(clock, 'clock');
  checkWhole(partitions, 'partitions', [1, MOST_PARTITIONS]);
  checkWhole(requestRetentionMs, 'requestRetentionMs', [1, Number.MAX_SAFE_INTEGER]);
  return options;
}

const closed = (): TallystickError => new TallystickError('CLOSED', 'the memory store is closed');

/**
 * A store in the memory of this process: nothing outlives it.
 *
 * @throws TallystickError `INVALID_CONFIG`, naming the option.
 * @example const tallystick = createTallystick({ store: memoryStore() })
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(options);
}
