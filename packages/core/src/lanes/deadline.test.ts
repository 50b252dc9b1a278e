import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StillWorld } from '../../../../test/support/scripted-store.ts';
import { Deadlines } from './deadline.ts';

describe('Deadlines', () => {
  it('are one for all items of a call that may wait equally long, and none without a time', () => {
    const deadlines = new Deadlines(new StillWorld().environment);
    const first = deadlines.of(20);
    assert.equal(deadlines.of(20), first);
    assert.equal(deadlines.of(30)!.atMs - first!.atMs, 10);
    assert.equal(deadlines.of(undefined), undefined);
  });
});
