/**
 * A binary heap of keys: `push` costs a few comparisons and `pop` gives the least. Keys come in one by one
 * as counters change and go out in order, so that rows are written page after page, and sorting never
 * happens at once.
 */
export class KeyHeap {
  readonly #keys: string[] = [];

  get size(): number {
    return this.#keys.length;
  }

  push(key: string): void {
    const keys = this.#keys;
    let place = keys.length;
    keys.push(key);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (keys[parent]! <= key) break;
      keys[place] = keys[parent]!;
      place = parent;
    }
    keys[place] = key;
  }

  pop(): string | undefined {
    const keys = this.#keys;
    const least = keys[0];
    const last = keys.pop();
    if (last !== undefined && keys.length > 0) this.#sink(last);
    return least;
  }

  /** Puts `key` in at the root, which is free. */
  #sink(key: string): void {
    const keys = this.#keys;
    let place = 0;
    for (let child = 1; child < keys.length; child = place * 2 + 1) {
      if (child + 1 < keys.length && keys[child + 1]! < keys[child]!) child++;
      if (key <= keys[child]!) break;
      keys[place] = keys[child]!;
      place = child;
    }
    keys[place] = key;
  }
}
