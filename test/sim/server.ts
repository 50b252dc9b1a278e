/**
 * The simulated store: a pure replica, its log, and its faults.
 *
 * The log is the truth that everything else is held to: which batches the store holds, in which order, and
 * what each of them really added. A store that comes back behind is one that holds a beginning of its log,
 * one that comes back empty holds none of it; what was cut off is remembered apart.
 *
 * Bounds of the model: a store that comes back never holds more than the one before it did; a request that
 * is on its way dies with the store it was sent to.
 */
import type { Answer, Reading, Reply } from '../../packages/core/src/model/answer.ts';
import type { Batch } from '../../packages/core/src/model/batch.ts';
import { steadyClock, type Clock } from '../../packages/core/src/model/clock.ts';
import type { Operation, Query } from '../../packages/core/src/model/operation.ts';
import { Replica } from '../../packages/core/src/replica/replica.ts';
import type { World } from './world.ts';

/** What one operation of an applied batch came to. */
export interface Change {
  readonly key: string;
  readonly requestId: string | undefined;
  /** What it really added. */
  readonly delta: number;
  /** Whether it counted: not refused, and not answered from its request id. */
  readonly counted: boolean;
  /** What it had added before the store lost it, when it was refused as it came back. */
  readonly dropped: number;
}

/** A batch that the store applied. */
export interface Applied {
  /** `source/partition/seq`. */
  readonly id: string;
  /** The name of the process that sealed it. */
  readonly process: string;
  readonly batch: Batch;
  readonly atMs: number;
  readonly changes: readonly Change[];
}

/** Makes a replica; a mutant makes a faulty one. */
export type MakeReplica = () => Replica;

const sourceOf = ({ source, partition }: Batch): string => `${source}/${partition}`;
/** Sources are named after their process: `a.1`, `a.2`, … */
const processOf = ({ source }: Batch): string => source.slice(0, source.indexOf('.'));

export class Server {
  /** Rises whenever the store stops: requests to an earlier one reach nobody. */
  incarnation = 1;
  up = true;
  log: Applied[] = [];
  /** Batches that were applied and that the store holds no more, by id. */
  readonly missing = new Map<string, Applied>();
  /** When each batch was applied for the first time, by the world's clock. */
  readonly firstAppliedMs = new Map<string, number>();
  /** How often batches were cut off. */
  losses = 0;
  replica: Replica;
  readonly #world: World;
  readonly #makeReplica: MakeReplica;
  /** By source and partition: the last seq in the log. */
  #last = new Map<string, number>();
  /** How far the node's wall clock is from the world's. */
  #skewMs = 0;
  #clock: Clock;

  constructor(world: World, makeReplica: MakeReplica) {
    this.#world = world;
    this.#makeReplica = makeReplica;
    this.replica = makeReplica();
    this.#clock = this.#newClock(0);
  }

  nowMs(): number {
    return this.#clock();
  }

  apply(batch: Batch): Reply {
    const atMs = this.#clock();
    const isNext = (this.#last.get(sourceOf(batch)) ?? 0) + 1 === batch.seq;
    // A copy: the replica must not depend on what becomes of the sender's objects.
    const reply = this.replica.apply({ ...batch, operations: batch.operations.map(copyOf) }, atMs);
    if (isNext && 'values' in reply) this.#append(batch, atMs, reply);
    if (this.#world.random.chance(0.05)) this.replica.sweep(atMs, 100);
    return reply;
  }

  read(queries: readonly Query[]): Reading[] {
    const nowMs = this.#clock();
    return queries.map((query) => this.replica.read(query, nowMs));
  }

  /** The wall clock of the store's node is set. */
  stepClock(byMs: number): void {
    this.#skewMs += byMs;
  }

  crash(): void {
    this.up = false;
    this.incarnation++;
    this.#world.note(() => 'store stops');
  }

  /** Comes back with the first `kept` batches of its log, on a node with a clock of its own. */
  restart(kept: number): void {
    const lost = this.log.slice(kept);
    const held = this.log.slice(0, kept);
    this.#world.note(() => `store starts, ${lost.length} of ${this.log.length} batches lost`);
    for (const applied of lost) this.missing.set(applied.id, applied);
    if (lost.length > 0) this.losses++;
    this.replica = this.#makeReplica();
    this.#last = new Map();
    for (const { batch, atMs } of held) {
      this.replica.apply(batch, atMs);
      this.#last.set(sourceOf(batch), batch.seq);
    }
    this.log = held;
    this.#skewMs = this.#world.random.between(-500, 500);
    this.#clock = this.#newClock(held.at(-1)?.atMs ?? 0);
    this.up = true;
  }

  #newClock(lastMs: number): Clock {
    return steadyClock(() => EPOCH_MS + this.#world.nowMs + this.#skewMs, lastMs);
  }

  #append(batch: Batch, atMs: number, answer: Answer): void {
    const id = `${sourceOf(batch)}/${batch.seq}`;
    const operations = batch.operations.map(copyOf);
    this.log.push({ id, process: processOf(batch), batch: { ...batch, operations }, atMs, changes: changesOf(operations, answer) });
    this.#last.set(sourceOf(batch), batch.seq);
    this.missing.delete(id);
    if (!this.firstAppliedMs.has(id)) this.firstAppliedMs.set(id, this.#world.nowMs);
    this.#world.note(() => `applied ${id} ${operations.map(({ key, delta }) => `${key}${delta < 0 ? '' : '+'}${delta}`).join(' ')}`);
  }
}

/** When the world began, by the wall clocks of its nodes. */
const EPOCH_MS = 1_700_000_000_000;

const copyOf = (op: Operation): Operation => ({ ...op });

function changesOf(operations: readonly Operation[], { notes }: Answer): Change[] {
  const noteOf = new Map(notes.map((note) => [note.index, note]));
  return operations.map(({ key, delta, requestId, effect }, index) => {
    const note = noteOf.get(index);
    const counted = note === undefined || (note.code === undefined && note.replayed === undefined);
    const dropped = effect !== undefined && note?.code !== undefined ? delta : 0;
    return { key, requestId, delta: counted ? (note?.delta ?? delta) : 0, counted, dropped };
  });
}
