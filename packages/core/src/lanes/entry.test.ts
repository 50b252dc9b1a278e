import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Terms } from '../model/operation.ts';
import { combines, Entry } from './entry.ts';

describe('combines', () => {
  const cases: readonly [string, Terms | undefined, boolean][] = [
    ['a plain count', undefined, true],
    ['a count that expires', { kind: 'count', ttlMs: 5 }, true],
    ['a count with a floor, which one amount may use up for another', { kind: 'count', min: 0 }, false],
    ['a count with a ceiling', { kind: 'count', max: 9 }, false],
    ['a sliding log', { kind: 'log', windowMs: 5 }, true],
    ['a sliding window', { kind: 'window', windowMs: 1000, slices: 2 }, true],
    ['unique members, which are not amounts', { kind: 'unique', windowMs: 5 }, false],
    ['estimated members', { kind: 'sketch', windowMs: 1000, slices: 2 }, false],
  ];
  for (const [what, terms, expected] of cases) {
    it(`${expected ? 'sums' : 'keeps apart'} ${what}`, () => {
      assert.equal(combines(terms), expected);
    });
  }
});

describe('Entry', () => {
  it('is the operation that the store will see, with one caller', () => {
    const op = { key: 'k', delta: 2, terms: { kind: 'unique', windowMs: 5 }, member: 'm', requestId: 'r', requestTtlMs: 9 } as const;
    const { running: _, note, ...entry } = new Entry(op);
    assert.equal(note, undefined);
    assert.deepEqual(entry, { ...op, reach: undefined, effect: undefined, callers: 1, memo: undefined });
  });
});
