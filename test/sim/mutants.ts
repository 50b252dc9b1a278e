/**
 * Planted faults. Each is a wrong store or a wrong lane that somebody might build; the assertions of the
 * simulator must find every one. They stand in for the real parts in the simulated world only: a wrong
 * store is a replica that departs from the rule, a wrong lane is the real one behind a link that changes
 * what it sends or is told.
 */
import { isBehind, type Answer, type Reading, type Reply } from '../../packages/core/src/model/answer.ts';
import type { Batch } from '../../packages/core/src/model/batch.ts';
import type { Operation } from '../../packages/core/src/model/operation.ts';
import { Replica } from '../../packages/core/src/replica/replica.ts';
import type { Store } from '../../packages/core/src/store.ts';
import type { Cast } from './run.ts';

/** A replica that sees whether an answer was given before. */
class Watching extends Replica {
  readonly #answered = new WeakSet<Answer>();
  #disguises = 0;

  /** Whether this reply is the remembered answer to a copy. */
  isRemembered(reply: Reply): boolean {
    if (isBehind(reply)) return false;
    if (this.#answered.has(reply)) return true;
    this.#answered.add(reply);
    return false;
  }

  /** Applies a batch outside of its sequence. */
  applyAgain(batch: Batch, nowMs: number): Reply {
    return super.apply({ ...batch, source: `${batch.source}-${++this.#disguises}`, seq: 1 }, nowMs);
  }
}

class NoSequenceCheck extends Watching {
  override apply(batch: Batch, nowMs: number): Reply {
    const reply = super.apply(batch, nowMs);
    return this.isRemembered(reply) ? this.applyAgain(batch, nowMs) : reply;
  }
}

class LeapsOverGaps extends Replica {
  override apply(batch: Batch, nowMs: number): Reply {
    const reply = super.apply(batch, nowMs);
    if (!isBehind(reply)) return reply;
    for (let seq = reply.behind + 1; seq < batch.seq; seq++) super.apply({ ...batch, seq, operations: [] }, nowMs);
    return super.apply(batch, nowMs);
  }
}

class ForgetsResults extends Watching {
  override apply(batch: Batch, nowMs: number): Reply {
    const reply = super.apply(batch, nowMs);
    if (!this.isRemembered(reply)) return reply;
    return { atMs: nowMs, values: batch.operations.map((op) => this.read(op, nowMs).value), notes: [] };
  }
}

class ForgetsRequests extends Replica {
  override apply(batch: Batch, nowMs: number): Reply {
    return super.apply({ ...batch, operations: batch.operations.map((op) => ({ ...op, requestId: undefined })) }, nowMs);
  }
}

/** A crash between the counters and the record of the source: now and then the second step is not done. */
class RecordsTheSourceApart extends Watching {
  #batches = 0;

  override apply(batch: Batch, nowMs: number): Reply {
    return ++this.#batches % 10 === 0 ? this.applyAgain(batch, nowMs) : super.apply(batch, nowMs);
  }
}

/** One bad operation spoils its whole batch. */
class RefusesWholeBatches extends Replica {
  override apply(batch: Batch, nowMs: number): Reply {
    const reply = super.apply(batch, nowMs);
    if (isBehind(reply) || !reply.notes.some(({ code }) => code !== undefined)) return reply;
    const refused = (_: Operation, index: number) => ({ index, value: reply.values[index]!, delta: 0, code: 'OUT_OF_RANGE' }) as const;
    return { ...reply, notes: batch.operations.map(refused) };
  }
}

/** A link that lets everything pass, with some of it changed. */
const changed = (store: Store, changes: Partial<Store>): Store => ({
  partitions: store.partitions,
  mayLose: true,
  apply: (batch) => store.apply(batch),
  read: (partition, queries) => store.read(partition, queries),
  close: () => store.close(),
  ...changes,
});

const idOf = ({ source, partition, seq }: Batch): string => `${source}/${partition}/${seq}`;

function sealsAgain(store: Store): Store {
  const sent = new Map<string, number>();
  return changed(store, {
    apply(batch) {
      const times = (sent.get(idOf(batch)) ?? -1) + 1;
      sent.set(idOf(batch), times);
      return store.apply(times === 0 ? batch : { ...batch, source: `${batch.source}-${times}-${batch.seq}`, seq: 1 });
    },
  });
}

function sendsConditionsAgain(store: Store): Store {
  const sealed = new Map<string, readonly Operation[]>();
  return changed(store, {
    apply(batch) {
      const operations = sealed.get(idOf(batch)) ?? batch.operations.map((op) => ({ ...op }));
      sealed.set(idOf(batch), operations);
      return store.apply({ ...batch, operations });
    },
  });
}

/** After a gap it goes on under the old identity, with the seqs that have become free. */
function keepsItsIdentity(store: Store): Store {
  const lanes = new Map<number, { source: string; wore: string; offset: number; behind: number }>();
  return changed(store, {
    async apply(batch) {
      const { source, partition } = batch;
      const lane = lanes.get(partition) ?? { source, wore: source, offset: 0, behind: 0 };
      lanes.set(partition, lane);
      if (lane.wore !== source) Object.assign(lane, { wore: source, offset: lane.behind + lane.offset });
      const reply = await store.apply({ ...batch, source: lane.source, seq: batch.seq + lane.offset });
      if (!isBehind(reply)) return reply;
      lane.behind = Math.max(0, reply.behind - lane.offset);
      return { behind: lane.behind };
    },
  });
}

/** Takes everything for lost as soon as anything is. */
const takesAllForLost = (store: Store): Store =>
  changed(store, {
    async apply(batch) {
      const reply = await store.apply(batch);
      return isBehind(reply) ? { behind: 0 } : reply;
    },
  });

/** Every run of every process has the same source. */
const reusesItsSource = (store: Store): Store => changed(store, { apply: (batch) => store.apply({ ...batch, source: 'a.1' }) });

/** Reads a replica that is one question behind. */
function readsACopy(store: Store): Store {
  const before = new Map<string, Reading>();
  return changed(store, {
    async read(partition, queries) {
      const readings = await store.read(partition, queries);
      return queries.map(({ key }, i) => {
        const reading = before.get(key) ?? readings[i]!;
        before.set(key, readings[i]!);
        return reading;
      });
    },
  });
}

/** A store that loses a little, and one that loses what is too old to be sent again. */
const losing = { storeFaults: 3, comebacks: ['behind'], keys: ['unit:0', 'bounded:0'] } as const;
const losingTheOld = { ...losing, paceMs: 150_000, calls: 10, awayMs: 1_000 };

/** By what each does wrong. */
export const mutants: Readonly<Record<string, Cast>> = {
  'the replica has no sequence check': { makeReplica: () => new NoSequenceCheck() },
  'the replica leaps over gaps': { makeReplica: () => new LeapsOverGaps() },
  'the replica does not remember results': { makeReplica: () => new ForgetsResults() },
  'the replica does not remember request ids': { makeReplica: () => new ForgetsRequests() },
  'the replica records the source apart from the counters': { makeReplica: () => new RecordsTheSourceApart() },
  'the replica refuses a batch for one of its operations': { makeReplica: () => new RefusesWholeBatches() },
  'the lane seals a batch again to retry it': { meddle: sealsAgain },
  'the lane trims its resend window early': { meddle: (store) => changed(store, { mayLose: false }), scenario: losing },
  'the lane sends conditions again, not what was decided': { meddle: sendsConditionsAgain, scenario: losing },
  'the lane keeps its identity after a gap': { meddle: keepsItsIdentity, scenario: losingTheOld },
  'the lane takes all for lost when anything is': { meddle: takesAllForLost, scenario: losingTheOld },
  'the process reuses its source': { meddle: reusesItsSource },
  'reads come from a copy that lags': { meddle: readsACopy },
};
