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
  /** Whether the caller is never refused once it has joined: when the time is up it is `accepted`, sent or not. */
  readonly isKept: boolean;
}

/** The deadlines of one call: the clock is read once for all items that may wait equally long. */
export class Deadlines {
  readonly #nowMs: () => number;
  #last: Deadline | undefined;

  constructor({ nowMs }: Environment) {
    this.#nowMs = nowMs;
  }

  /**
   * The end of `timeoutMs` from now; undefined for a caller who waits as long as it takes, outage or not. Who is kept is
   * not refused in an outage either.
   */
  of(timeoutMs = Infinity, onOutage: CounterOnOutage = 'queue', isKept = false): Deadline | undefined {
    const policy = isKept && onOutage === 'reject' ? 'queue' : onOutage;
    if (timeoutMs === Infinity && policy === 'queue') return undefined;
    const last = this.#last;
    if (last?.timeoutMs === timeoutMs && last.onOutage === policy && last.isKept === isKept) return last;
    return (this.#last = { timeoutMs, atMs: this.#nowMs() + timeoutMs, onOutage: policy, isKept });
  }
}
