import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MAX_VALUE } from '../model/amount.ts';
import type { CountTerms, Operation } from '../model/operation.ts';
import { add, type Count } from './add.ts';

const op = (delta: number, terms?: Omit<CountTerms, 'kind'>, more: Partial<Operation> = {}): Operation => ({
  key: 'k',
  delta,
  ...(terms !== undefined && { terms: { kind: 'count', ...terms } }),
  ...more,
});

describe('add', () => {
  it('adds signed amounts and says what it added', () => {
    assert.deepEqual(add.apply(undefined, op(3), 0), [{ value: 3, delta: 3 }, { value: 3 }]);
    assert.deepEqual(add.apply({ value: 3 }, op(-5), 0), [{ value: -2, delta: -5 }, { value: -2 }]);
  });

  it('refuses to leave ±(2^53 − 1), the value unchanged (N01–N03)', () => {
    const top = { value: MAX_VALUE };
    assert.deepEqual(add.apply(top, op(1), 0), [{ value: MAX_VALUE, delta: 0, code: 'OUT_OF_RANGE' }, top]);
    assert.deepEqual(add.apply({ value: -MAX_VALUE }, op(-1), 0)[0], { value: -MAX_VALUE, delta: 0, code: 'OUT_OF_RANGE' });
    assert.equal(add.apply({ value: -MAX_VALUE }, op(MAX_VALUE), 0)[0].value, 0);
    assert.equal(add.apply({ value: MAX_VALUE - 1 }, op(1), 0)[0].value, MAX_VALUE);
  });

  it('holds any counter between its bounds, and never moves it by itself', () => {
    const bound = fc.option(fc.integer({ min: -20, max: 20 }), { nil: undefined });
    const steps = fc.array(fc.integer({ min: -15, max: 15 }), { maxLength: 20 });
    fc.assert(
      fc.property(fc.integer({ min: -30, max: 30 }), bound, bound, steps, (start, a, b, deltas) => {
        const [min, max] = a !== undefined && b !== undefined && a > b ? [b, a] : [a, b];
        const terms = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
        let state: Count = { value: start };
        for (const delta of deltas) {
          const before = state.value;
          const floor = Math.min(before, min ?? -Infinity);
          const ceiling = Math.max(before, max ?? Infinity);
          const expected = delta < 0 ? Math.max(before + delta, min === undefined ? -Infinity : floor) : Math.min(before + delta, ceiling);
          const [result, next] = add.apply(state, op(delta, terms), 0);
          assert.deepEqual([result.value, result.delta, next], [expected, expected - before, { value: expected }]);
          state = next!;
        }
      }),
    );
  });

  it('creates nothing and starts no lifetime for an amount of 0, asked or left over by a bound', () => {
    assert.deepEqual(add.apply(undefined, op(0, { ttlMs: 5 }), 0), [{ value: 0, delta: 0 }, undefined]);
    assert.deepEqual(add.apply(undefined, op(-1, { min: 0, ttlMs: 5 }), 0), [{ value: 0, delta: 0 }, undefined]);
    assert.deepEqual(add.apply({ value: 4 }, op(0, { ttlMs: 5 }), 0), [{ value: 4, delta: 0 }, { value: 4 }]);
    assert.deepEqual(add.apply(undefined, op(0, undefined, { effect: { atMs: 0 } }), 0)[1], undefined);
  });

  it('gives the lifetime once, at creation, and ends it at its last millisecond (T03, T04, T11)', () => {
    const [, state] = add.apply(undefined, op(1, { ttlMs: 10 }), 100);
    assert.deepEqual(state, { value: 1, expiresAtMs: 110 });
    assert.deepEqual(add.apply(state, op(1, { ttlMs: 10 }), 109), [
      { value: 2, delta: 1, expiresAtMs: 110 },
      { value: 2, expiresAtMs: 110 },
    ]);
    assert.equal(add.read(state, 109), 1);
    assert.equal(add.read(state, 110), undefined);
    assert.deepEqual(add.apply(state, op(1, { ttlMs: 10 }), 110)[1], { value: 1, expiresAtMs: 120 });
    assert.deepEqual(add.apply(state, op(1), 110)[1], { value: 1 });
  });

  it('gives a counter that is found without a lifetime one, and says so (C7, T01)', () => {
    assert.deepEqual(add.apply({ value: 7 }, op(1, { ttlMs: 10 }), 100)[0], { value: 8, delta: 1, expiresAtMs: 110, repaired: true });
  });

  it('keeps expiries within the exact integers (T06)', () => {
    assert.equal(add.apply(undefined, op(1, { ttlMs: MAX_VALUE }), 1e12)[0].expiresAtMs, MAX_VALUE);
  });

  it('refuses a combined amount as a whole when a part of it might leave the range, also when the parts cancel', () => {
    const near = { value: MAX_VALUE - 3 };
    assert.equal(add.apply(near, op(1, undefined, { reach: 9 }), 0)[0].code, 'OUT_OF_RANGE');
    assert.equal(add.apply(near, op(0, undefined, { reach: 8 }), 0)[0].code, 'OUT_OF_RANGE');
    assert.equal(add.apply({ value: 5 }, op(1, undefined, { reach: 9 }), 0)[0].value, 6);
  });

  it('creates the counter that amounts which cancel each other would have created', () => {
    assert.deepEqual(add.apply(undefined, op(0, undefined, { reach: 10 }), 0), [{ value: 0, delta: 0 }, { value: 0 }]);
    assert.deepEqual(add.apply(undefined, op(0, undefined, { reach: 10, effect: { atMs: 0 } }), 0)[1], { value: 0 });
  });
});

describe('an effect', () => {
  const effect = (delta: number, atMs: number, expiresAtMs?: number): Operation =>
    op(delta, { min: 0, max: 1 }, { effect: { atMs, ...(expiresAtMs !== undefined && { expiresAtMs }) } });

  it('is added as it was decided: no condition is asked again', () => {
    assert.deepEqual(add.apply({ value: 5 }, effect(3, 0), 10), [{ value: 8, delta: 3 }, { value: 8 }]);
  });

  it('belongs to no later counter of its key', () => {
    const held = { value: 5, expiresAtMs: 300 };
    assert.deepEqual(add.apply(held, effect(3, 100, 200), 150)[1], held);
    assert.deepEqual(add.apply(undefined, effect(3, 100, 200), 200)[1], undefined);
  });

  it('starts anew when the counter that is held is an earlier one', () => {
    assert.deepEqual(add.apply({ value: 5, expiresAtMs: 200 }, effect(3, 150, 300), 160)[1], { value: 3, expiresAtMs: 300 });
    // Decided after the held one had expired, by a clock that was ahead of this one.
    assert.deepEqual(add.apply({ value: 5, expiresAtMs: 200 }, effect(3, 200), 190)[1], { value: 3 });
  });

  it('ends a counter that was given its lifetime late, also when that is over by now', () => {
    const repairing = op(3, undefined, { effect: { atMs: 100, expiresAtMs: 200, repaired: true } });
    const [, state] = add.apply({ value: 5 }, repairing, 250);
    assert.equal(add.read(state ?? { value: 0 }, 250), undefined);
    assert.deepEqual(add.apply({ value: 5, expiresAtMs: 300 }, repairing, 250)[1], { value: 5, expiresAtMs: 300 });
  });

  it('gives its lifetime to a counter that has none, and takes that of the same counter', () => {
    assert.deepEqual(add.apply({ value: 5 }, effect(3, 100, 200), 100)[1], { value: 8, expiresAtMs: 200 });
    assert.deepEqual(add.apply({ value: 5, expiresAtMs: 200 }, effect(3, 100), 100)[1], { value: 8, expiresAtMs: 200 });
  });
});
