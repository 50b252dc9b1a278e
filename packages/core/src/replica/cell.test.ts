import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Query, Terms } from '../model/operation.ts';
import { strategies } from '../operations/index.ts';
import { cellExpiresAtMs, cellId, rememberedOf, requestCellId } from './cell.ts';

const TERMS: (Terms | undefined)[] = [
  undefined,
  { kind: 'log', windowMs: 5 },
  { kind: 'log', windowMs: 51 },
  { kind: 'window', windowMs: 5, slices: 1 },
  { kind: 'window', windowMs: 5, slices: 15 },
  { kind: 'unique', windowMs: 5 },
  { kind: 'sketch', windowMs: 5, slices: 1 },
];

/** Keys and ids that look like parts of an id. */
const TEXTS = ['', 'a', 'aa', ':', '1:a', ':a', 'log:5:a', 'log:5:', 'count::a', 'request:8:count::a', '__proto__', '5', '1'];

const COUNTERS: Query[] = TERMS.flatMap((terms) => TEXTS.map((key) => ({ key, terms })));

describe('ids of cells', () => {
  it('are different for different counters (K09, K01)', () => {
    assert.equal(new Set(COUNTERS.map(cellId)).size, COUNTERS.length);
  });

  it('are different for the request ids of different counters, and for counters', () => {
    const ids = COUNTERS.flatMap((counter) => TEXTS.map((requestId) => requestCellId(counter, requestId)));
    assert.equal(new Set([...ids, ...COUNTERS.map(cellId)]).size, COUNTERS.length * (TEXTS.length + 1));
  });

  it('do not depend on conditions: a count is one counter, bounded or not', () => {
    const bounded: Query = { key: 'k', terms: { kind: 'count', min: 0, ttlMs: 9 } };
    assert.equal(requestCellId(bounded, 'r'), requestCellId({ key: 'k' }, 'r'));
  });
});

describe('rememberedOf', () => {
  const result = { value: 7, delta: 2 };

  it('lasts as long as the store remembers, or shorter where the id says so', () => {
    const until = (requestTtlMs?: number): number => rememberedOf({ requestTtlMs }, result, 100, 50).expiresAtMs;
    assert.deepEqual([until(), until(20), until(50), until(51)], [150, 120, 150, 150]);
  });

  it('is what was answered when an effect was decided, from then on', () => {
    const effect = { atMs: 90, expiresAtMs: 800, answered: { value: 5, delta: 1 } };
    const expected = { value: 5, delta: 1, counterExpiresAtMs: 800, expiresAtMs: 110 };
    assert.deepEqual(rememberedOf({ effect, requestTtlMs: 20 }, { ...result, expiresAtMs: 900 }, 100, 50), expected);
    const own = { value: 7, delta: 2, counterExpiresAtMs: 900, expiresAtMs: 150 };
    assert.deepEqual(rememberedOf({}, { ...result, expiresAtMs: 900 }, 100, 50), own);
  });
});

describe('cellExpiresAtMs', () => {
  it('is that of the remembered answer, or what the strategy says', () => {
    assert.equal(cellExpiresAtMs({ kind: 'request', state: { value: 1, delta: 1, expiresAtMs: 77 } }), 77);
    const [, state] = strategies.log.apply(undefined, { key: 'k', delta: 1, terms: { kind: 'log', windowMs: 50 } }, 100);
    assert.equal(cellExpiresAtMs({ kind: 'log', state: state! }), 150);
  });
});
