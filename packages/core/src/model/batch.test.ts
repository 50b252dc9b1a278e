import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Note } from './answer.ts';
import { effectsOf } from './batch.ts';
import type { Operation } from './operation.ts';

const unique = { kind: 'unique', windowMs: 1000 } as const;
const bounded = { kind: 'count', min: 0, max: 9, ttlMs: 500 } as const;

/** The effects of `operations` when they were answered with `values` and `notes` at 100. */
function effects(operations: readonly Operation[], values: readonly number[], notes: readonly Note[] = []): readonly Operation[] {
  const batch = effectsOf({ source: 's', partition: 3, seq: 7, operations }, { atMs: 100, values, notes });
  assert.deepEqual([batch.source, batch.partition, batch.seq], ['s', 3, 7]);
  return batch.operations.map((op) => JSON.parse(JSON.stringify(op)) as Operation);
}

describe('effectsOf', () => {
  it('keeps the amount that was really added, and no condition that was already decided', () => {
    const note = { index: 0, value: 0, delta: -2, expiresAtMs: 600 };
    assert.deepEqual(effects([{ key: 'k', delta: -5, terms: bounded }], [0], [note]), [
      { key: 'k', delta: -2, terms: { kind: 'count', ttlMs: 500 }, effect: { atMs: 100, expiresAtMs: 600 } },
    ]);
  });

  it('leaves out what was refused, and pairs the other notes rightly', () => {
    const operations = ['a', 'b', 'c'].map((key) => ({ key, delta: 5, terms: bounded }));
    const notes: Note[] = [
      { index: 0, value: 0, delta: 0, code: 'OUT_OF_RANGE' },
      { index: 2, value: 9, delta: 4 },
    ];
    assert.deepEqual(effects(operations, [0, 5, 9], notes).map(({ key, delta }) => [key, delta]), [['b', 5], ['c', 4]]);
  });

  it('carries the first answer to a request id that was asked again, for whoever gave it may be gone', () => {
    const note: Note = { index: 0, value: 7, delta: -2, replayed: true };
    assert.deepEqual(effects([{ key: 'k', delta: -5, terms: bounded, requestId: 'r' }], [7], [note]), [
      {
        key: 'k',
        delta: -2,
        terms: { kind: 'count', ttlMs: 500 },
        requestId: 'r',
        effect: { atMs: 100, answered: { value: 7, delta: -2 } },
      },
    ]);
  });

  it('keeps the lifetime of a request id, and leaves out what was answered from one: it may be forgotten by then', () => {
    const op = { key: 'k', delta: 3, requestId: 'r', requestTtlMs: 50 };
    assert.deepEqual(effects([op], [3]), [{ ...op, effect: { atMs: 100, answered: { value: 3, delta: 3 } } }]);
    assert.deepEqual(effects([op], [3], [{ index: 0, value: 3, delta: 3, replayed: true }]), []);
  });

  it('sees a member again although the value did not change', () => {
    const op = { key: 'k', delta: 1, terms: unique, member: 'm' };
    assert.deepEqual(effects([op], [4], [{ index: 0, value: 4, delta: 0 }]), [{ ...op, effect: { atMs: 100 } }]);
  });

  it('carries the answer that a request id was given', () => {
    const op = { key: 'k', delta: 1, terms: unique, member: 'm', requestId: 'r' };
    assert.deepEqual(effects([op], [4], [{ index: 0, value: 4, delta: 0 }])[0]?.effect, { atMs: 100, answered: { value: 4, delta: 0 } });
    assert.deepEqual(effects([{ key: 'k', delta: 3, requestId: 'r' }], [3])[0]?.effect, { atMs: 100, answered: { value: 3, delta: 3 } });
  });

  it('tells a lifetime that was given late from one given at creation', () => {
    const note: Note = { index: 0, value: 6, delta: 1, expiresAtMs: 600, repaired: true };
    const [given] = effects([{ key: 'k', delta: 1, terms: bounded }], [6], [note]);
    assert.deepEqual(given?.effect, { atMs: 100, expiresAtMs: 600, repaired: true });
  });

  it('leaves effects as they are: decided once', () => {
    const op = { key: 'k', delta: 2, effect: { atMs: 5 } };
    assert.deepEqual(effects([op], [9]), [op]);
  });
});
