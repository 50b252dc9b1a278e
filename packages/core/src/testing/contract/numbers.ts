/** Exact integers within ±(2^53 − 1); everything else is refused, the value unchanged. */
import assert from 'node:assert/strict';
import { MAX_VALUE } from '../../model/amount.ts';
import type { Terms } from '../../model/operation.ts';
import { resultOf, type Check } from './session.ts';

/** Every way to a total. */
const WAYS: readonly (Terms | undefined)[] = [
  undefined,
  { kind: 'count', min: -MAX_VALUE, max: MAX_VALUE },
  { kind: 'count', ttlMs: 60_000 },
  { kind: 'log', windowMs: 60_000 },
  { kind: 'window', windowMs: 60_000, slices: 6 },
];

export function checkNumbers(check: Check): void {
  for (const terms of WAYS) {
    const way = terms === undefined ? 'plain count' : JSON.stringify(terms);
    check(`counts exactly up to 2^53 − 1 and refuses to go beyond: ${way} (N01–N03)`, async (s) => {
      assert.equal((await s.add('k', MAX_VALUE - 1, { terms })).value, MAX_VALUE - 1);
      assert.equal((await s.add('k', 1, { terms })).value, MAX_VALUE);
      const beyond = await s.add('k', 1, { terms });
      // A bound stops there first, and says so; nothing else may.
      const stopped = terms?.kind === 'count' && terms.max !== undefined;
      assert.deepEqual([beyond.value, beyond.delta, beyond.code], [MAX_VALUE, 0, stopped ? undefined : 'OUT_OF_RANGE']);
      assert.equal(await s.value('k', terms), MAX_VALUE);
    });
  }

  check('counts exactly down to −(2^53 − 1), across zero and back', async (s) => {
    assert.equal((await s.add('k', -MAX_VALUE)).value, -MAX_VALUE);
    assert.equal((await s.add('k', -1)).code, 'OUT_OF_RANGE');
    assert.equal((await s.add('k', MAX_VALUE)).value, 0);
    assert.equal((await s.add('k', MAX_VALUE)).value, MAX_VALUE);
  });

  check('fails one operation of ten and applies the nine (N03)', async (s) => {
    await s.add('k4', MAX_VALUE);
    const operations = Array.from({ length: 10 }, (_, i) => ({ key: `k${i}`, delta: 1 }));
    const answer = await s.send(operations);
    for (let i = 0; i < 10; i++) {
      const expected = i === 4 ? { value: MAX_VALUE, delta: 0, code: 'OUT_OF_RANGE' } : { value: 1, delta: 1 };
      assert.deepEqual(resultOf(answer, operations, i), expected);
    }
  });

  check('refuses an amount that is no exact integer, counts nothing and fails no other (N09)', async (s) => {
    await s.add('k', 7);
    for (const terms of WAYS) {
      const operations = [0.5, 2 ** 53, -(2 ** 53), 1e21].map((delta) => ({ key: 'k', delta, terms }));
      const answer = await s.send([...operations, { key: 'ok', delta: 1 }]);
      assert.deepEqual(answer.notes.map(({ code }) => code), operations.map(() => 'INVALID_AMOUNT'));
    }
    assert.equal(await s.value('k'), 7);
    assert.equal(await s.value('ok'), WAYS.length);
  });

  check('goes below zero without a floor, stays at it with one, and loses nothing else (N12, C9)', async (s) => {
    assert.equal((await s.add('signed', -1)).value, -1);
    const floor = { kind: 'count', min: 0 } as const;
    const others = Array.from({ length: 99 }, (_, i) => ({ key: `k${i}`, delta: 1 }));
    const answer = await s.send([{ key: 'floored', delta: -1, terms: floor }, ...others]);
    assert.deepEqual(answer.notes, [{ index: 0, value: 0, delta: 0 }]);
    assert.deepEqual(answer.values.slice(1), others.map(() => 1));
    assert.deepEqual(await s.reading('floored'), { value: 0, found: false });
  });

  check('holds a combined amount to the range of each of its parts, also when they cancel', async (s) => {
    await s.add('k', MAX_VALUE - 2);
    assert.equal((await s.add('k', 0, { reach: 10 })).code, 'OUT_OF_RANGE');
    assert.equal((await s.add('k', -1, { reach: 5 })).code, 'OUT_OF_RANGE');
    assert.deepEqual(await s.add('k', -1, { reach: 1 }), { value: MAX_VALUE - 3, delta: -1 });
    await s.add('fresh', 0, { reach: 10 });
    assert.deepEqual(await s.reading('fresh'), { value: 0, found: true });
  });

  check('takes an amount of 0 for a question: nothing is created', async (s) => {
    for (const terms of WAYS) {
      assert.deepEqual(await s.add('k', 0, { terms }), { value: 0, delta: 0 });
      assert.equal((await s.reading('k', terms)).found, false);
    }
  });
}
