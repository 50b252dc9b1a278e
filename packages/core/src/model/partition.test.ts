import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { partitionOf } from './partition.ts';

describe('partitionOf', () => {
  it('is part of the data format: it never changes', () => {
    const keys = ['a', 'article:like:42', '__proto__', 'caf\u00e9', '\u{1f600}'];
    assert.deepEqual(keys.map((key) => partitionOf(key, 16)), [4, 10, 15, 13, 11]);
    assert.deepEqual(keys.map((key) => partitionOf(key, 1024)), [308, 810, 351, 109, 731]);
    assert.equal(partitionOf('anything', 1), 0);
  });

  it('spreads keys that differ in their last digits alone', () => {
    const sizes = new Array<number>(16).fill(0);
    for (let i = 0; i < 16_000; i++) sizes[partitionOf(`article:like:${i}`, 16)]! += 1;
    for (const size of sizes) assert.ok(Math.abs(size - 1000) < 150, String(sizes));
  });
});
