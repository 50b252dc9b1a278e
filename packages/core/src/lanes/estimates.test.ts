import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Estimates } from './estimates.ts';

const answer = (...values: number[]) => ({ atMs: 0, values, notes: [] });
const ops = (...keys: string[]) => keys.map((key) => ({ key, delta: 1 }));

function wanted(): Estimates {
  const estimates = new Estimates();
  estimates.isWanted = true;
  return estimates;
}

describe('Estimates', () => {
  it('remember the last value seen of a key', () => {
    const estimates = wanted();
    estimates.learn(ops('a', 'b', 'a'), answer(1, 7, 3));
    assert.deepEqual(['a', 'b', 'c'].map((key) => estimates.of(key)), [3, 7, 0]);
    estimates.learn(ops('a'), answer(4));
    assert.deepEqual(['a', 'b'].map((key) => estimates.of(key)), [4, 7]);
  });

  it('remember nothing as long as nobody will ask', () => {
    const estimates = new Estimates();
    estimates.learn(ops('a'), answer(5));
    estimates.isWanted = true;
    assert.equal(estimates.of('a'), 0);
  });

  it('hold the values of 10,000 operations, and let the oldest go', () => {
    const estimates = wanted();
    for (let i = 0; i <= 10_000; i++) estimates.learn(ops(`k${i}`), answer(9));
    assert.deepEqual(['k0', 'k1', 'k10000'].map((key) => estimates.of(key)), [0, 9, 9]);
  });
});
