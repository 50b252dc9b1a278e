import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MAX_VALUE } from '../model/amount.ts';
import { Memo } from '../model/memo.ts';
import type { Count } from '../operations/add.ts';
import { CountTable } from './count-table.ts';

const key = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'a', 'b'), fc.nat(30).map(String));
const count = fc.record({ value: fc.maxSafeInteger(), expiresAtMs: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }) });

/** Before some of the expiries, after others. */
const NOW = 5;

const command = fc.oneof(
  fc.record({ do: fc.constant('set' as const), key, count }),
  fc.record({ do: fc.constant('add' as const), key, delta: fc.integer({ min: -5, max: 5 }) }),
  fc.record({ do: fc.constant('delete' as const), key }),
);

const plain = ({ value, expiresAtMs }: { value: number; expiresAtMs: number | undefined }): Count =>
  expiresAtMs === undefined ? { value } : { value, expiresAtMs };

describe('CountTable', () => {
  it('holds what a Map holds, whatever is set, added and deleted', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 120 }), (commands) => {
        const table = new CountTable();
        const model = new Map<string, Count>();
        const memos: Record<string, Memo> = Object.create(null) as Record<string, Memo>;
        for (const given of commands) {
          if (given.do === 'set') {
            table.set(given.key, plain(given.count));
            model.set(given.key, plain(given.count));
          } else if (given.do === 'delete') {
            table.delete(given.key);
            model.delete(given.key);
          } else {
            const value = table.addPlain({ key: given.key, delta: given.delta, memo: memos[given.key] ??= new Memo(given.key) }, NOW);
            const held = model.get(given.key);
            const sum = (held?.value ?? 0) + given.delta;
            const general = (held?.expiresAtMs ?? NOW + 1) <= NOW || Math.abs(sum) > MAX_VALUE || (held === undefined && given.delta === 0);
            assert.deepEqual(value, general ? NaN : sum);
            if (!general) model.set(given.key, { ...held, value: sum });
            if (!general) assert.equal(table.expiresAtMs, held?.expiresAtMs ?? 0);
          }
          assert.equal(table.size, model.size);
        }
        assert.deepEqual(new Map([...table.keys()].map((each) => [each, table.get(each)])), model);
        for (const each of ['a', 'b', '__proto__', '7', 'toString']) {
          assert.deepEqual(table.get(each), model.get(each));
          assert.equal(table.has(each), model.has(each));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('grows past its first capacity, with and without expiries', () => {
    const table = new CountTable();
    for (let i = 0; i < 5000; i++) table.set(`k${i}`, i % 3 === 0 ? { value: i, expiresAtMs: i + 1 } : { value: i });
    for (let i = 0; i < 5000; i++) assert.deepEqual(table.get(`k${i}`), i % 3 === 0 ? { value: i, expiresAtMs: i + 1 } : { value: i });
  });

  it('leaves to the general path what it must not decide: fresh combined amounts, what is no key, a reach out of range', () => {
    const table = new CountTable();
    assert.ok(Number.isNaN(table.addPlain({ key: 'k', delta: 1, reach: 5 }, NOW)));
    assert.ok(Number.isNaN(table.addPlain({ key: '', delta: 1 }, NOW)));
    assert.ok(Number.isNaN(table.addPlain({ key: 'x'.repeat(513), delta: 1 }, NOW)));
    assert.equal(table.size, 0);
    table.set('k', { value: MAX_VALUE - 3 });
    assert.ok(Number.isNaN(table.addPlain({ key: 'k', delta: 1, reach: 5 }, NOW)));
    assert.equal(table.addPlain({ key: 'k', delta: 1, reach: 3 }, NOW), MAX_VALUE - 2);
  });

  it('takes a slot that was given back, without what was in it', () => {
    const table = new CountTable();
    table.set('stays', { value: 1 });
    table.set('goes', { value: 7, expiresAtMs: 9 });
    table.delete('goes');
    assert.equal(table.addPlain({ key: 'comes', delta: 1 }, NOW), 1);
    assert.deepEqual(table.get('comes'), { value: 1 });
  });

  it('believes no memo of a slot that was given back, nor one of another table', () => {
    const table = new CountTable();
    const memo = new Memo('goes');
    assert.equal(table.addPlain({ key: 'stays', delta: 5 }, NOW), 5);
    assert.equal(table.addPlain({ key: 'goes', delta: 7, memo }, NOW), 7);
    table.delete('goes');
    assert.equal(table.addPlain({ key: 'comes', delta: 1 }, NOW), 1);
    assert.equal(table.addPlain({ key: 'goes', delta: 3, memo }, NOW), 3);
    assert.equal(new CountTable().addPlain({ key: 'goes', delta: 2, memo }, NOW), 2);
    assert.deepEqual(['stays', 'goes', 'comes'].map((key) => table.get(key)?.value), [5, 3, 1]);
  });

  it('adds to a counter as long as it lives, and gives none a lifetime', () => {
    const table = new CountTable();
    const memo = new Memo('k');
    const terms = { kind: 'count', ttlMs: 4 } as const;
    assert.ok(Number.isNaN(table.addPlain({ key: 'k', delta: 1, terms, memo }, NOW)), 'created without a lifetime');
    table.addPlain({ key: 'k', delta: 1, memo }, NOW);
    assert.ok(Number.isNaN(table.addPlain({ key: 'k', delta: 1, terms, memo }, NOW)), 'left without the lifetime asked for');
    table.set('k', { value: 1, expiresAtMs: 9 });
    assert.equal(table.addPlain({ key: 'k', delta: 2, terms, memo }, 8), 3);
    assert.equal(table.addPlain({ key: 'k', delta: 2, memo }, 8), 5);
    assert.equal(table.expiresAtMs, 9);
    assert.ok(Number.isNaN(table.addPlain({ key: 'k', delta: 1, memo }, 9)), 'added to an expired counter');
    assert.deepEqual(table.get('k'), { value: 5, expiresAtMs: 9 });
  });
});
