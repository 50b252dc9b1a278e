/**
 * The store on Redis: many processes share it.
 *
 * - A partition is a hash tag; all that a batch changes is in its slot, and is changed by one script: see
 *   `scripts/apply.lua`, which is the replica of `replica/` in Lua.
 * - Plain counts are packed into buckets and slots (`buckets.ts`); windows, sets, sketches and request ids have keys of
 *   their own, which Redis drops some time after the partition's clock says that they are over.
 * - The script's errors, the client's and a reply that does not come are the same to a lane: it sends the
 *   batch again under its identity. The client must not do so by itself, and need not.
 *
 * What was not done: replies are not decoded as they stream in, and a batch is not split, so a batch is at
 * most as long as a script may run (8,192 operations: 10 ms).
 */
import { describe, TallystickError } from '../../errors.ts';
import { checkDurationMs } from '../../model/amount.ts';
import { checkFunction } from '../../model/check.ts';
import type { Reading, Reply } from '../../model/answer.ts';
import type { Batch } from '../../model/batch.ts';
import type { Clock } from '../../model/clock.ts';
import type { Query } from '../../model/operation.ts';
import { REQUEST_RETENTION_MS, type ReplicaOptions } from '../../replica/replica.ts';
import type { Store } from '../../store.ts';
import { firstBuckets, Keyspace } from './buckets.ts';
import type { RedisClient } from './client.ts';
import { decodeAnswer, decodeReadings } from './decode.ts';
import { BatchEncoder, encodeQueries, type BatchFrame, type RoundCall } from './encode.ts';
import { TakesEncoder } from './encode-takes.ts';
import { evictionPolicy } from './eviction.ts';
import { closed, notRestored, otherPartitions } from './faults.ts';
import { Round } from './round.ts';
import { Caller, scripts, type Script } from './script.ts';
import { Slots } from './slots.ts';
import { Sweeper } from './sweeper.ts';

/** Settings of {@link redisStore}. */
export interface RedisStoreOptions extends ReplicaOptions {
  /** A connected client; it stays open when the store is closed. Of Sentinels, a Cluster or ioredis: by `fromSentinel`, … */
  readonly client: RedisClient;
  /** Number of partitions, 1 to 1,024, fixed when the data is created. Default 16. */
  readonly partitions?: number;
  /** What all keys begin with: 1 to 64 letters, digits and `.:_-`. Default `tally`. */
  readonly prefix?: string;
  /** How long a reply is waited for, in milliseconds; the batch is then sent again. Default 5,000. */
  readonly commandTimeoutMs?: number;
  /**
   * Whether every batch leaves a record in its partition's outbox, a stream that a relay empties. Only with a relay:
   * nothing else does, and a server whose memory is full takes no more batches. Default false.
   */
  readonly outbox?: boolean;
  /**
   * Whether a partition without data is closed until it is restored from a ledger (`RedisRestore`), as are all of a new
   * server: it answers `STORE_UNAVAILABLE` then, and not as if nothing had been counted. Only with `outbox`. Default false.
   */
  readonly awaitsRestore?: boolean;
  /** Told of what an operator should know. Must not throw. Default: nobody. */
  readonly onEvent?: (event: RedisStoreEvent) => void;
}

/** What an operator should know of a server: by its `maxmemory-policy` it may drop counters when its memory is full. */
export interface RedisStoreEvent {
  readonly type: 'evicts';
  readonly policy: string;
}

/** Settings that only tests change. */
export interface RedisStoreTestOptions {
  /** Stands in for the server's clock. */
  readonly clock?: Clock;
}

const DEFAULTS = { partitions: 16, prefix: 'tally', commandTimeoutMs: 5000, outbox: false, awaitsRestore: false, onEvent: () => undefined };
const MOST_PARTITIONS = 1024;

/** What apply.lua and read.lua say instead of an answer; or that slots are no longer right. */
const OTHER_PARTITIONS = 1;
const OTHER_BUCKETS = 2;
const CLOSED = 5;

interface Partition {
  readonly space: Keyspace;
  readonly slots: Slots;
  readonly sweeper: Sweeper;
}

class RedisStore implements Store {
  readonly partitions: number;
  readonly mayLose = true;
  readonly isSpread = true;
  readonly #caller: Caller;
  readonly #parts: readonly Partition[];
  readonly #encoder = new BatchEncoder();
  readonly #takes = new TakesEncoder();
  readonly #round: Round;
  readonly #frame: Omit<BatchFrame, 'rawMs'>;
  readonly #rawMs: () => string;
  readonly #onEvent: (event: RedisStoreEvent) => void;
  readonly #pending = new Set<Promise<unknown>>();
  #closed = false;

  constructor(caller: Caller, options: Required<RedisStoreOptions>, { clock }: RedisStoreTestOptions) {
    this.partitions = options.partitions;
    this.#caller = caller;
    this.#onEvent = options.onEvent;
    this.#rawMs = clock === undefined ? () => '' : () => String(clock());
    this.#round = new Round(caller, this.#rawMs, options.client.isCluster !== true);
    this.#frame = { partitions: String(options.partitions), requestRetentionMs: options.requestRetentionMs, outbox: options.outbox, awaitsRestore: options.awaitsRestore };
    const buckets = firstBuckets(options.partitions);
    this.#parts = Array.from({ length: options.partitions }, (_, partition) => {
      const space = new Keyspace(options.prefix, partition, buckets);
      return { space, slots: new Slots(), sweeper: new Sweeper(caller, space, this.#rawMs) };
    });
  }

  /** Compares what the data is with what the store was told. */
  async open(): Promise<void> {
    const policy = evictionPolicy(this.#caller, this.#parts[0]!.space.meta);
    await Promise.all(this.#parts.map((part) => this.#openPartition(part)));
    await policy.then((evicts) => { if (evicts !== undefined) this.#onEvent({ type: 'evicts', policy: evicts }); });
  }

  apply(batch: Batch): Promise<Reply> {
    return this.#taken(() => this.#apply(batch));
  }

  read(partition: number, queries: readonly Query[]): Promise<readonly Reading[]> {
    return this.#taken(() => this.#read(partition, queries));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { sweeper } of this.#parts) sweeper.close();
    await Promise.allSettled(this.#pending);
  }

  #taken<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closed());
    const pending = work();
    this.#pending.add(pending);
    const settled = (): void => void this.#pending.delete(pending);
    pending.then(settled, settled);
    return pending;
  }

  async #openPartition({ space, sweeper }: Partition): Promise<void> {
    const args = [this.#rawMs(), String(this.partitions), String(space.buckets), this.#frame.awaitsRestore ? '1' : ''];
    const reply = await this.#caller.call(scripts.open, { keys: [space.meta, space.slots], args });
    const [partitions, buckets, dueMs] = reply as [number, number, number];
    if (partitions !== this.partitions) throw otherPartitions(this.partitions, partitions);
    if (buckets !== space.buckets) space.buckets = buckets;
    if (dueMs >= 0) sweeper.due(dueMs);
  }

  #apply(batch: Batch): Promise<Reply> {
    const part = this.#parts[batch.partition]!;
    // What comes again has its slots named anew.
    if (!part.slots.isFirst(batch)) return this.#applyAny(batch, part, true);
    const adds = this.#encoder.encodeAdds(batch, part, this.#frame.outbox);
    if (adds !== undefined) return this.#applyInRound(scripts.adds, adds, batch);
    const takes = this.#takes.encode(batch, part.space, this.#frame.outbox);
    return takes === undefined ? this.#applyAny(batch, part, false) : this.#applyInRound(scripts.takes, takes, batch);
  }

  #applyInRound(script: Script, call: RoundCall, batch: Batch): Promise<Reply> {
    return this.#round.send(script, call, batch.operations.length).then((reply) => {
      if (Buffer.isBuffer(reply)) return decodeAnswer(reply);
      const part = this.#parts[batch.partition]!;
      part.slots.forget();
      return typeof reply === 'number' ? { behind: reply } : this.#applyAny(batch, part, false);
    });
  }

  async #applyAny(batch: Batch, part: Partition, isAgain: boolean): Promise<Reply> {
    this.#round.flush();
    const call = this.#encoder.encode(batch, part, { ...this.#frame, rawMs: this.#rawMs(), isAgain });
    const reply = await this.#caller.call(scripts.apply, call);
    if (Buffer.isBuffer(reply)) return decodeAnswer(reply);
    if (typeof reply === 'number') {
      part.slots.forget();
      return { behind: reply };
    }
    const [answer, figure, epoch = 0, ...learned] = reply as [Buffer | number, number, number?, ...number[]];
    if (typeof answer === 'number') {
      this.#adopt(answer, figure, batch.partition);
      return this.#applyAny(batch, part, isAgain);
    }
    if (figure >= 0) part.sweeper.due(figure);
    if (learned.length > 0) part.slots.learn({ source: batch.source, epoch, edition: call.edition }, call.asked, learned);
    return decodeAnswer(answer);
  }

  async #read(partition: number, queries: readonly Query[]): Promise<readonly Reading[]> {
    const { space } = this.#parts[partition]!;
    const reply = await this.#caller.call(scripts.read, encodeQueries(queries, space, { ...this.#frame, rawMs: this.#rawMs() }));
    if (Buffer.isBuffer(reply)) return decodeReadings(reply);
    const [code, figure] = reply as [number, number];
    this.#adopt(code, figure, partition);
    return this.#read(partition, queries);
  }

  /** Goes by what the data is, where it is not as the store thought; nothing was done then. */
  #adopt(code: number, figure: number, partition: number): void {
    const { space, slots } = this.#parts[partition]!;
    if (code === OTHER_PARTITIONS) throw otherPartitions(this.partitions, figure);
    if (code === CLOSED) throw notRestored(partition);
    if (code === OTHER_BUCKETS) space.buckets = figure;
    else slots.forget();
  }
}

const KNOWN: ReadonlySet<string> = new Set(['client', 'partitions', 'prefix', 'commandTimeoutMs', 'requestRetentionMs', 'outbox', 'awaitsRestore', 'onEvent']);

function invalid(field: string, expected: string, got: unknown): TallystickError {
  return new TallystickError('INVALID_CONFIG', `${field}: expected ${expected}, got ${describe(got)}`, { field });
}

function checked(options: RedisStoreOptions): Required<RedisStoreOptions> {
  const unknown = Object.keys(options).find((field) => !KNOWN.has(field));
  if (unknown !== undefined) throw invalid(unknown, `one of ${[...KNOWN].join(', ')}`, 'an unknown option');
  const all = { ...DEFAULTS, requestRetentionMs: REQUEST_RETENTION_MS, ...options };
  const { client, partitions, prefix } = all as { client: unknown; partitions: number; prefix: unknown };
  if (typeof client !== 'object' || client === null || !('sendCommand' in client)) throw invalid('client', 'a client of node-redis', client);
  if (!('isReady' in client) || 'getMasterNode' in client) throw invalid('client', 'fromSentinel(client) or fromCluster(client)', client);
  if (!Number.isSafeInteger(partitions) || partitions < 1 || partitions > MOST_PARTITIONS) {
    throw invalid('partitions', `an integer from 1 to ${MOST_PARTITIONS}`, partitions);
  }
  if (typeof prefix !== 'string' || !/^[\w.:-]{1,64}$/.test(prefix)) throw invalid('prefix', '1 to 64 letters, digits and .:_-', prefix);
  if (typeof all.outbox !== 'boolean') throw invalid('outbox', 'true or false', all.outbox);
  if (typeof all.awaitsRestore !== 'boolean') throw invalid('awaitsRestore', 'true or false', all.awaitsRestore);
  if (all.awaitsRestore && !all.outbox) throw invalid('awaitsRestore', 'false without an outbox', true);
  checkDurationMs(all.requestRetentionMs, 'requestRetentionMs');
  checkDurationMs(all.commandTimeoutMs, 'commandTimeoutMs');
  checkFunction(all.onEvent, 'onEvent');
  return all;
}

/** As `redisStore`, with what only tests change. */
export async function openRedisStore(options: RedisStoreOptions, test: RedisStoreTestOptions = {}): Promise<Store> {
  const all = checked(options);
  const store = new RedisStore(new Caller(all.client, all.commandTimeoutMs), all, test);
  await store.open();
  return store;
}
