/**
 * Which slots the counters of one partition have, as one source has learned it: an add to a slot that is known
 * is two short strings, and no key has to be looked up for it.
 *
 * Invariant: what is known here was true when a batch of `source` was applied. A slot changes hands only with
 * the epoch, which goes along with each batch that names slots. And a replica that lost the assignment of a
 * slot lost that later batch of the source, too: it says that it is behind, and all is forgotten here. So a
 * slot is never named to a replica where it may be another counter's.
 */

/** How many slots are remembered, in two generations: what was not used in one is gone after the next. */
const GENERATION = 32_768;

export class Slots {
  #source = '';
  #epoch = 0;
  #young = new Map<string, string>();
  #old = new Map<string, string>();

  /** The epoch in which what is known is true. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Whether anything that is known may be named in a batch of `source`. */
  serves(source: string): boolean {
    return source === this.#source;
  }

  /** The slot of a counter, as BITFIELD takes it; undefined when it is not known. */
  get(key: string): string | undefined {
    const slot = this.#young.get(key);
    if (slot !== undefined) return slot;
    const old = this.#old.get(key);
    if (old !== undefined) this.#put(key, old);
    return old;
  }

  /** Learns slots from the answer to a batch of `source`; a negative one is none. */
  learn(source: string, epoch: number, keys: readonly string[], slots: readonly number[]): void {
    if (source !== this.#source || epoch !== this.#epoch) this.forget();
    this.#source = source;
    this.#epoch = epoch;
    for (let i = 0; i < slots.length; i++) {
      if (slots[i]! >= 0) this.#put(keys[i]!, `#${slots[i]!}`);
    }
  }

  forget(): void {
    this.#source = '';
    this.#young = new Map();
    this.#old = new Map();
  }

  #put(key: string, slot: string): void {
    if (this.#young.size >= GENERATION) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, slot);
  }
}
