import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { faultOf } from './fault.ts';

describe('faultOf', () => {
  it('finds nothing wrong with a key and an exact amount', () => {
    assert.equal(faultOf({ key: '__proto__', delta: -(2 ** 53 - 1), member: '\u{1f600}' }), undefined);
  });

  it('names what cannot be applied in any state', () => {
    for (const delta of [0.5, NaN, Infinity, 2 ** 53]) assert.equal(faultOf({ key: 'k', delta }), 'INVALID_AMOUNT');
    for (const key of ['', 'x'.repeat(513), '\ud800']) {
      assert.equal(faultOf({ key, delta: 1 }), 'INVALID_KEY');
      assert.equal(faultOf({ key: 'k', delta: 1, member: key }), 'INVALID_KEY');
    }
  });
});
