/**
 * Key → slot number. A JavaScript `Map` throws at 2^24 entries, so the index goes on in a further one when
 * the last is full.
 */
const FULL = 15_000_000;

export class KeyIndex {
  readonly #full: number;
  /** Where the next key goes. */
  #last = new Map<string, number>();
  readonly #maps = [this.#last];

  constructor(full = FULL) {
    this.#full = full;
  }

  get size(): number {
    let size = 0;
    for (const map of this.#maps) size += map.size;
    return size;
  }

  get(key: string): number | undefined {
    const slot = this.#last.get(key);
    return slot === undefined && this.#maps.length > 1 ? this.#older(key)?.get(key) : slot;
  }

  /** Adds a key that is not there yet. */
  add(key: string, slot: number): void {
    if (this.#last.size >= this.#full) {
      this.#last = this.#maps.find((map) => map.size < this.#full / 2) ?? new Map<string, number>();
      if (!this.#maps.includes(this.#last)) this.#maps.push(this.#last);
    }
    this.#last.set(key, slot);
  }

  delete(key: string): void {
    if (!this.#last.delete(key)) this.#older(key)?.delete(key);
  }

  *keys(): IterableIterator<string> {
    for (const map of this.#maps) yield* map.keys();
  }

  #older(key: string): Map<string, number> | undefined {
    return this.#maps.find((map) => map.has(key));
  }
}
