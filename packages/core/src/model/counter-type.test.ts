import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COUNTER_TYPES, shardsOf, termsOf, typeOf, type CounterOptions } from './counter-type.ts';

const bad = (options: unknown): CounterOptions => options as CounterOptions;

describe('termsOf', () => {
  it('gives the terms of each type, with its defaults', () => {
    assert.equal(termsOf({}), undefined);
    assert.equal(termsOf({ type: 'batched' }), undefined);
    assert.equal(termsOf({ type: 'sharded', shards: 5 }), undefined);
    assert.deepEqual(termsOf({ min: 0, ttlMs: 5 }), { kind: 'count', min: 0, ttlMs: 5 });
    assert.deepEqual(termsOf({ max: 9 }), { kind: 'count', max: 9 });
    assert.deepEqual(termsOf({ type: 'sliding-log', windowMs: 1 }), { kind: 'log', windowMs: 1 });
    assert.deepEqual(termsOf({ type: 'sliding-window', windowMs: 60_000 }), { kind: 'window', windowMs: 60_000, slices: 60 });
    assert.deepEqual(termsOf({ type: 'unique', windowMs: 1 }), { kind: 'unique', windowMs: 1 });
    assert.deepEqual(termsOf({ type: 'unique-approx', windowMs: 1000, slices: 1000 }), { kind: 'sketch', windowMs: 1000, slices: 1000 });
    assert.deepEqual(termsOf({ type: 'unique-approx', windowMs: 1000 }), { kind: 'sketch', windowMs: 1000, slices: 6 });
  });

  it('refuses what a type does not know, needs or can do, naming the field', () => {
    const cases: [unknown, string, string][] = [
      [{ type: 'fast' }, 'INVALID_ARGUMENT', 'type'],
      [{ type: 'toString' }, 'INVALID_ARGUMENT', 'type'],
      [{ mim: 0 }, 'UNKNOWN_FIELD', 'mim'],
      [{ constructor: 1 }, 'UNKNOWN_FIELD', 'constructor'],
      [{ type: 'batched', min: 0 }, 'INVALID_ARGUMENT', 'min'],
      [{ windowMs: 5 }, 'INVALID_ARGUMENT', 'windowMs'],
      [{ min: 2, max: 1 }, 'INVALID_ARGUMENT', 'min'],
      [{ min: 0.5 }, 'INVALID_AMOUNT', 'min'],
      [{ max: '9' }, 'INVALID_AMOUNT', 'max'],
      [{ ttlMs: 0 }, 'INVALID_ARGUMENT', 'ttlMs'],
      [{ ttlMs: '60' }, 'INVALID_ARGUMENT', 'ttlMs'],
      [{ type: 'sliding-log' }, 'INVALID_ARGUMENT', 'windowMs'],
      [{ type: 'unique' }, 'INVALID_ARGUMENT', 'windowMs'],
      [{ type: 'sliding-window', windowMs: 999 }, 'INVALID_ARGUMENT', 'windowMs'],
      [{ type: 'sliding-window', windowMs: 1000, slices: 0 }, 'INVALID_ARGUMENT', 'slices'],
      [{ type: 'sliding-window', windowMs: 1000, slices: null }, 'INVALID_ARGUMENT', 'slices'],
      [{ type: 'unique-approx', windowMs: 1000, slices: 1001 }, 'INVALID_ARGUMENT', 'slices'],
      [{ type: 'unique', windowMs: 1000, slices: 6 }, 'INVALID_ARGUMENT', 'slices'],
      [{ type: 'sharded', min: 0 }, 'INVALID_ARGUMENT', 'min'],
      [{ type: 'sharded', ttlMs: 5 }, 'INVALID_ARGUMENT', 'ttlMs'],
      [{ shards: 5 }, 'INVALID_ARGUMENT', 'shards'],
    ];
    for (const [options, code, field] of cases) assert.throws(() => termsOf(bad(options)), { code, field }, JSON.stringify(options));
  });

  it('takes an undefined field for one that is not given', () => {
    assert.equal(termsOf(bad({ min: undefined, windowMs: undefined })), undefined);
  });
});

describe('typeOf', () => {
  it('is simple by default, and any of the types by name', () => {
    assert.equal(typeOf({}), 'simple');
    for (const type of COUNTER_TYPES) assert.equal(typeOf({ type }), type);
  });
});

describe('shardsOf', () => {
  it('is a hundred by default, 1 to 1,024, and nothing for other types', () => {
    assert.equal(shardsOf({ type: 'sharded' }), 100);
    assert.deepEqual([1, 1024].map((shards) => shardsOf({ type: 'sharded', shards })), [1, 1024]);
    assert.equal(shardsOf({}), undefined);
    for (const shards of [0, 1025, 1.5, NaN, '5', null]) {
      assert.throws(() => shardsOf(bad({ type: 'sharded', shards })), { code: 'INVALID_ARGUMENT', field: 'shards' }, String(shards));
    }
  });
});
