import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isBehind, type Reply } from '../model/answer.ts';
import { effectsOf, type Batch } from '../model/batch.ts';
import { steadyClock } from '../model/clock.ts';
import type { Operation, Query } from '../model/operation.ts';
import { histories, HISTORY_RETENTION_MS, HISTORY_STARTS_MS, type History } from '../testing/histories.ts';
import { MAX_CELLS, Replica } from './replica.ts';

const options = { requestRetentionMs: HISTORY_RETENTION_MS };

/** Runs a history and tells `each` of every batch, its reply and its time. Returns the time at the end. */
function run(history: History, replica: Replica, each: (batch: Batch, reply: Reply, nowMs: number) => void): number {
  let rawMs = HISTORY_STARTS_MS;
  const clock = steadyClock(() => rawMs);
  for (const step of history) {
    if (step.type === 'clock') rawMs = step.nowMs;
    const nowMs = clock();
    if (step.type === 'apply') each(step.batch, replica.apply(step.batch, nowMs), nowMs);
  }
  return clock();
}

/** One question for every counter that a history touches. */
function questions(history: History): Query[] {
  const queries = new Map<string, Query>();
  for (const step of history) {
    if (step.type !== 'apply') continue;
    for (const { key, terms } of step.batch.operations) queries.set(JSON.stringify([key, terms]), { key, terms });
  }
  return [...queries.values()];
}

/** The request ids of a history, as questions: the same request once more. */
const requests = (history: History): Operation[] =>
  history
    .flatMap((step) => (step.type === 'apply' ? step.batch.operations : []))
    .filter(({ requestId, effect }) => requestId !== undefined && effect === undefined);

describe('a replica', () => {
  it('answers the same whether or not expired cells are swept', () => {
    fc.assert(
      fc.property(histories({ partitions: 2 }), fc.integer({ min: 1, max: 5 }), (history, limit) => {
        const swept = new Replica(options);
        const plain = new Replica(options);
        const endMs = run(history, plain, (batch, reply, nowMs) => {
          swept.sweep(nowMs, limit);
          assert.deepEqual(swept.apply(batch, nowMs), reply);
        });
        for (const query of questions(history)) assert.deepEqual(swept.read(query, endMs), plain.read(query, endMs));
      }),
      { numRuns: 500 },
    );
  });

  it('is empty once everything has expired and was swept', () => {
    fc.assert(
      fc.property(histories(), (history) => {
        const replica = new Replica(options);
        const endMs = run(history, replica, () => {});
        replica.sweep(endMs + 1e10, 1e9);
        assert.equal(replica.cells.size, 0);
        assert.ok([...replica.counts.keys()].every((key) => replica.counts.get(key)?.expiresAtMs === undefined));
        assert.equal(replica.expires, false);
      }),
    );
  });

  it('looks at no more cells in a sweep than it may', () => {
    const replica = new Replica();
    const log = { kind: 'log', windowMs: 5 } as const;
    const count = { kind: 'count', ttlMs: 5 } as const;
    const operations = Array.from({ length: 30 }, (_, i) => ({ key: `k${i}`, delta: 1, terms: i % 2 === 0 ? log : count }));
    replica.apply({ source: 's', partition: 0, seq: 1, operations }, 0);
    assert.deepEqual([20, 20, 20].map((limit) => replica.sweep(5000, limit)), [20, 10, 0]);
  });

  it('sweeps no counter that lives again, or longer, by the time it is looked at', () => {
    const replica = new Replica();
    const operations: Operation[] = [
      { key: 'k', delta: 1, terms: { kind: 'count', ttlMs: 800 } },
      { key: 'k', delta: 1, terms: { kind: 'log', windowMs: 800 } },
    ];
    for (const [i, nowMs] of [0, 900].entries()) replica.apply({ source: 's', partition: 0, seq: i + 1, operations }, nowMs);
    assert.equal(replica.sweep(1000, 10), 2);
    for (const query of operations) assert.equal(replica.read(query, 1000).value, 1, query.terms?.kind);
    assert.equal(replica.sweep(2000, 10), 2);
    assert.equal(replica.expires, false);
  });

  it('looks once at a counter that expired and came back, however often', () => {
    const replica = new Replica();
    const terms = [{ kind: 'count', ttlMs: 5 } as const, { kind: 'log', windowMs: 5 } as const];
    let seq = 0;
    for (let nowMs = 0; nowMs < 900; nowMs += 10) {
      // A question between two lives must not make the replica forget that the cell is queued already.
      const ops = terms.flatMap((each) => [{ key: 'k', delta: 0, terms: each }, { key: 'k', delta: 1, terms: each }]);
      replica.apply({ source: 's', partition: 0, seq: ++seq, operations: ops }, nowMs);
    }
    assert.equal(replica.sweep(5000, 1e9), 2);
  });

  it('refuses new cells, and nothing else, when it is full', () => {
    const replica = new Replica();
    const log = { kind: 'log', windowMs: 50 } as const;
    replica.apply({ source: 's', partition: 0, seq: 1, operations: [{ key: 'old', delta: 1, terms: log, requestId: 'r' }] }, 0);
    Object.defineProperty(replica.cells, 'size', { value: MAX_CELLS });
    const operations: Operation[] = [
      { key: 'new', delta: 1, terms: log },
      { key: 'k', delta: 1, requestId: 'r' },
      { key: 'old', delta: 1, terms: log },
      { key: 'old', delta: 1, terms: log, requestId: 'r' },
      { key: 'k', delta: 1 },
    ];
    const reply = replica.apply({ source: 's', partition: 0, seq: 2, operations }, 1);
    assert.ok(!isBehind(reply));
    assert.deepEqual(reply.values, [0, 0, 2, 1, 1]);
    assert.deepEqual(reply.notes.map(({ index, code }) => [index, code]), [[0, 'OVERLOADED'], [1, 'OVERLOADED'], [3, undefined]]);
  });

  it('keeps the batches of one source at different partitions apart', () => {
    const replica = new Replica();
    const batch = { source: '1/s', partition: 1, seq: 1, operations: [{ key: 'k', delta: 1 }] };
    replica.apply(batch, 0);
    assert.ok(!isBehind(replica.apply({ ...batch, partition: 2 }, 0)));
    assert.ok(!isBehind(replica.apply({ ...batch, partition: 11, source: 's' }, 0)));
    assert.equal(replica.read({ key: 'k' }, 0).value, 3);
  });
});

describe('the effects of what a replica answered', () => {
  it('give a second replica the same values, lifetimes and request ids, however late they come', () => {
    fc.assert(
      fc.property(histories({ maxSteps: 40, limits: 'no-first' }), fc.oneof(fc.nat(50), fc.nat(4000)), (history, lateMs) => {
        // A batch is sent again long before its request ids are forgotten.
        const first = new Replica({ requestRetentionMs: 1e12 });
        const second = new Replica({ requestRetentionMs: 1e12 });
        const decided: Batch[] = [];
        const seen = new Set<string>();
        const foreign = (batch: Batch): boolean => batch.operations.some(({ effect }) => effect !== undefined);
        const own = history.filter((step) => step.type !== 'apply' || !foreign(step.batch));
        const endMs = run(own, first, (batch, reply) => {
          const id = `${batch.source}/${batch.seq}`;
          if (isBehind(reply) || seen.has(id)) return;
          seen.add(id);
          decided.push(effectsOf(batch, reply));
        });
        const nowMs = endMs + lateMs;
        for (const batch of decided) assert.ok(!isBehind(second.apply(batch, nowMs)), `${batch.source}/${batch.seq}`);
        for (const atMs of [nowMs, nowMs + 500, nowMs + 3000]) {
          for (const query of questions(own)) assert.deepEqual(second.read(query, atMs), first.read(query, atMs), JSON.stringify(query));
        }
        const again = { source: 'again', partition: 0, seq: 1, operations: requests(own) };
        assert.deepEqual(second.apply(again, nowMs + 3000), first.apply(again, nowMs + 3000));
      }),
      { numRuns: 1000 },
    );
  });
});
