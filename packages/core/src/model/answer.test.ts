import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ABSENT, isBehind } from './answer.ts';

describe('isBehind', () => {
  it('tells a replica that lost a suffix from one that answers, even when it lost everything', () => {
    assert.equal(isBehind({ behind: 0 }), true);
    assert.equal(isBehind({ atMs: 0, values: [], notes: [] }), false);
  });
});

describe('ABSENT', () => {
  it('cannot be changed by a reader for the others', () => {
    assert.deepEqual(ABSENT, { value: 0, found: false });
    assert.ok(Object.isFrozen(ABSENT));
  });
});
