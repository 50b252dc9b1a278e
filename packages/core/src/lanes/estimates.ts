/** The last exact values seen of keys whose callers have deadlines: what `accepted` answers are based on. */
import type { Answer } from '../model/answer.ts';
import type { Operation } from '../model/operation.ts';

const MOST_KEYS = 10_000;

export class Estimates {
  readonly #values = new Map<string, number>();

  /** Remembers values of `key` from now on, until newer keys push it out. */
  watch(key: string): void {
    if (this.#values.has(key)) return;
    if (this.#values.size >= MOST_KEYS) this.#values.delete(this.#values.keys().next().value as string);
    this.#values.set(key, 0);
  }

  learn(operations: readonly Operation[], { values }: Answer): void {
    if (this.#values.size === 0) return;
    for (let i = 0; i < operations.length; i++) {
      const { key } = operations[i] as Operation;
      if (this.#values.has(key)) this.#values.set(key, values[i] as number);
    }
  }

  /** 0 for a key that was never watched or seen. */
  of(key: string): number {
    return this.#values.get(key) ?? 0;
  }
}
