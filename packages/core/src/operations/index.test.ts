import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COUNTER_TYPES, termsOf } from '../model/counter-type.ts';
import { strategies } from './index.ts';

describe('strategies', () => {
  it('has one for the terms of every counter type', () => {
    for (const type of COUNTER_TYPES) {
      const windowed = type === 'simple' || type === 'batched' || type === 'sharded' ? {} : { windowMs: 1000 };
      const kind = termsOf({ type, ...windowed })?.kind ?? 'count';
      assert.equal(typeof strategies[kind].apply, 'function', type);
    }
  });

  it('tells windows of different lengths and slices apart, without a colon', () => {
    const variants = [
      strategies.window.variant({ kind: 'window', windowMs: 1000, slices: 6 }),
      strategies.window.variant({ kind: 'window', windowMs: 1000, slices: 60 }),
      strategies.window.variant({ kind: 'window', windowMs: 10_006, slices: 0 }),
      strategies.sketch.variant({ kind: 'sketch', windowMs: 2000, slices: 6 }),
      strategies.log.variant({ kind: 'log', windowMs: 3000 }),
      strategies.unique.variant({ kind: 'unique', windowMs: 4000 }),
      strategies.count.variant({ kind: 'count', min: 0 }),
    ];
    assert.equal(new Set(variants).size, variants.length);
    assert.ok(variants.every((variant) => !variant.includes(':')));
  });
});
