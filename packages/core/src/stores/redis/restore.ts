/**
 * Restores a partition of a Redis store whose data are gone, from what a ledger has: totals, and the last seq of each source.
 * Until it is opened a store that `awaitsRestore` answers nothing from it; then sources send again what the ledger had not.
 *
 * One restorer at a time: who begins takes away what another has loaded, and that one's next step is refused.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { describe, TallystickError } from '../../errors.ts';
import { firstBuckets, Keyspace } from './buckets.ts';
import type { RedisClient } from './client.ts';
import { Caller, scripts } from './script.ts';

/** Settings of {@link RedisRestore}: as of the stores that are restored. */
export interface RedisRestoreOptions {
  /** A connected client; it stays open. Of Sentinels, a Cluster or ioredis: by `fromSentinel`, … */
  readonly client: RedisClient;
  /** Number of partitions. Default 16. */
  readonly partitions?: number;
  /** What all keys begin with. Default `tally`. */
  readonly prefix?: string;
  /** How long a reply is waited for, in milliseconds. Default 5,000. */
  readonly commandTimeoutMs?: number;
}

const MAX_SLOT = 2 ** 31 - 1;
/** Counters, or sources, that one call loads, about: a millisecond. */
const WORTH_SENDING = 1000;
/** Calls on their way at the same time. */
const CALLS = 4;
/** Epochs of a server before are times in ms, so that one of these is none of them. */
const EPOCHS = 2 ** 47;

/** Begins to restore partitions. Every method throws `STORE_UNAVAILABLE` when the outcome is unknown. */
export class RedisRestore {
  readonly partitions: number;
  readonly #caller: Caller;
  readonly #prefix: string;

  constructor({ client, partitions = 16, prefix = 'tally', commandTimeoutMs = 5000 }: RedisRestoreOptions) {
    if (typeof client !== 'object' || !('sendCommand' in client)) throw invalid('client', 'a client of node-redis', client);
    if (!Number.isSafeInteger(partitions) || partitions < 1) throw invalid('partitions', 'the number of partitions of the store', partitions);
    this.partitions = partitions;
    this.#prefix = prefix;
    this.#caller = new Caller(client, commandTimeoutMs);
  }

  /** Begins with a partition; undefined when it has data. What another has loaded of it is taken away. */
  async begin(partition: number): Promise<RedisRestoring | undefined> {
    const space = new Keyspace(this.#prefix, partition, firstBuckets(this.partitions));
    const token = randomUUID();
    const buckets = Array.from({ length: space.buckets }, (_, bucket) => space.bucket(bucket));
    const nowMs = await this.#caller.call(scripts.restore, { keys: [...headOf(space), ...buckets], args: [token, 'begin'] });
    return nowMs === 0 ? undefined : new RedisRestoring(this.#caller, space, { token, nowMs: nowMs as number, partitions: this.partitions });
  }
}

const headOf = (space: Keyspace): string[] => [space.meta, space.expiries, space.youngSources, space.oldSources, space.slots, space.freeSlots];

interface Begun {
  readonly token: string;
  readonly nowMs: number;
  readonly partitions: number;
}

/** A hash that is written to: its key, and fields and values in turn. */
type Hash = readonly [key: string, fields: string[]];

/** A partition that is being restored. Every step returns false when another has begun to restore it: all is left to that one. */
export class RedisRestoring {
  /** The server's time when it was begun, in milliseconds since 1970. */
  readonly nowMs: number;
  readonly #caller: Caller;
  readonly #space: Keyspace;
  readonly #token: string;
  readonly #partitions: number;
  #slots = 0;

  /** @internal */
  constructor(caller: Caller, space: Keyspace, { token, nowMs, partitions }: Begun) {
    this.#caller = caller;
    this.#space = space;
    this.#token = token;
    this.#partitions = partitions;
    this.nowMs = nowMs;
  }

  /** Loads totals, each key once. */
  load(totals: readonly (readonly [key: string, value: number])[]): Promise<boolean> {
    const first = this.#slots;
    const slots = Buffer.allocUnsafe(4 * totals.length);
    const buckets = new Map<number, string[]>();
    for (const [key, value] of totals) {
      const bucket = this.#space.bucketOf(key);
      let fields = buckets.get(bucket);
      if (fields === undefined) buckets.set(bucket, (fields = []));
      fields.push(key, this.#place(value, slots, first));
    }
    const hashes = Array.from(buckets, ([bucket, fields]): Hash => [this.#space.bucket(bucket), fields]);
    return this.#write(hashes, 4 * first, slots.subarray(0, 4 * (this.#slots - first)));
  }

  /** Loads the last seq of sources, each once. */
  loadSources(progress: ReadonlyMap<string, number>): Promise<boolean> {
    const fields = Array.from(progress, ([source, seq]) => [`l${source}`, String(seq)]);
    const hashes: Hash[] = [];
    for (let from = 0; from < fields.length; from += WORTH_SENDING) hashes.push([this.#space.youngSources, fields.slice(from, from + WORTH_SENDING).flat()]);
    return this.#write(hashes, 0, NOTHING);
  }

  /** Opens the partition. Its clock shows `notBeforeMs` or later. */
  open(notBeforeMs: number): Promise<boolean> {
    const epoch = this.nowMs + randomInt(EPOCHS);
    return this.#step([], ['open', ...[this.#partitions, this.#space.buckets, this.#slots, epoch, notBeforeMs].map(String)]);
  }

  /** What a bucket says of a counter: its slot, or its value where it has outgrown one. */
  #place(value: number, slots: Buffer, first: number): string {
    if (value > MAX_SLOT || value < -MAX_SLOT) return `${value}:`;
    slots.writeInt32BE(value, 4 * (this.#slots - first));
    return String(this.#slots++);
  }

  async #write(hashes: readonly Hash[], firstByte: number, slots: Buffer): Promise<boolean> {
    let calls: Promise<boolean>[] = [];
    let offset = slots.length > 0 ? String(firstByte) : '';
    let bytes: Buffer | string = slots;
    for (let from = 0; from < hashes.length;) {
      const keys: string[] = [];
      const args: (string | Buffer)[] = ['load', offset, bytes];
      while (from < hashes.length && args.length < 2 * WORTH_SENDING) {
        const [key, fields] = hashes[from++]!;
        keys.push(key);
        args.push(String(fields.length), ...fields);
      }
      calls.push(this.#step(keys, args));
      [offset, bytes] = ['', ''];
      if (calls.length < CALLS) continue;
      if ((await Promise.all(calls)).includes(false)) return false;
      calls = [];
    }
    return !(await Promise.all(calls)).includes(false);
  }

  async #step(keys: readonly string[], args: readonly (string | Buffer)[]): Promise<boolean> {
    return (await this.#caller.call(scripts.restore, { keys: [...headOf(this.#space), ...keys], args: [this.#token, ...args] })) === 1;
  }
}

const NOTHING = Buffer.alloc(0);

const invalid = (field: string, expected: string, got: unknown): TallystickError =>
  new TallystickError('INVALID_CONFIG', `${field}: expected ${expected}, got ${describe(got)}`, { field });
