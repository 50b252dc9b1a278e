/** How long callers wait. */
import type { CounterOnOutage } from '../model/counter-type.ts';
import type { Environment } from './environment.ts';

export interface Deadline {
  /** Infinity for a caller who waits as long as it takes. */
  readonly timeoutMs: number;
  /** By the environment's clock. */
  readonly atMs: number;
  /** What is done for the caller when the store is away. */
  readonly onOutage: CounterOnOutage;
}

/** The deadlines of one call: the clock is read once for all items that may wait equally long. */
export class Deadlines {
  readonly #nowMs: () => number;
  #last: Deadline | undefined;

  constructor({ nowMs }: Environment) {
    this.#nowMs = nowMs;
  }

  /** The end of `timeoutMs` from now; undefined for a caller who waits as long as it takes, outage or not. */
  of(timeoutMs = Infinity, onOutage: CounterOnOutage = 'queue'): Deadline | undefined {
    if (timeoutMs === Infinity && onOutage === 'queue') return undefined;
    if (this.#last?.timeoutMs !== timeoutMs || this.#last.onOutage !== onOutage) {
      this.#last = { timeoutMs, atMs: this.#nowMs() + timeoutMs, onOutage };
    }
    return this.#last;
  }
}
