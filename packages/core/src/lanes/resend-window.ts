/**
 * Answered batches that a lane can still send again, for a store that may lose its newest ones in a
 * failover. Bounded by time and by operations; what falls out can no longer be re-sent, and is counted as
 * lost if a store ever asks for it. Only effects are sent again; they are computed when they are needed.
 */
import type { Answer } from '../model/answer.ts';
import { effectsOf, type Batch } from '../model/batch.ts';

/** Bounds of a resend window. */
export interface ResendBounds {
  /** Default 10 minutes. Far less than the time after which a replica forgets a source. */
  readonly forMs: number;
  /** Operations kept. Default 1,000,000. */
  readonly operations: number;
}

export const RESEND_BOUNDS: ResendBounds = { forMs: 600_000, operations: 1_000_000 };

interface Held {
  readonly batch: Batch;
  /** Undefined for a batch that holds effects already. */
  readonly answer: Answer | undefined;
  readonly atMs: number;
}

export class ResendWindow {
  readonly #bounds: ResendBounds;
  #held: Held[] = [];
  #head = 0;
  #operations = 0;

  constructor(bounds: ResendBounds) {
    this.#bounds = bounds;
  }

  /** Keeps a batch that was answered at `atMs`. Batches come in the order of their seq. */
  keep(batch: Batch, answer: Answer | undefined, atMs: number): void {
    this.#held.push({ batch, answer, atMs });
    this.#operations += batch.operations.length;
    this.#trim(atMs);
  }

  /** The effects of all batches after `seq` that are still held, in order. */
  after(seq: number, nowMs: number): Batch[] {
    this.#trim(nowMs);
    const wanted = this.#held.slice(this.#head).filter(({ batch }) => batch.seq > seq);
    return wanted.map(({ batch, answer }) => (answer === undefined ? batch : effectsOf(batch, answer)));
  }

  /** The effects of the newest batch that is still held. */
  newest(nowMs: number): Batch | undefined {
    this.#trim(nowMs);
    const held = this.#held.at(-1);
    if (held === undefined || this.#head === this.#held.length) return undefined;
    return held.answer === undefined ? held.batch : effectsOf(held.batch, held.answer);
  }

  clear(): void {
    this.#held = [];
    this.#head = 0;
    this.#operations = 0;
  }

  #trim(nowMs: number): void {
    const { forMs, operations } = this.#bounds;
    while (this.#head < this.#held.length) {
      const { batch, atMs } = this.#held[this.#head] as Held;
      if (atMs > nowMs - forMs && this.#operations <= operations) break;
      this.#operations -= batch.operations.length;
      this.#head++;
    }
    if (this.#head * 2 < this.#held.length) return;
    this.#held = this.#held.slice(this.#head);
    this.#head = 0;
  }
}
