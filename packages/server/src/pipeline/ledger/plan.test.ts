import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_VALUE } from 'tallystick';
import { encodeRecord, type LogRecord } from '../record.ts';
import { planOf, readArrival, type Arrival, type Known } from './plan.ts';

const arrival = (source: string, seq: number, entries: LogRecord['entries'] = [['k', 1]], atMs = 1000): Arrival =>
  readArrival(0, encodeRecord({ source, seq, atMs, entries }));
const known = (progress: Record<string, number> = {}, forgottenBeforeMs = 0, restoredAtMs = 0): Known => ({ progress: new Map(Object.entries(progress)), forgottenBeforeMs, restoredAtMs });
const reasons = (plan: ReturnType<typeof planOf>): string[] => plan.parked.map(({ reason, fault }) => `${reason}: ${fault}`);

describe('the sequence rule of the ledger', () => {
  it('applies the next records of each source, sums their deltas, and tells how far each has come', () => {
    const plan = planOf(known({ a: 4 }), [arrival('a', 5, [['x', 2], ['y', -1]]), arrival('b', 1, [['x', 3]], 2000), arrival('a', 6, [['x', -5]])]);
    assert.deepEqual([...plan.sums], [['x', 0], ['y', -1]]);
    assert.deepEqual([...plan.advanced], [['a', { seq: 6, atMs: 1000 }], ['b', { seq: 1, atMs: 2000 }]]);
    assert.equal(plan.applied.length, 3);
  });

  it('skips what was applied, and what comes twice', () => {
    const plan = planOf(known({ a: 4 }), [arrival('a', 3), arrival('a', 4), arrival('a', 5), arrival('a', 5)]);
    assert.deepEqual([...plan.sums], [['k', 1]]);
    assert.equal(plan.skipped.length, 3);
  });

  it('parks what waits for a record that has not come, of that source alone', () => {
    const plan = planOf(known({ a: 4 }), [arrival('a', 6), arrival('a', 7), arrival('b', 1), arrival('c', 2)]);
    assert.deepEqual(reasons(plan), ['gap: seq 5 to 5 have not come', 'gap: seq 5 to 6 have not come', 'gap: seq 1 to 1 have not come']);
    assert.deepEqual([...plan.advanced.keys()], ['b']);
  });

  it('applies over a gap that is given up, and counts what is lost', () => {
    const plan = planOf(known({ a: 4 }), [arrival('a', 6), arrival('a', 7), arrival('a', 10)], true);
    assert.equal(plan.lost, 1 + 2);
    assert.deepEqual([...plan.sums], [['k', 3]]);
    assert.deepEqual(plan.advanced.get('a')?.seq, 10);
  });

  it('parks what cannot be read and goes on with what comes after it', () => {
    const impossible = arrival('a', 5, [['', 1]]);
    const plan = planOf(known({ a: 4 }), [readArrival(0, Buffer.from('nonsense')), impossible, arrival('a', 6)]);
    assert.deepEqual(plan.parked.map(({ reason }) => reason), ['unreadable', 'impossible']);
    assert.equal(plan.advanced.get('a')?.seq, 6);
    assert.deepEqual([...plan.sums], [['k', 1]]);
  });

  it('takes an old record of an unknown source for one that may have been applied', () => {
    const plan = planOf(known({ old: 3 }, 5000), [arrival('gone', 1, [['k', 1]], 4999), arrival('old', 4, [['k', 1]], 10), arrival('new', 1, [['k', 1]], 5000)]);
    assert.deepEqual(plan.parked.map(({ reason }) => reason), ['forgotten']);
    assert.deepEqual([...plan.advanced.keys()], ['old', 'new']);
  });

  it('waits for what Redis was restored without to be sent again', () => {
    const late = [arrival('a', 4, [['k', 1]], 999), arrival('a', 5, [['k', 1]], 999), arrival('restore:1', 1, [], 10)];
    const plan = planOf(known({ a: 4 }, 0, 1000), [...late, arrival('a', 5, [['k', 1]], 1000)]);
    assert.deepEqual(reasons(plan), ['gap: Redis was restored without it at 1970-01-01T00:00:01.000Z']);
    assert.deepEqual([[...plan.advanced.keys()], [...plan.sums]], [['restore:1', 'a'], [['k', 1]]]);
    assert.deepEqual([...planOf(known({ a: 4 }, 0, 1000), late, true).sums], [['k', 1]]);
  });

  it('sums exactly beyond ±(2^53 − 1)', () => {
    const plan = planOf(known(), [arrival('a', 1, [['k', MAX_VALUE]]), arrival('a', 2, [['k', MAX_VALUE]]), arrival('a', 3, [['k', -3]])]);
    assert.equal(plan.sums.get('k'), 2n * BigInt(MAX_VALUE) - 3n);
  });
});
