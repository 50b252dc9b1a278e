/**
 * Where counts are kept. A bucket is a hash of a few dozen fields, which Redis keeps as one packed piece of
 * memory: the key of a counter, and the number of its slot. The slots of a partition are one string of 32-bit
 * integers, to which one BITFIELD adds a whole batch (see `slots.ts`). A count
 * that expires, or that has outgrown its slot, is in its bucket itself.
 *
 * The hash is sdbm's (h × 65599 + byte) over UTF-8, modulo 2^32 (exact in Lua's doubles as well), its high bits
 * folded into the low ones. It is part of the data format, as is the number of buckets, a power of two, which
 * the partition remembers.
 */
import type { Terms } from '../../model/operation.ts';
import { cellId } from '../../replica/cell.ts';

export const HASH_MULTIPLIER = 65599;
/** The first code that UTF-8 writes in more than one byte. */
export const ASCII_END = 0x80;

/** The hash of a key, as 32 bits. */
export function hashOf(key: string): number {
  let hash = 0;
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    if (unit >= ASCII_END) return folded(hashBytes(Buffer.from(key)));
    hash = (Math.imul(hash, HASH_MULTIPLIER) + unit) | 0;
  }
  return folded(hash);
}

/** The hash before its high bits are folded in. */
export function hashBytes(bytes: Uint8Array): number {
  let hash = 0;
  for (const byte of bytes) hash = (Math.imul(hash, HASH_MULTIPLIER) + byte) | 0;
  return hash;
}

export const folded = (hash: number): number => hash ^ (hash >>> 15);

/** Buckets of all partitions together: a million counters are 61 to a bucket; from 512 on Redis packs no more. */
const BUCKETS = 16_384;
const FEWEST_BUCKETS = 64;

/** How many buckets a partition of new data gets. */
export const firstBuckets = (partitions: number): number => Math.max(FEWEST_BUCKETS, 2 ** Math.floor(Math.log2(BUCKETS / partitions)));

const NO_LIMITS: Terms = { kind: 'limits', action: 'take', rules: [], cost: 1 };

/** The name of what a partition is. */
export const metaKey = (prefix: string, partition: number): string => `{${prefix}:${partition}}m`;

/** The name of a partition's outbox. */
export const outboxKey = (prefix: string, partition: number): string => `{${prefix}:${partition}}o`;

/** The name of the lease of a partition's relay. */
export const leaseKey = (prefix: string, partition: number): string => `{${prefix}:${partition}}l`;

/** The name of the list of relays. */
export const relaysKey = (prefix: string): string => `{${prefix}}relays`;

/** The names of one partition's keys. */
export class Keyspace {
  readonly meta: string;
  /** Buckets by expiry. */
  readonly expiries: string;
  /** What is remembered of sources: of those that had a batch lately, and of the others. */
  readonly youngSources: string;
  readonly oldSources: string;
  readonly slots: string;
  /** Slots that are free again. */
  readonly freeSlots: string;
  /** What batches have changed, for the relay: a stream. */
  readonly outbox: string;
  readonly #tag: string;
  readonly #subjects: string;
  #buckets: number;
  /** Names made so far, by number. */
  #names: string[] = [];

  /** @param buckets How many buckets the partition has: a power of two. */
  constructor(prefix: string, partition: number, buckets: number) {
    this.#tag = `{${prefix}:${partition}}`;
    this.meta = metaKey(prefix, partition);
    this.expiries = `${this.#tag}x`;
    this.youngSources = `${this.#tag}s`;
    this.oldSources = `${this.#tag}z`;
    this.slots = `${this.#tag}v`;
    this.freeSlots = `${this.#tag}f`;
    this.outbox = outboxKey(prefix, partition);
    this.#subjects = this.cell(cellId({ key: '', terms: NO_LIMITS }));
    this.#buckets = buckets;
  }

  get buckets(): number {
    return this.#buckets;
  }

  set buckets(buckets: number) {
    this.#buckets = buckets;
    this.#names = [];
  }

  /** Number of the bucket of a key. */
  bucketOf(key: string): number {
    return this.bucketAt(hashOf(key));
  }

  /** Number of the bucket of a key with this hash. */
  bucketAt(hash: number): number {
    return hash & (this.#buckets - 1);
  }

  bucket(number: number): string {
    return (this.#names[number] ??= `${this.#tag}c${number}`);
  }

  /** The key of the cell of a subject of limits. */
  subject(key: string): string {
    return this.#subjects + key;
  }

  /** The key of a cell; `part` tells the keys of one cell apart. */
  cell(id: string, part = ''): string {
    return `${this.#tag}#${part}#${id}`;
  }
}
