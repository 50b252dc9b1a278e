/** Many at once: first use, reading while writing, every way of writing for every way of reading. */
import assert from 'node:assert/strict';
import type { Operation, Query } from '../../model/operation.ts';
import type { Check } from './session.ts';

const HITS = 500;

export function checkConcurrency(check: Check): void {
  check('counts one first hit as one, in every kind (D05)', async (s) => {
    for (const kind of ['log', 'window', 'unique', 'sketch'] as const) {
      const terms = { kind, windowMs: 6000, slices: 6 };
      assert.deepEqual(await s.add('k', 1, { terms, member: 'm' }), { value: 1, delta: 1 });
    }
    assert.deepEqual(await s.add('k', 1), { value: 1, delta: 1 });
  });

  check(`counts ${HITS} first hits at the same time as ${HITS}, each with a value of its own (D06)`, async (s) => {
    const hits = Array.from({ length: HITS }, (_, i) => s.add('k', 1, {}, { source: `s${i}` }));
    const values = (await Promise.all(hits)).map(({ value }) => value);
    assert.deepEqual(values.sort((a, b) => a - b), Array.from({ length: HITS }, (_, i) => i + 1));
    assert.equal(await s.value('k'), HITS);
  });

  check('leaves no counter without a lifetime when it expires between hits (D06)', async (s) => {
    const hits = Array.from({ length: HITS }, async (_, i) => {
      if (i % 3 === 0) s.clock.advance(1);
      const result = await s.add('k', 1, { terms: { kind: 'count', ttlMs: 1 + (i % 5) } }, { source: `s${i}` });
      const reading = await s.reading('k');
      assert.ok(result.expiresAtMs !== undefined && result.code === undefined);
      assert.ok(!reading.found || (reading.ttlMs !== undefined && reading.ttlMs >= 1));
    });
    await Promise.all(hits);
  });

  check('shows every writer\'s counts to every reader (R12)', async (s) => {
    const writers: Partial<Operation>[] = [
      {}, { terms: { kind: 'count' } }, { terms: { kind: 'count', min: 0, max: 99 } }, { requestId: 'r' }, { reach: 1 },
      { effect: { atMs: s.clock() } },
    ];
    const readers: Query['terms'][] = [undefined, { kind: 'count' }, { kind: 'count', min: 5, ttlMs: 9 }];
    for (const [i, writer] of writers.entries()) {
      await s.add('k', 1, writer);
      const readings = await s.store.read(0, readers.map((terms) => ({ key: 'k', terms })));
      assert.deepEqual(readings, readers.map(() => ({ value: i + 1, found: true })));
    }
  });

  check('answers a read asked after a write was answered with that write, in the order of the queries', async (s) => {
    await s.send([{ key: 'a', delta: 1 }, { key: 'b', delta: 2 }]);
    const readings = await s.store.read(0, [{ key: 'b' }, { key: 'none' }, { key: 'a' }, { key: 'b' }]);
    assert.deepEqual(readings.map(({ value, found }) => [value, found]), [[2, true], [0, false], [1, true], [2, true]]);
    assert.deepEqual(await s.store.read(0, []), []);
  });

  check('changes nothing by reading', async (s) => {
    const log = { kind: 'log', windowMs: 1000 } as const;
    for (const terms of [undefined, log, { kind: 'count', ttlMs: 5 }] as const) await s.reading('k', terms);
    assert.deepEqual(await s.add('k', 1), { value: 1, delta: 1 });
    for (let i = 0; i < 3; i++) assert.equal(await s.value('k'), 1);
  });
}
