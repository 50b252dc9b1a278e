import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { KeyHeap } from './key-heap.ts';
import { Queue } from './queue.ts';

describe('a queue', () => {
  it('gives items in the order they came', () => {
    const queue = new Queue<number>();
    for (let i = 0; i < 5000; i++) queue.push(i);
    for (let i = 0; i < 4000; i++) assert.equal(queue.shift(), i);
    for (let i = 5000; i < 6000; i++) queue.push(i);
    assert.deepEqual([queue.first, queue.size], [4000, 2000]);
    assert.deepEqual(queue.clear(), Array.from({ length: 2000 }, (_, i) => i + 4000));
    assert.deepEqual([queue.shift(), queue.first, queue.size], [undefined, undefined, 0]);
  });
});

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
