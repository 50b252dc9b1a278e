/**
 * The last exact values seen: what `accepted` answers are based on. Answers are kept as they came, and looked
 * into only when a deadline passes, which is the exception.
 */
import type { Answer } from '../model/answer.ts';
import type { Operation } from '../model/operation.ts';

/** Operations whose values are remembered, about. */
const MOST = 10_000;

interface Seen {
  readonly operations: readonly Operation[];
  readonly values: readonly number[];
}

export class Estimates {
  /** Oldest first. */
  #seen: Seen[] = [];
  #size = 0;
  /** All of it by key, made when it is first asked for. */
  #byKey: Map<string, number> | undefined;
  /** Whether anybody may ask: set when the first caller has a deadline. */
  isWanted = false;

  learn(operations: readonly Operation[], { values }: Answer): void {
    if (!this.isWanted) return;
    this.#byKey = undefined;
    this.#seen.push({ operations, values });
    this.#size += operations.length;
    while (this.#size > MOST && this.#seen.length > 1) this.#size -= (this.#seen.shift() as Seen).operations.length;
  }

  /** 0 for a key that was not seen lately. */
  of(key: string): number {
    this.#byKey ??= byKey(this.#seen);
    return this.#byKey.get(key) ?? 0;
  }
}

function byKey(seen: readonly Seen[]): Map<string, number> {
  const map = new Map<string, number>();
  for (const { operations, values } of seen) {
    for (let i = 0; i < operations.length; i++) map.set((operations[i] as Operation).key, values[i] as number);
  }
  return map;
}
