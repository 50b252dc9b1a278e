/**
 * The outbox of a Redis store, as a relay sees it: records are read from its head, and removed when they were
 * delivered. No position is kept anywhere, so a relay that starts, or a server that fell back, needs no repair.
 */
import { describe, TallystickError } from '../../errors.ts';
import { leaseKey, metaKey, outboxKey, relaysKey } from './buckets.ts';
import type { RedisClient } from './client.ts';
import { Caller, scripts } from './script.ts';

/** Settings of {@link RedisOutbox}: as of the stores whose outbox it is. */
export interface RedisOutboxOptions {
  /** A connected client; it stays open. Of Sentinels, a Cluster or ioredis: by `fromSentinel`, … */
  readonly client: RedisClient;
  /** Number of partitions. Default 16. */
  readonly partitions?: number;
  /** What all keys begin with. Default `tally`. */
  readonly prefix?: string;
  /** How long a reply is waited for, in milliseconds. Default 5,000. */
  readonly commandTimeoutMs?: number;
}

/** The oldest records of a partition's outbox. */
export interface RedisOutboxPage {
  /** Records the outbox holds in all. */
  readonly length: number;
  /** Age of the first in milliseconds; 0 where there is none. */
  readonly oldestAgeMs: number;
  /** The first records, in their order. */
  readonly records: readonly Uint8Array[];
  /** Id of the last of `records`; empty where there is none. */
  readonly lastId: string;
  /** Whether the partition has data; if not, the server is new, or has lost them. */
  readonly hasData: boolean;
}

/** What a page may hold. */
export interface RedisOutboxLimits {
  readonly records: number;
  /** Reached, and passed by a few records at most. */
  readonly bytes: number;
}

/** Reads and empties the outbox of a Redis store. Every method throws `STORE_UNAVAILABLE` when the outcome is unknown. */
export class RedisOutbox {
  readonly partitions: number;
  readonly #caller: Caller;
  readonly #prefix: string;

  constructor({ client, partitions = 16, prefix = 'tally', commandTimeoutMs = 5000 }: RedisOutboxOptions) {
    if (typeof client !== 'object' || !('sendCommand' in client)) throw invalid('client', 'a client of node-redis', client);
    if (!Number.isSafeInteger(partitions) || partitions < 1) throw invalid('partitions', 'the number of partitions of the store', partitions);
    this.partitions = partitions;
    this.#prefix = prefix;
    this.#caller = new Caller(client, commandTimeoutMs);
  }

  /** The oldest records of a partition. */
  async read(partition: number, limits: RedisOutboxLimits): Promise<RedisOutboxPage> {
    const call = { keys: [outboxKey(this.#prefix, partition), metaKey(this.#prefix, partition)], args: [String(limits.records), String(limits.bytes)] };
    const [length, ageMs, hasData, ...flat] = (await this.#caller.call(scripts.page, call)) as [number, number, number, ...Buffer[]];
    const records = flat.filter((_, i) => i % 2 === 1);
    return { length, oldestAgeMs: Math.max(0, ageMs), records, lastId: String(flat.at(-2) ?? ''), hasData: hasData === 1 };
  }

  /** Removes the records of a page; nothing, and returns false, when its last one is not there any more. */
  async trim(partition: number, { lastId, records }: RedisOutboxPage): Promise<boolean> {
    const last = records.at(-1);
    if (last === undefined) return false;
    const call = { keys: [outboxKey(this.#prefix, partition)], args: [lastId, Buffer.from(last)] };
    return (await this.#caller.call(scripts.trim, call)) === 1;
  }

  /** Takes or keeps the lease of a partition for `ttlMs`, or gives it up with 0; returns whether `token` has it now. */
  async lease(partition: number, token: string, ttlMs: number): Promise<boolean> {
    const call = { keys: [leaseKey(this.#prefix, partition)], args: [token, String(ttlMs)] };
    return (await this.#caller.call(scripts.lease, call)) === 1;
  }

  /** Writes down that relay `name` is alive for `ttlMs`, or leaves with 0; returns who is alive. */
  async relays(name: string, ttlMs: number): Promise<readonly string[]> {
    const call = { keys: [relaysKey(this.#prefix)], args: [name, String(ttlMs)] };
    return ((await this.#caller.call(scripts.relays, call)) as Buffer[]).map(String);
  }
}

const invalid = (field: string, expected: string, got: unknown): TallystickError =>
  new TallystickError('INVALID_CONFIG', `${field}: expected ${expected}, got ${describe(got)}`, { field });
