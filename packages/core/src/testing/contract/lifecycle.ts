/** Opening, closing, and what outlives a close where data does. */
import assert from 'node:assert/strict';
import type { Check, StoreUnderTest } from './session.ts';

export function checkLifecycle(check: Check, { reopen }: StoreUnderTest): void {
  check('says how many partitions its data has, and keeps their sequences apart', async (s) => {
    assert.equal(s.store.partitions, 5);
    for (let partition = 0; partition < 5; partition++) {
      assert.deepEqual((await s.send([{ key: `of${partition}`, delta: 1 }], { partition })).values, [1]);
      const [reading] = await s.store.read(partition, [{ key: `of${partition}` }]);
      assert.equal(reading?.value, 1);
    }
  }, { partitions: 5 });

  check('keeps one key in two partitions apart when it is spread, and together when it is not', async (s) => {
    const log = { kind: 'log', windowMs: 60_000 } as const;
    const values = async (partition: number): Promise<number[]> =>
      (await s.store.read(partition, [{ key: 'k' }, { key: 'k', terms: log }])).map(({ value }) => value);
    for (const partition of [0, 1, 2]) {
      const delta = 10 ** partition;
      await s.send([{ key: 'k', delta }, { key: 'k', delta, terms: log }, { key: 'k', delta, requestId: 'r' }], { partition });
    }
    const apart = [[2, 1], [20, 10], [200, 100]];
    const together = [[112, 111], [112, 111], [112, 111]];
    assert.deepEqual(await Promise.all([0, 1, 2].map(values)), s.store.isSpread === true ? apart : together);
  }, { partitions: 3 });

  check('closes twice, and refuses all work afterwards with CLOSED', async (s) => {
    await s.add('k', 1);
    await Promise.all([s.store.close(), s.store.close()]);
    await s.store.close();
    await assert.rejects(s.store.apply(s.batch([{ key: 'k', delta: 1 }])), { code: 'CLOSED' });
    await assert.rejects(s.store.read(0, [{ key: 'k' }]), { code: 'CLOSED' });
  });

  check('answers, when it is closed, what it has taken', async (s) => {
    const taken = Array.from({ length: 5 }, () => s.add('k', 1));
    const reading = s.reading('k');
    const closing = s.store.close();
    const values = (await Promise.all(taken)).map(({ value }) => value);
    assert.deepEqual(values, [1, 2, 3, 4, 5]);
    assert.ok((await reading).value <= 5);
    await closing;
  });

  if (reopen !== undefined) checkReopening(check);
}

function checkReopening(check: Check): void {
  check('keeps counters, sequences, remembered results and request ids through a close', async (s) => {
    const unique = { kind: 'unique', windowMs: 60_000 } as const;
    const batch = s.batch([
      { key: 'k', delta: 5 },
      { key: 'k', delta: 1, terms: unique, member: 'a' },
      { key: 'k', delta: 2, requestId: 'r' },
    ]);
    const answer = await s.apply(batch);
    await s.reopen();
    assert.deepEqual(await s.store.apply(batch), answer);
    assert.deepEqual([await s.value('k'), await s.value('k', unique)], [7, 1]);
    assert.deepEqual(await s.add('k', 2, { requestId: 'r' }), { value: 7, delta: 2, replayed: true });
    assert.deepEqual(await s.store.apply({ ...batch, seq: 9 }), { behind: 2 });
    assert.equal((await s.add('k', 1)).value, 8);
  });

  check('remembers the same sources after a close, though the clock has jumped since they spoke', async (s) => {
    for (const source of ['s1', 's2', 's3']) await s.send([{ key: 'k', delta: 1 }], { source });
    s.clock.advance(25 * 3_600_000);
    const batch = s.batch([{ key: 'k', delta: 1 }], { source: 's2' });
    const answer = await s.apply(batch);
    await s.reopen();
    assert.deepEqual(await s.store.apply(batch), answer);
    for (const [source, last] of [['s1', 1], ['s2', 2], ['s3', 1]] as const) {
      assert.deepEqual(await s.store.apply({ source, partition: 0, seq: 9, operations: [] }), { behind: last }, source);
    }
    assert.equal((await s.add('k', 1, {}, { source: 's3' })).value, 5);
  });

  check('keeps what is left of a lifetime or a window while it is closed (T19)', async (s) => {
    const log = { kind: 'log', windowMs: 50_000 } as const;
    const sketch = { kind: 'sketch', windowMs: 50_000, slices: 5 } as const;
    await s.add('k', 1, { terms: { kind: 'count', ttlMs: 50_000 } });
    await s.add('k', 1, { terms: log });
    await s.add('k', 1, { terms: sketch, member: 'm' });
    await s.add('short', 1, { terms: { kind: 'count', ttlMs: 10_000 } });
    s.clock.advance(20_000);
    await s.reopen();
    assert.deepEqual(await s.reading('k'), { value: 1, found: true, ttlMs: 30_000 });
    assert.deepEqual([await s.value('k', log), await s.value('k', sketch)], [1, 1]);
    assert.equal((await s.reading('short')).found, false);
    s.clock.advance(30_000);
    assert.equal((await s.reading('k')).found, false);
    assert.equal(await s.value('k', log), 0);
  });

  check('goes on from its own time when the clock was set back while it was closed (T07)', async (s) => {
    const { atMs } = await s.send([{ key: 'k', delta: 1, terms: { kind: 'count', ttlMs: 10_000 } }]);
    s.clock.advance(-3_600_000);
    await s.reopen();
    const later = await s.send([{ key: 'k', delta: 1 }]);
    assert.ok(later.atMs >= atMs, 'time ran back');
    assert.ok(((await s.reading('k')).ttlMs ?? Infinity) <= 10_000);
  });

  check('refuses data that was created with another number of partitions', async (s) => {
    await s.add('k', 1);
    await assert.rejects(s.reopen({ partitions: 2 }), { code: 'PARTITIONS_MISMATCH' });
    await s.reopen();
    assert.equal(await s.value('k'), 1);
  });
}
