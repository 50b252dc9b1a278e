/**
 * Drops expired counters of one partition. Fields of a hash do not expire by themselves, so the stores that
 * use a partition sweep it when it is due, in steps between which the server serves others. Two that sweep
 * at the same time do no harm.
 */
import type { Keyspace } from './buckets.ts';
import { scripts, type Caller } from './script.ts';

/** Buckets of one step: a few hundred counters, well under a millisecond. */
const STEP = 16;
/** The least time between steps, so that a mass expiry leaves the server to others. */
const PAUSE_MS = 5;
/** Looked at again after a fault. */
const RETRY_MS = 1000;
const LONGEST_MS = 3_600_000;

export class Sweeper {
  readonly #caller: Caller;
  readonly #space: Keyspace;
  readonly #rawMs: () => string;
  #timer: NodeJS.Timeout | undefined;
  #dueAtMs = Infinity;
  #closed = false;

  /** @param rawMs What the scripts are told of the clock. */
  constructor(caller: Caller, space: Keyspace, rawMs: () => string) {
    this.#caller = caller;
    this.#space = space;
    this.#rawMs = rawMs;
  }

  /** Sees to it that the partition is swept in `delayMs` or before. Keeps no process alive. */
  due(delayMs: number): void {
    const wait = Math.min(Math.max(delayMs, PAUSE_MS), LONGEST_MS);
    const atMs = performance.now() + wait;
    if (this.#closed || atMs >= this.#dueAtMs) return;
    clearTimeout(this.#timer);
    this.#dueAtMs = atMs;
    this.#timer = setTimeout(() => void this.#sweep(), wait).unref();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #sweep(): Promise<void> {
    this.#dueAtMs = Infinity;
    const nextMs = await this.#step().catch(() => RETRY_MS);
    if (nextMs >= 0) this.due(nextMs);
  }

  /** Sweeps the buckets that are due first; returns in how many ms the next is due, or −1. */
  async #step(): Promise<number> {
    const { expiries } = this.#space;
    const first = (await this.#caller.send(['ZRANGE', expiries, '0', String(STEP - 1)], expiries)) as Buffer[];
    const numbers = first.map(String);
    const keys = [this.#space.meta, expiries, ...numbers.map((number) => this.#space.bucket(Number(number)))];
    return (await this.#caller.call(scripts.sweep, { keys, args: [this.#rawMs(), ...numbers] })) as number;
  }
}
