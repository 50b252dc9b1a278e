/**
 * The totals of a Redis store, for a comparison: bucket by bucket, in steps of a bounded size, so that the server is
 * held up no longer than by a batch. What is added meanwhile may be in it or not.
 */
import { describe, TallystickError } from '../../errors.ts';
import { firstBuckets, hashOf, Keyspace } from './buckets.ts';
import type { RedisClient } from './client.ts';
import { decodeTotals } from './decode.ts';
import { Caller, scripts } from './script.ts';

/** Settings of {@link RedisTotals}: as of the stores whose totals they are. */
export interface RedisTotalsOptions {
  /** A connected client; it stays open. Of Sentinels, a Cluster or ioredis: by `fromSentinel`, … */
  readonly client: RedisClient;
  /** Number of partitions. Default 16. */
  readonly partitions?: number;
  /** What all keys begin with. Default `tally`. */
  readonly prefix?: string;
  /** How long a reply is waited for, in milliseconds. Default 5,000. */
  readonly commandTimeoutMs?: number;
}

/** Some totals of a partition. */
export interface RedisTotalsPage {
  /** Keys of counters that do not expire, and their values. */
  readonly totals: readonly (readonly [key: string, value: number])[];
  /** The first bucket that was not read; as many as there are buckets at the end. */
  readonly next: number;
}

/** Buckets of one call at most: each is a key of the script. */
const BUCKETS_A_CALL = 64;
/** From so many totals on a call reads no further bucket: about a millisecond. */
const TOTALS_A_CALL = 1000;

/** Reads totals, of counters that do not expire. Every method throws `STORE_UNAVAILABLE` when Redis does not answer. */
export class RedisTotals {
  readonly partitions: number;
  readonly #caller: Caller;
  readonly #spaces: readonly Keyspace[];

  constructor({ client, partitions = 16, prefix = 'tally', commandTimeoutMs = 5000 }: RedisTotalsOptions) {
    if (typeof client !== 'object' || !('sendCommand' in client)) throw invalid('client', 'a client of node-redis', client);
    if (!Number.isSafeInteger(partitions) || partitions < 1) throw invalid('partitions', 'the number of partitions of the store', partitions);
    this.partitions = partitions;
    this.#caller = new Caller(client, commandTimeoutMs);
    this.#spaces = Array.from({ length: partitions }, (_, partition) => new Keyspace(prefix, partition, firstBuckets(partitions)));
  }

  /** How many buckets a partition has; what was read of it last tells. */
  buckets(partition: number): number {
    return this.#spaces[partition]!.buckets;
  }

  /** In which bucket of its partition a key is. */
  bucketOf(partition: number, key: string): number {
    const { buckets } = this.#spaces[partition]!;
    return hashOf(key) & (buckets - 1);
  }

  /** Totals of a partition from bucket `from` on: of a few dozen buckets, or fewer where they are full. */
  async read(partition: number, from: number): Promise<RedisTotalsPage> {
    const space = this.#spaces[partition]!;
    const { buckets } = space;
    const keys = [space.meta, space.slots];
    for (let bucket = from; bucket < Math.min(from + BUCKETS_A_CALL, buckets); bucket++) keys.push(space.bucket(bucket));
    const reply = await this.#caller.call(scripts.totals, { keys, args: [String(buckets), String(TOTALS_A_CALL)] });
    if (Buffer.isBuffer(reply)) {
      const { read, totals } = decodeTotals(reply);
      return { totals, next: from + read };
    }
    space.buckets = (reply as [number, number])[1];
    return this.read(partition, Math.min(from, space.buckets));
  }
}

const invalid = (field: string, expected: string, got: unknown): TallystickError =>
  new TallystickError('INVALID_CONFIG', `${field}: expected ${expected}, got ${describe(got)}`, { field });
