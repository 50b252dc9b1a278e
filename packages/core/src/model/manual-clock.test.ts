import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { manualClock } from './manual-clock.ts';

describe('manualClock', () => {
  it('stands until it is moved, forward or back', () => {
    const clock = manualClock(1000);
    assert.equal(clock(), 1000);
    assert.equal(clock(), 1000);
    clock.advance(5);
    assert.equal(clock(), 1005);
    clock.advance(-10);
    assert.equal(clock(), 995);
    clock.set(7);
    assert.equal(clock(), 7);
  });
});
