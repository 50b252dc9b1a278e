/** The sequence rule: every batch once, in order, per source and partition. */
import assert from 'node:assert/strict';
import { WINDOW } from '../../model/batch.ts';
import { resultOf, type Check } from './session.ts';

const HOUR_MS = 3_600_000;

const adding = (delta: number, key = 'k'): { key: string; delta: number }[] => [{ key, delta }];

export function checkSequence(check: Check): void {
  check('applies the operations of a batch in their order, each result right after its own', async (s) => {
    const bounded = { kind: 'count', min: 0 } as const;
    const operations = [
      { key: 'a', delta: 5 },
      { key: 'a', delta: -9, terms: bounded },
      { key: 'b', delta: 1 },
      { key: 'a', delta: 2 },
    ];
    const answer = await s.send(operations);
    assert.deepEqual(answer.values, [5, 0, 1, 2]);
    assert.deepEqual(answer.notes, [{ index: 1, value: 0, delta: -5 }]);
  });

  check('gives every source and partition a sequence of its own', async (s) => {
    for (const lane of [{}, { source: 's2' }, { partition: 1 }, { source: 's2', partition: 1 }, { source: '__proto__' }]) {
      assert.equal((await s.send([], lane)).values.length, 0);
    }
    assert.deepEqual(await s.store.apply({ source: 's2', partition: 1, seq: 3, operations: [] }), { behind: 1 });
    assert.deepEqual(await s.store.apply({ source: 's3', partition: 1, seq: 2, operations: [] }), { behind: 0 });
  }, { partitions: 2 });

  check('answers a batch that was applied with its remembered results, and changes nothing', async (s) => {
    const ttl = { kind: 'count', ttlMs: 50_000 } as const;
    const batch = s.batch([{ key: 'k', delta: 5 }, { key: 't', delta: 1, terms: ttl }, { key: 'k', delta: 2 ** 53 }]);
    const first = await s.apply(batch);
    await s.add('k', 100, {}, { source: 's2' });
    s.clock.advance(10);
    assert.deepEqual(await s.store.apply(batch), first);
    assert.deepEqual(await s.store.apply(structuredClone(batch)), first);
    assert.equal(await s.value('k'), 105);
    assert.equal(await s.value('t'), 1);
  });

  check(`remembers the results of the last ${WINDOW} batches of each source`, async (s) => {
    const sent = [];
    for (let i = 0; i < WINDOW + 3; i++) {
      const batch = s.batch(adding(1));
      sent.push({ batch, answer: await s.apply(batch) });
      await s.send(adding(1, 'other'), { source: 's2' });
    }
    for (const { batch, answer } of sent.slice(-WINDOW)) assert.deepEqual(await s.store.apply(batch), answer);
    await s.apply(sent[0]!.batch);
    assert.equal(await s.value('k'), WINDOW + 3);
  });

  check('answers behind, and changes nothing, when a batch is missing before', async (s) => {
    await s.send(adding(1));
    const missing = s.batch(adding(10));
    const early = s.batch(adding(100));
    assert.deepEqual(await s.store.apply(early), { behind: 1 });
    assert.equal(await s.value('k'), 1);
    assert.deepEqual((await s.apply(missing)).values, [11]);
    assert.deepEqual((await s.apply(early)).values, [111]);
  });

  check(`applies ${WINDOW} batches in flight, in the order they were sent`, async (s) => {
    const answers = await Promise.all(Array.from({ length: WINDOW }, () => s.send(adding(1))));
    assert.deepEqual(answers.map(({ values }) => values[0]), Array.from({ length: WINDOW }, (_, i) => i + 1));
  });

  check('applies a batch that is sent twice at the same time once', async (s) => {
    const batch = s.batch(adding(1));
    const [one, other] = await Promise.all([s.apply(batch), s.apply(batch)]);
    assert.deepEqual(one, other);
    assert.equal(await s.value('k'), 1);
  });

  check('applies a batch without operations: its place in the sequence is taken', async (s) => {
    const empty = await s.send([]);
    assert.deepEqual([empty.values, empty.notes], [[], []]);
    assert.deepEqual((await s.send(adding(1))).values, [1]);
  });

  check('forgets a source that was silent for two days, and none for a clock that jumped', async (s) => {
    const sent = [s.batch(adding(1)), s.batch(adding(1))] as const;
    for (const batch of sent) await s.apply(batch);
    const early = { source: 's1', partition: 0, seq: 9, operations: [] };
    s.clock.advance(25 * HOUR_MS);
    await s.send(adding(10), { source: 's2' });
    assert.deepEqual((await s.apply(sent[1])).values, [2]);
    assert.deepEqual(await s.store.apply(early), { behind: 2 });
    assert.deepEqual((await s.send(adding(1))).values, [13]);
    for (const turn of [1, 2]) {
      assert.deepEqual(await s.store.apply(early), { behind: 3 }, `turn ${turn}`);
      s.clock.advance(25 * HOUR_MS);
      await s.send(adding(10), { source: 's2' });
    }
    assert.deepEqual(await s.store.apply(early), { behind: 0 });
    assert.deepEqual(await s.store.apply({ ...early, source: 's2' }), { behind: 3 });
    assert.equal(await s.value('k'), 33);
  });

  check('gives each of a hundred operations its own result, two of them refused (R09)', async (s) => {
    await s.send(Array.from({ length: 100 }, (_, i) => ({ key: `k${i}`, delta: i === 77 ? 2 ** 53 - 1 : 1000 + i })));
    const operations = Array.from({ length: 100 }, (_, i) => ({ key: i === 33 ? '' : `k${i}`, delta: 1 }));
    const answer = await s.send(operations);
    for (let i = 0; i < 100; i++) {
      const result = resultOf(answer, operations, i);
      if (i === 33) assert.deepEqual(result, { value: 0, delta: 0, code: 'INVALID_KEY' });
      else if (i === 77) assert.deepEqual(result, { value: 2 ** 53 - 1, delta: 0, code: 'OUT_OF_RANGE' });
      else assert.deepEqual(result, { value: 1001 + i, delta: 1 });
    }
  });
}
