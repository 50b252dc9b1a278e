import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Batch } from '../model/batch.ts';
import { RESEND_BOUNDS, ResendWindow } from './resend-window.ts';

const batch = (seq: number, operations = 1): Batch =>
  ({ source: 's', partition: 0, seq, operations: Array.from({ length: operations }, () => ({ key: 'k', delta: 1 })) });
const answered = { atMs: 7, values: [1], notes: [] };
const seqs = (batches: readonly Batch[]): number[] => batches.map(({ seq }) => seq);

describe('ResendWindow', () => {
  it('gives what came after a seq, in order', () => {
    const window = new ResendWindow(RESEND_BOUNDS);
    for (const seq of [1, 2, 3]) window.keep(batch(seq), answered, seq);
    assert.deepEqual(seqs(window.after(1, 3)), [2, 3]);
    assert.deepEqual(seqs(window.after(3, 3)), []);
  });

  it('gives effects, not conditions; and leaves what are effects already alone', () => {
    const window = new ResendWindow(RESEND_BOUNDS);
    const terms = { kind: 'count', min: 0 } as const;
    window.keep({ ...batch(1), operations: [{ key: 'k', delta: -5, terms }] }, { atMs: 7, values: [0], notes: [{ index: 0, value: 0, delta: -2 }] }, 1);
    const effects = { ...batch(2), operations: [{ key: 'k', delta: 4, effect: { atMs: 3 } }] };
    window.keep(effects, undefined, 1);
    const [one, other] = window.after(0, 1);
    assert.equal(one?.operations[0]?.delta, -2);
    assert.equal(one.operations[0].terms, undefined);
    assert.deepEqual(one.operations[0].effect, { atMs: 7 });
    assert.equal(other, effects);
  });

  it('lets go of what is older than its time, and of the oldest beyond its number of operations', () => {
    const window = new ResendWindow({ forMs: 10, operations: 5 });
    window.keep(batch(1, 2), answered, 0);
    window.keep(batch(2, 2), answered, 1);
    assert.deepEqual(seqs(window.after(0, 9)), [1, 2]);
    window.keep(batch(3, 2), answered, 5);
    assert.deepEqual(seqs(window.after(0, 9)), [2, 3]);
    assert.deepEqual(seqs(window.after(0, 11)), [3]);
    assert.deepEqual(seqs(window.after(0, 15)), []);
  });

  it('is empty after it was cleared', () => {
    const window = new ResendWindow({ forMs: 10, operations: 1 });
    window.keep(batch(1), answered, 0);
    window.clear();
    assert.deepEqual(window.after(0, 0), []);
    window.keep(batch(2), answered, 0);
    assert.deepEqual(seqs(window.after(0, 0)), [2], 'what was cleared counts no more');
  });

  it('holds exactly the newest batches that fit its bounds', () => {
    const step = fc.record({ waitMs: fc.nat(6), operations: fc.nat(4) });
    fc.assert(fc.property(fc.array(step, { maxLength: 60 }), fc.nat(20), (steps, restMs) => {
      const window = new ResendWindow({ forMs: 12, operations: 9 });
      const kept: { seq: number; atMs: number; operations: number }[] = [];
      let nowMs = 0;
      for (const [i, { waitMs, operations }] of steps.entries()) {
        nowMs += waitMs;
        window.keep(batch(i + 1, operations), answered, nowMs);
        kept.push({ seq: i + 1, atMs: nowMs, operations });
        const trim = (): boolean => kept.reduce((sum, one) => sum + one.operations, 0) > 9 || (kept[0]?.atMs ?? Infinity) <= nowMs - 12;
        while (kept.length > 0 && trim()) kept.shift();
      }
      const expected = kept.filter(({ atMs }) => atMs > nowMs + restMs - 12).map(({ seq }) => seq);
      assert.deepEqual(seqs(window.after(0, nowMs + restMs)), expected);
    }));
  });

  it('gives the newest batch as long as it is held', () => {
    const window = new ResendWindow({ forMs: 10, operations: 100 });
    assert.equal(window.newest(0), undefined);
    for (const seq of [1, 2]) window.keep(batch(seq), answered, seq);
    assert.equal(window.newest(11)?.seq, 2);
    assert.equal(window.newest(12), undefined);
  });
});
