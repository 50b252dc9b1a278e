/** When callers stop waiting. */
import type { Environment } from './environment.ts';

export interface Deadline {
  readonly timeoutMs: number;
  /** By the environment's clock. */
  readonly atMs: number;
}

/** The deadlines of one call: the clock is read once for all items that may wait equally long. */
export class Deadlines {
  readonly #nowMs: () => number;
  #last: Deadline | undefined;

  constructor({ nowMs }: Environment) {
    this.#nowMs = nowMs;
  }

  /** The end of `timeoutMs` from now; undefined for a caller who waits as long as it takes. */
  of(timeoutMs: number | undefined): Deadline | undefined {
    if (timeoutMs === undefined) return undefined;
    if (this.#last?.timeoutMs !== timeoutMs) this.#last = { timeoutMs, atMs: this.#nowMs() + timeoutMs };
    return this.#last;
  }
}
