import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { faultOf } from './fault.ts';

describe('faultOf', () => {
  it('finds nothing wrong with a key and an exact amount', () => {
    assert.equal(faultOf({ key: '__proto__', delta: -(2 ** 53 - 1), member: '\u{1f600}' }), undefined);
  });

  it('names a lifetime of a request id that would never end, or has ended', () => {
    assert.equal(faultOf({ key: 'k', delta: 1, requestId: 'r', requestTtlMs: 1 }), undefined);
    for (const requestTtlMs of [0, -1, 1.5, NaN, Infinity]) {
      assert.equal(faultOf({ key: 'k', delta: 1, requestId: 'r', requestTtlMs }), 'INVALID_ARGUMENT');
    }
  });

  it('names what cannot be applied in any state', () => {
    for (const delta of [0.5, NaN, Infinity, 2 ** 53]) assert.equal(faultOf({ key: 'k', delta }), 'INVALID_AMOUNT');
    for (const key of ['', 'x'.repeat(513), '\ud800']) {
      assert.equal(faultOf({ key, delta: 1 }), 'INVALID_KEY');
      assert.equal(faultOf({ key: 'k', delta: 1, member: key }), 'INVALID_KEY');
    }
  });
});
