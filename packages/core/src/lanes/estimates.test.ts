import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Estimates } from './estimates.ts';

const answer = (...values: number[]) => ({ atMs: 0, values, notes: [] });
const ops = (...keys: string[]) => keys.map((key) => ({ key, delta: 1 }));

describe('Estimates', () => {
  it('remembers the last value of the keys that are watched, and of no others', () => {
    const estimates = new Estimates();
    estimates.watch('a');
    estimates.learn(ops('a', 'b', 'a'), answer(1, 7, 3));
    assert.equal(estimates.of('a'), 3);
    assert.equal(estimates.of('b'), 0);
  });

  it('keeps what it knows when a key is watched again', () => {
    const estimates = new Estimates();
    estimates.watch('a');
    estimates.learn(ops('a'), answer(5));
    estimates.watch('a');
    assert.equal(estimates.of('a'), 5);
  });

  it('holds 10,000 keys, and lets the one watched first go', () => {
    const estimates = new Estimates();
    for (let i = 0; i <= 10_000; i++) {
      estimates.watch(`k${i}`);
      estimates.learn(ops(`k${i}`), answer(9));
    }
    assert.deepEqual(['k0', 'k1', 'k10000'].map((key) => estimates.of(key)), [0, 9, 9]);
  });
});
