import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BUCKETS_SECONDS, ResponseTimes } from './figures.ts';

describe('ResponseTimes', () => {
  it('puts a time at an edge into the bucket of that edge, and what is above all edges into the last', () => {
    const times = new ResponseTimes();
    for (const seconds of [0, ...BUCKETS_SECONDS, 11]) times.observe(seconds);
    assert.deepEqual([...times.buckets], [2, ...BUCKETS_SECONDS.slice(1).map(() => 1), 1]);
    assert.equal(times.count, BUCKETS_SECONDS.length + 2);
    assert.equal(times.sumSeconds, BUCKETS_SECONDS.reduce((sum, edge) => sum + edge, 0) + 11);
  });
});
