import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Declarations, declare } from './declarations.ts';
import type { CounterOptions } from './model/counter-type.ts';

describe('Declarations', () => {
  it('finds a whole key before a beginning, and the longest beginning first', () => {
    const declarations = new Declarations({
      'a:*': { min: 1 },
      'a:b:*': { min: 2 },
      '*': { min: 3 },
      'a:b:c': { min: 4 },
    });
    const minOf = (key: string): unknown => (declarations.of(key).terms as { min?: number }).min;
    assert.deepEqual(['a:b:c', 'a:b:d', 'a:b:', 'a:x', 'b'].map(minOf), [4, 2, 2, 1, 3]);
  });

  it('takes a key that nothing is declared for as a plain counter', () => {
    const declarations = new Declarations({ 'a:*': { type: 'batched' } });
    assert.deepEqual(declarations.of('b'), { type: 'simple', terms: undefined });
    assert.equal(declarations.find('b'), undefined);
    assert.equal(declarations.find('a:1')?.type, 'batched');
  });

  it('knows when nothing is declared at all', () => {
    assert.equal(new Declarations({}).isEmpty, true);
    assert.equal(new Declarations({ k: {} }).isEmpty, false);
    assert.equal(new Declarations({ 'k*': {} }).isEmpty, false);
  });

  it('shares frozen terms, of a declaration and of calls that say the same', () => {
    const declarations = new Declarations({ 'a:*': { ttlMs: 5 } });
    const { terms } = declarations.of('a:1');
    assert.ok(Object.isFrozen(terms));
    assert.equal(declarations.of('a:2').terms, terms);
    const given = declarations.given({ min: 0, ttlMs: 5 });
    declarations.given({ min: 1 });
    assert.equal(declarations.given({ ttlMs: 5, min: 0 }).terms, given.terms);
  });

  it('shares no terms of calls that differ', () => {
    const declarations = new Declarations({});
    const options = fc.record({ min: fc.option(fc.integer({ min: -3, max: 0 }), { nil: undefined }), max: fc.option(fc.nat(3), { nil: undefined }), ttlMs: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }) });
    fc.assert(fc.property(options, (given) => {
      const defined = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as CounterOptions;
      assert.deepEqual(declarations.given(defined), declare(defined));
    }));
  });

  it('names the pattern and the field at fault', () => {
    const declared = (byPattern: Record<string, CounterOptions>) => () => new Declarations(byPattern);
    assert.throws(declared({ 'a:*': { type: 'batched', min: 0 } }), { code: 'INVALID_CONFIG', field: 'counters["a:*"].min', message: /^counters\["a:\*"\]\.min: / });
    assert.throws(declared({ b: { type: 'sliding-log' } }), { code: 'INVALID_CONFIG', field: 'counters["b"].windowMs' });
    assert.throws(declared({ '': {} }), { code: 'INVALID_CONFIG', field: 'counters[""].key' });
  });

  it('tells calls apart that differ in their number of shards alone', () => {
    const declarations = new Declarations({ 's:*': { type: 'sharded', shards: 7 } });
    assert.deepEqual(declarations.of('s:1'), { type: 'sharded', terms: undefined, shards: 7 });
    const shards = [5, 6, 5, undefined].map((given) => declarations.given({ type: 'sharded', ...(given !== undefined && { shards: given }) }).shards);
    assert.deepEqual(shards, [5, 6, 5, 100]);
    assert.throws(() => new Declarations({ 's:*': { type: 'sharded', shards: 0 } }), { code: 'INVALID_CONFIG', field: 'counters["s:*"].shards' });
  });

  it('refuses options of a call as it refuses a declaration', () => {
    assert.throws(() => new Declarations({}).given({ type: 'unique' }), { code: 'INVALID_ARGUMENT', field: 'windowMs' });
  });

  it('refuses what is no number with a code, even where it looks like one that was given before (N07)', () => {
    const declarations = new Declarations({});
    declarations.given({ ttlMs: 5 });
    declarations.given({ ttlMs: 6 });
    for (const ttlMs of [5n, Object(5), { toJSON: () => 5 }, NaN, null]) {
      assert.throws(() => declarations.given({ ttlMs: ttlMs as number }), { code: 'INVALID_ARGUMENT', field: 'ttlMs' });
    }
  });

  it('goes on sharing after very many different options', () => {
    const declarations = new Declarations({});
    for (let ttlMs = 1; ttlMs <= 2500; ttlMs++) declarations.given({ ttlMs });
    const { terms } = declarations.given({ ttlMs: 7 });
    declarations.given({ ttlMs: 8 });
    assert.equal(declarations.given({ ttlMs: 7 }).terms, terms);
    assert.deepEqual(terms, { kind: 'count', ttlMs: 7 });
  });
});
