import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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
