import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPossible } from './account.ts';

const possible = (sum: number, optional: number[], [least, most] = [0, 0]): boolean => isPossible(sum, { certain: 5, optional, least: least, most: most });

describe('isPossible', () => {
  it('knows one sum when nothing is in doubt', () => {
    assert.deepEqual([4, 5, 6].map((sum) => possible(sum, [])), [false, true, false]);
  });

  it('lets each amount in doubt count once or not at all', () => {
    const sums = Array.from({ length: 20 }, (_, i) => i - 5).filter((sum) => possible(sum, [2, 2, 7, -3]));
    assert.deepEqual(sums, [2, 4, 5, 6, 7, 9, 11, 12, 13, 14]);
  });

  it('gives bounded amounts their range', () => {
    assert.deepEqual([1, 2, 6, 9, 10].map((sum) => possible(sum, [3], [-3, 1])), [false, true, true, true, false]);
  });
});
