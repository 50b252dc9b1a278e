import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { TallystickError } from '../errors.ts';
import type { AddResult } from '../model/add-result.ts';
import type { Answer } from '../model/answer.ts';
import type { Operation } from '../model/operation.ts';
import { Replica } from '../replica/replica.ts';
import { Callers } from './callers.ts';
import type { Deadline } from './deadline.ts';
import { Entry } from './entry.ts';
import { OpenBatch } from './open-batch.ts';

const never = (): never => assert.fail('asked again');

/** One entry of `deltas`, and what each of its callers is told. */
function setUp(deltas: readonly number[], op: Partial<Operation> = {}) {
  const callers = new Callers();
  const entry = new Entry({ key: 'k', delta: deltas.reduce((sum, delta) => sum + delta), ...op });
  entry.callers = deltas.length;
  const told: (AddResult | string)[] = [];
  for (const [i, delta] of deltas.entries()) {
    callers.add(entry, delta, (result) => { told[i] = result; }, ({ code, value }) => { told[i] = value === undefined ? code : `${code} at ${value}`; });
  }
  return { callers, entry, told };
}

const answer = (value: number, ...notes: Answer['notes']): Answer => ({ atMs: 100, values: [value], notes });
const applied = (value: number, delta: number): AddResult => ({ outcome: 'applied', value, exact: true, delta });

describe('Callers', () => {
  it('gives each caller the value right after its own amount', () => {
    const { callers, entry, told } = setUp([1, 5, -2]);
    callers.settle([entry], answer(14), never);
    assert.deepEqual(told, [applied(11, 1), applied(16, 5), applied(14, -2)]);
  });

  it('takes a caller who left before sealing out of everybody\'s value', () => {
    const { callers, entry, told } = setUp([1, 5, 3]);
    callers.withdraw(1, new TallystickError('TIMEOUT', 'late'));
    assert.deepEqual([entry.delta, entry.callers, callers.unsettled], [4, 2, 2]);
    callers.settle([entry], answer(14), never);
    assert.deepEqual(told, [applied(11, 1), 'TIMEOUT', applied(14, 3)]);
  });

  it('tells a caller who was told `accepted` nothing more, and counts its amount', () => {
    const { callers, entry, told } = setUp([1, 5, 3]);
    callers.accept(1, 99, never);
    assert.deepEqual([callers.accepted, callers.unsettled], [1, 3]);
    callers.settle([entry], answer(19), never);
    assert.deepEqual(told, [applied(11, 1), { outcome: 'accepted', value: 99, exact: false, delta: 5 }, applied(19, 3)]);
  });

  it('asks for each caller singly, with what is left of its time, when a combined amount is refused as a whole', () => {
    const { callers, entry, told } = setUp([4, 5]);
    const deadline = { timeoutMs: 50, atMs: 150, onOutage: 'queue', isKept: false } as const;
    callers.limit(1, deadline);
    const asked: [Operation, Deadline | undefined][] = [];
    callers.settle([entry], answer(7, { index: 0, value: 7, delta: 0, code: 'OUT_OF_RANGE' }), (op, resolve, _reject, until) => {
      asked.push([op, until]);
      resolve(applied(op.delta, op.delta));
    });
    assert.deepEqual(asked, [[{ key: 'k', delta: 4, terms: undefined }, undefined], [{ key: 'k', delta: 5, terms: undefined }, deadline]]);
    assert.deepEqual(told, [applied(4, 4), applied(5, 5)]);
  });

  it('refuses a single amount with the value that stays', () => {
    const { callers, entry, told } = setUp([4]);
    callers.settle([entry], answer(7, { index: 0, value: 7, delta: 0, code: 'OUT_OF_RANGE' }), never);
    assert.deepEqual(told, ['OUT_OF_RANGE at 7']);
  });

  it('says so when what was accepted is refused after all', () => {
    const { callers, entry } = setUp([4]);
    const dropped: string[] = [];
    callers.accept(0, 4, ({ code }) => dropped.push(code));
    callers.settle([entry], answer(7, { index: 0, value: 7, delta: 0, code: 'OUT_OF_RANGE' }), never);
    assert.deepEqual(dropped, ['OUT_OF_RANGE']);
  });

  it('passes on what a bound left, the time to live and a first answer', () => {
    const bounded = setUp([-9], { terms: { kind: 'count', min: 0 } });
    bounded.callers.settle([bounded.entry], answer(0, { index: 0, value: 0, delta: -2, expiresAtMs: 140 }), never);
    assert.deepEqual(bounded.told, [{ ...applied(0, -2), ttlMs: 40 }]);
    const again = setUp([3], { requestId: 'r' });
    again.callers.settle([again.entry], answer(8, { index: 0, value: 8, delta: 2, replayed: true }), never);
    assert.deepEqual(again.told, [{ ...applied(8, 2), replayed: true }]);
  });

  it('has no time to live to tell when the counter of a first answer is gone', () => {
    const { callers, entry, told } = setUp([3], { requestId: 'r' });
    callers.settle([entry], answer(3, { index: 0, value: 3, delta: 3, replayed: true, expiresAtMs: 100 }), never);
    assert.deepEqual(told, [{ ...applied(3, 3), replayed: true }]);
  });

  it('shares the time to live of a combined entry', () => {
    const { callers, entry, told } = setUp([1, 2]);
    callers.settle([entry], answer(13, { index: 0, value: 13, delta: 3, expiresAtMs: 140 }), never);
    assert.deepEqual(told, [{ ...applied(11, 1), ttlMs: 40 }, { ...applied(13, 2), ttlMs: 40 }]);
  });

  it('tells whose deadline has passed, and when the next one does; not of those who have left or were accepted', () => {
    const { callers } = setUp([1, 2, 3, 4, 5]);
    const how = { onOutage: 'queue', isKept: false } as const;
    const shared: Deadline = { timeoutMs: 1, atMs: 20, ...how };
    const deadlines = [{ timeoutMs: 1, atMs: 30, ...how }, shared, shared, shared, { timeoutMs: 1, atMs: 25, ...how }] as const;
    for (const [place, deadline] of deadlines.entries()) callers.limit(place, deadline);
    const left = (): number[] => {
      const places: number[] = [];
      assert.equal(callers.overdue(20, (place, deadline) => { places.push(place); assert.equal(deadline, shared); }), 25);
      return places;
    };
    assert.deepEqual([left(), callers.limited], [[1, 2, 3], 5]);
    callers.withdraw(2, new TallystickError('TIMEOUT', 'late'));
    callers.accept(3, 0, () => undefined);
    assert.deepEqual([left(), callers.limited], [[1], 3]);
  });

  it('refuses everybody who waits when it fails, and tells whoever answers for the accepted', () => {
    const { callers, told } = setUp([1, 2]);
    const dropped: string[] = [];
    callers.accept(0, 1, ({ code }) => dropped.push(code));
    callers.fail('OUTCOME_UNKNOWN', 'closed');
    assert.equal(told[1], 'OUTCOME_UNKNOWN');
    assert.deepEqual(dropped, ['OUTCOME_UNKNOWN']);
  });

  it('tells everybody what they would be told one after the other', () => {
    const amount = fc.record({ key: fc.constantFrom('a', 'b'), delta: fc.integer({ min: -9, max: 9 }), leaves: fc.boolean() });
    fc.assert(fc.property(fc.array(amount, { maxLength: 30 }), (amounts) => {
      const batch = new OpenBatch();
      const told: unknown[] = [];
      const refuse = (): void => undefined;
      const places = amounts.map(({ key, delta }, i) => batch.callers.add(batch.take(key, delta, undefined), delta, (result) => { told[i] = result; }, refuse));
      for (const [i, { leaves }] of amounts.entries()) if (leaves) batch.withdraw(places[i]!, new TallystickError('TIMEOUT', 'late'));
      const sealed = batch.sealed();
      batch.callers.settle(sealed, new Replica().apply({ source: 's', partition: 0, seq: 1, operations: sealed }, 0) as Answer, never);
      const values = new Map([['a', 0], ['b', 0]]);
      for (const [i, { key, delta, leaves }] of amounts.entries()) {
        if (!leaves) values.set(key, values.get(key)! + delta);
        assert.deepEqual(told[i], leaves ? undefined : applied(values.get(key)!, delta));
      }
    }));
  });
});
