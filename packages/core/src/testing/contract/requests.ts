/** Request ids: the first answer is kept for the retention time and given again. */
import assert from 'node:assert/strict';
import { effectsOf } from '../../model/batch.ts';
import type { Operation } from '../../model/operation.ts';
import type { Check } from './session.ts';

const RETENTION_MS = 3 * 3_600_000;
const retaining = { requestRetentionMs: RETENTION_MS };

export function checkRequests(check: Check): void {
  check('counts a request once: twenty times at the same time and once an hour later (C12, D01)', async (s) => {
    await s.add('k', 10);
    const sent = Array.from({ length: 20 }, (_, i) => s.add('k', -1, { requestId: 'r' }, { source: `s${i}` }));
    const results = await Promise.all(sent);
    assert.equal(results.filter(({ replayed }) => replayed !== true).length, 1);
    assert.ok(results.every(({ value, delta }) => value === 9 && delta === -1));
    await s.add('k', 5);
    s.clock.advance(3_600_000);
    assert.deepEqual(await s.add('k', -1, { requestId: 'r' }), { value: 9, delta: -1, replayed: true });
    assert.equal(await s.value('k'), 14);
  }, retaining);

  check('gives the whole first answer again: amount added, expiry, and for members too', async (s) => {
    const bounded: Partial<Operation> = { terms: { kind: 'count', max: 3, ttlMs: 9000 }, requestId: 'r' };
    const first = await s.add('k', 5, bounded);
    assert.deepEqual(first, { value: 3, delta: 3, expiresAtMs: s.clock() + 9000 });
    s.clock.advance(20_000);
    assert.deepEqual(await s.add('k', 5, bounded), { ...first, replayed: true });
    assert.equal((await s.reading('k')).found, false);
    const touch: Partial<Operation> = { terms: { kind: 'unique', windowMs: 1000 }, member: 'a', requestId: 'r' };
    assert.deepEqual(await s.add('k', 1, touch), { value: 1, delta: 1 });
    assert.deepEqual(await s.add('k', 1, touch), { value: 1, delta: 1, replayed: true });
  });

  check('keeps the same id of different counters apart, whatever their keys and ids look like', async (s) => {
    const log = { kind: 'log', windowMs: 5 } as const;
    const counters: [string, string, Operation['terms']][] = [
      ['k', 'r', undefined], ['k', 'r', log], ['kr', 'r', undefined], ['k', 'rr', undefined], ['log:5:k', 'r', undefined],
      ['k', '1:k', undefined], ['1:k', 'k', undefined], ['k', '__proto__', undefined], ['__proto__', 'r', undefined],
    ];
    for (const [key, requestId, terms] of counters) {
      const { replayed } = await s.add(key, 1, { requestId, terms });
      assert.equal(replayed, undefined, `${key} ${requestId}`);
    }
    assert.equal((await s.add('k', 1, { requestId: 'r', terms: { kind: 'count', max: 9 } })).replayed, true);
  });

  check('answers a second time within one batch, too', async (s) => {
    const op = { key: 'k', delta: 2, requestId: 'r' };
    const answer = await s.send([op, { key: 'k', delta: 3 }, op]);
    assert.deepEqual(answer.values, [2, 5, 2]);
    assert.deepEqual(answer.notes, [{ index: 2, value: 2, delta: 2, replayed: true }]);
  });

  check('forgets an id after the retention time, and not before', async (s) => {
    await s.add('k', 1, { requestId: 'r' });
    s.clock.advance(RETENTION_MS - 1);
    assert.equal((await s.add('k', 1, { requestId: 'r' })).replayed, true);
    s.clock.advance(1);
    assert.deepEqual(await s.add('k', 1, { requestId: 'r' }), { value: 2, delta: 1 });
  }, retaining);

  check('forgets an id after its own lifetime when that is shorter, and not before', async (s) => {
    const long: Partial<Operation> = { requestId: 'long', requestTtlMs: 2 * RETENTION_MS };
    const short: Partial<Operation> = { requestId: 'short', requestTtlMs: RETENTION_MS / 2 };
    await s.send([{ key: 'k', delta: 1, ...long }, { key: 'k', delta: 1, ...short }]);
    s.clock.advance(RETENTION_MS / 2 - 1);
    assert.deepEqual(await s.add('k', 1, short), { value: 2, delta: 1, replayed: true });
    s.clock.advance(1);
    assert.deepEqual(await s.add('k', 1, short), { value: 3, delta: 1 });
    s.clock.advance(RETENTION_MS / 2 - 1);
    assert.equal((await s.add('k', 1, long)).replayed, true);
    assert.equal((await s.add('k', 1, short)).replayed, true);
    s.clock.advance(1);
    assert.deepEqual(await s.add('k', 1, long), { value: 4, delta: 1 });
    assert.deepEqual(await s.add('k', 1, short), { value: 5, delta: 1 });
  }, retaining);

  check('refuses a lifetime that is none', async (s) => {
    for (const requestTtlMs of [0, -1, 1.5, NaN]) {
      assert.equal((await s.add('k', 1, { requestId: 'r', requestTtlMs })).code, 'INVALID_ARGUMENT', `${requestTtlMs}`);
    }
    assert.equal((await s.reading('k')).found, false);
  });

  check('remembers no refusal: the same request may succeed later', async (s) => {
    await s.add('k', 2 ** 53 - 1);
    assert.equal((await s.add('k', 1, { requestId: 'r' })).code, 'OUT_OF_RANGE');
    await s.add('k', -5);
    assert.deepEqual(await s.add('k', 1, { requestId: 'r' }), { value: 2 ** 53 - 5, delta: 1 });
  });

  check('counts once what comes again as a decided effect, after its request came through another source', async (s) => {
    const lost = s.batch([{ key: 'k', delta: 4, requestId: 'r' }]);
    const decided = effectsOf(lost, { atMs: s.clock(), values: [4], notes: [] });
    s.clock.advance(10);
    await s.add('k', 4, { requestId: 'r' }, { source: 'retrying' });
    await s.apply(decided);
    assert.equal(await s.value('k'), 4);
  });
}

/** Effects: a batch that is sent again once its results are known. */
export function checkEffects(check: Check): void {
  check('applies effects as they were decided, in their own time', async (s) => {
    const log = { kind: 'log', windowMs: 10_000 } as const;
    const unique = { kind: 'unique', windowMs: 10_000 } as const;
    const atMs = s.clock() - 4000;
    await s.add('gone', 7, { terms: { kind: 'count', ttlMs: 60_000 } });
    await s.send([
      { key: 'k', delta: 50, terms: { kind: 'count', max: 3 }, effect: { atMs } },
      { key: 'k', delta: 2, terms: log, effect: { atMs } },
      { key: 'k', delta: 1, terms: unique, member: 'a', effect: { atMs } },
      { key: 'gone', delta: 5, effect: { atMs, expiresAtMs: s.clock() - 1 } },
      { key: 'lives', delta: 5, effect: { atMs, expiresAtMs: s.clock() + 500 } },
      { key: 'r', delta: 5, requestId: 'r', effect: { atMs, answered: { value: 90, delta: 6 } } },
    ]);
    assert.deepEqual([await s.value('k'), await s.value('k', log), await s.value('k', unique)], [50, 2, 1]);
    assert.equal(await s.value('gone'), 7);
    assert.deepEqual(await s.reading('lives'), { value: 5, found: true, ttlMs: 500 });
    assert.deepEqual(await s.add('r', 5, { requestId: 'r' }), { value: 90, delta: 6, replayed: true });
    s.clock.advance(6000);
    assert.deepEqual([await s.value('k', log), await s.value('k', unique)], [0, 0]);
  });
}
