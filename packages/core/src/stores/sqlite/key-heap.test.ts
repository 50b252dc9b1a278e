import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { KeyHeap } from './key-heap.ts';

describe('a heap of keys', () => {
  it('gives keys in their order, whenever they came', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (some, more) => {
        const heap = new KeyHeap();
        for (const key of some) heap.push(key);
        const least = heap.pop();
        for (const key of more) heap.push(key);
        const rest = [...some].sort().slice(1);
        assert.equal(least, [...some].sort()[0]);
        const popped = Array.from({ length: heap.size }, () => heap.pop());
        assert.deepEqual(popped, [...rest, ...more].sort());
        assert.equal(heap.pop(), undefined);
      }),
    );
  });
});
