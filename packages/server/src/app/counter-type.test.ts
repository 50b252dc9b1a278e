import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { declaredTypes } from './counter-type.ts';

describe('declaredTypes', () => {
  it('takes a whole key first, else the longest beginning, else simple', () => {
    const typeOf = declaredTypes({ 'a:*': { type: 'batched' }, 'a:b:*': { type: 'unique', windowMs: 1 }, 'a:b:c': { min: 0 }, exact: { type: 'sliding-log', windowMs: 1 } });
    assert.deepEqual(['a:x', 'a:b:x', 'a:b:c', 'exact', 'exactly', ''].map(typeOf), ['batched', 'unique', 'simple', 'sliding-log', 'simple', 'simple']);
  });
});
