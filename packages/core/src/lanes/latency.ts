/** How long the store takes: batches by the time from their sealing to their answer, whatever was sent again between. */

/** Upper edges, in milliseconds, of the classes of {@link LatencyStats.batches}. */
export const LATENCY_EDGES_MS: readonly number[] = Object.freeze([0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]);

/** Running totals since the start. */
export interface LatencyStats {
  /** Batches answered, by the first of {@link LATENCY_EDGES_MS} that they took no longer than; the last: those that took longer. */
  readonly batches: readonly number[];
  /** How long all of them took together, in milliseconds. */
  readonly sumMs: number;
}

export class Latency {
  readonly #batches = new Array<number>(LATENCY_EDGES_MS.length + 1).fill(0);
  #sumMs = 0;

  observe(ms: number): void {
    let edge = 0;
    while (edge < LATENCY_EDGES_MS.length && ms > LATENCY_EDGES_MS[edge]!) edge++;
    this.#batches[edge]!++;
    this.#sumMs += ms;
  }

  get stats(): LatencyStats {
    return { batches: [...this.#batches], sumMs: this.#sumMs };
  }
}
