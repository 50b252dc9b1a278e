import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { backoffMs } from './backoff.ts';

describe('backoffMs', () => {
  it('doubles from 5 ms to 1 s and stays there', () => {
    const longest = [1, 2, 3, 8, 9, 10, 1_000_000].map((attempt) => backoffMs(attempt, () => 1));
    assert.deepEqual(longest, [5, 10, 20, 640, 1000, 1000, 1000]);
  });

  it('is spread over the upper half, so that processes do not come back in step', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 60 }), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, chance) => {
      const longestMs = backoffMs(attempt, () => 1);
      const delayMs = backoffMs(attempt, () => chance);
      assert.ok(delayMs >= longestMs / 2 && delayMs <= longestMs);
    }));
    assert.equal(backoffMs(3, () => 0), 10);
    assert.equal(backoffMs(3, () => 0.5), 15);
  });
});
