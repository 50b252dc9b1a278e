/**
 * Which slots the counters of one partition have, as one source has learned it: an add to a slot that is known
 * is two short strings, and no key has to be looked up for it.
 *
 * Invariant: a slot is never named to a replica where it may be another counter's.
 * - A slot changes hands only with the epoch, which goes along with each batch that names slots.
 * - A replica that lost the assignment of a slot lost that batch of the source, too, and has to be sent it again.
 *   A batch that is sent again goes in an edition of its own, and names no slots. The replica that applies it keeps
 *   that edition, and takes no slots of an older one: not of batches that follow, nor of calls that come late.
 */

import type { Batch } from '../../model/batch.ts';

/** How many slots are remembered, in two generations: what was not used in one is gone after the next. */
const GENERATION = 32_768;

/** Sources whose place is known: those that send through one store at the same time. */
const SOURCES = 16;

/** What slots are learned from: the answer to a call. */
interface Lesson {
  readonly source: string;
  readonly epoch: number;
  readonly edition: number;
}

export class Slots {
  #source = '';
  #epoch = 0;
  #edition = 0;
  #newestEdition = 0;
  /** The last batch that was sent, by source. */
  readonly #sent = new Map<string, number>();
  #young = new Map<string, string>();
  #old = new Map<string, string>();

  /** The epoch in which what is known is true. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The edition of what is known. */
  get edition(): number {
    return this.#edition;
  }

  /** An edition for a batch that is sent again. */
  newEdition(): number {
    return ++this.#newestEdition;
  }

  /** Notes that a batch is sent, and says whether that is for the first time. */
  isFirst({ source, seq }: Pick<Batch, 'source' | 'seq'>): boolean {
    const last = this.#sent.get(source) ?? 0;
    if (seq <= last) return false;
    this.#sent.delete(source);
    this.#sent.set(source, seq);
    if (this.#sent.size > SOURCES) this.#sent.delete(this.#sent.keys().next().value as string);
    return seq === last + 1;
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

  /** Learns slots from an answer; a negative one is none. What an older edition says is heard no more. */
  learn({ source, epoch, edition }: Lesson, keys: readonly string[], slots: readonly number[]): void {
    if (edition !== this.#edition) return;
    if (source !== this.#source || epoch !== this.#epoch) this.#clear();
    this.#source = source;
    this.#epoch = epoch;
    for (let i = 0; i < slots.length; i++) {
      if (slots[i]! >= 0) this.#put(keys[i]!, `#${slots[i]!}`);
    }
  }

  /** Begins a new edition, in which nothing is known yet. */
  forget(): void {
    this.#clear();
    this.#edition = this.newEdition();
  }

  #clear(): void {
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
