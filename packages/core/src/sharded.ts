/**
 * `sharded` counters on a spread store: one key, a part of the total in each partition it was added to.
 *
 * - An add goes to one of the first `shards` partitions of a rotation that begins at the key's own. A process
 *   keeps to one of them, so that its adds combine; which one is chance, so that processes spread.
 * - An add with a request id goes where the id says, out of all partitions: its repetition finds its first answer
 *   from whatever process it comes, and whatever number of shards that one goes by.
 * - A read is the sum over *all* partitions, whatever the number of shards is or was. So there is no list of
 *   shards to keep, and changing their number cannot lose an add.
 *
 * What was not done: an add does not read the other parts. What it answers is an estimate, out of what was last
 * seen of them.
 */
import { TallystickError } from './errors.ts';
import type { Reject, Resolve } from './lanes/callers.ts';
import type { Deadline } from './lanes/deadline.ts';
import type { Environment } from './lanes/environment.ts';
import type { Lane } from './lanes/lane.ts';
import type { Reads } from './lanes/reads.ts';
import type { AddResult } from './model/add-result.ts';
import { inRange, MAX_VALUE } from './model/amount.ts';
import type { Reading } from './model/answer.ts';
import type { Operation } from './model/operation.ts';
import { partitionOf } from './model/partition.ts';

/** What sharded counters work with; lanes and reads by partition. */
export interface ShardedParts {
  readonly lanes: readonly Lane[];
  readonly reads: readonly Reads[];
  readonly environment: Environment;
}

/** An add that waits for its answer. */
export interface ShardedAdd {
  readonly op: Operation;
  /** Over how many partitions the adds of the counter are spread. */
  readonly shards: number;
  readonly deadline: Deadline | undefined;
}

/** What was last seen of a counter. */
interface Seen {
  /** By partition. */
  readonly parts: Float64Array;
  total: number;
  /** Answers since the other parts were read, and when that was. */
  answers: number;
  readAtMs: number;
}

/** Parts that are remembered in all, for estimates: 8 bytes each. */
const MOST_PARTS = 200_000;
/** The other parts of a busy counter are read again after this time. */
const REFRESH_AFTER_MS = 1000;

export class Sharded {
  readonly #lanes: readonly Lane[];
  readonly #reads: readonly Reads[];
  readonly #environment: Environment;
  /** Which of the shards this process adds to, as a fraction of their number. */
  readonly #place: number;
  readonly #seen = new Map<string, Seen>();
  /** Sums asked for in this turn, by key. */
  #asked = new Map<string, Promise<Reading>>();

  constructor({ lanes, reads, environment }: ShardedParts) {
    this.#lanes = lanes;
    this.#reads = reads;
    this.#environment = environment;
    this.#place = environment.random();
  }

  /** The lane that an add goes to. */
  laneOf(op: Operation, shards: number): Lane {
    return this.#lanes[this.#partitionOf(op, shards)] as Lane;
  }

  /** The last total seen, and 0 of a counter that was not. */
  estimate(key: string): number {
    return this.#seen.get(key)?.total ?? 0;
  }

  /** Adds to one part; what is answered is an estimate of the total. */
  submit({ op, shards, deadline }: ShardedAdd, resolve: Resolve, reject: Reject): void {
    const partition = this.#partitionOf(op, shards);
    (this.#lanes[partition] as Lane).submit(op, (result) => { resolve(this.#told(op.key, partition, result)); }, reject, deadline);
  }

  /**
   * The exact total. It is asked for once in a turn.
   *
   * @throws TallystickError `OUT_OF_RANGE` while the parts add up to more than a value can be.
   */
  read(key: string): Promise<Reading> {
    const same = this.#asked.get(key);
    if (same !== undefined) return same;
    if (this.#asked.size === 0) this.#environment.soon(() => { this.#asked = new Map(); });
    const answer = Promise.all(this.#reads.map((reads) => reads.get({ key, terms: undefined }))).then((parts) => this.#sum(key, parts));
    this.#asked.set(key, answer);
    return answer;
  }

  #partitionOf({ key, requestId }: Operation, shards: number): number {
    const { length } = this.#lanes;
    const turn = requestId === undefined ? Math.floor(this.#place * Math.min(shards, length)) : partitionOf(requestId, length);
    return (partitionOf(key, length) + turn) % length;
  }

  #sum(key: string, parts: readonly Reading[]): Reading {
    const total = exactSum(parts);
    const seen = this.#of(key);
    for (const [partition, { value }] of parts.entries()) seen.parts[partition] = value;
    Object.assign(seen, { total, answers: 0, readAtMs: this.#environment.nowMs() });
    if (!inRange(total)) throw new TallystickError('OUT_OF_RANGE', `key: the parts of ${JSON.stringify(key)} add up to ${total}`, { field: 'key' });
    return { value: total, found: parts.some(({ found }) => found) };
  }

  /** The result of an add to a part, as one of the whole. */
  #told(key: string, partition: number, result: AddResult): AddResult {
    const seen = this.#of(key);
    const others = seen.total - (seen.parts[partition] as number);
    const isNews = result.outcome === 'applied' && result.replayed === undefined;
    if (isNews) {
      seen.parts[partition] = result.value;
      seen.total = others + result.value;
      this.#refresh(key, seen);
    }
    return { ...result, value: clamped(others + result.value), exact: false };
  }

  /** One reading of all parts costs as much as the answers that it comes after. */
  #refresh(key: string, seen: Seen): void {
    if (++seen.answers < this.#lanes.length) return;
    const nowMs = this.#environment.nowMs();
    if (nowMs - seen.readAtMs < REFRESH_AFTER_MS) return;
    seen.readAtMs = nowMs;
    this.read(key).catch(() => undefined);
  }

  #of(key: string): Seen {
    const known = this.#seen.get(key);
    if (known !== undefined) return known;
    const { length } = this.#lanes;
    const oldest = this.#seen.size >= MOST_PARTS / length ? this.#seen.keys().next().value : undefined;
    if (oldest !== undefined) this.#seen.delete(oldest);
    const seen = { parts: new Float64Array(length), total: 0, answers: 0, readAtMs: -Infinity };
    this.#seen.set(key, seen);
    return seen;
  }
}

const clamped = (estimate: number): number => Math.max(-MAX_VALUE, Math.min(MAX_VALUE, estimate));

/** The sum of values in range: exact when it is in range itself, whatever the sums on the way. */
function exactSum(parts: readonly Reading[]): number {
  let sum = 0;
  let reach = 0;
  for (const { value } of parts) {
    sum += value;
    reach += Math.abs(value);
  }
  return inRange(reach) ? sum : Number(parts.reduce((total, { value }) => total + BigInt(value), 0n));
}
