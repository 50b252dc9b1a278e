import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TallystickError } from '../errors.ts';
import { MAX_VALUE } from '../model/amount.ts';
import { OpenBatch } from './open-batch.ts';

const told = (batch: OpenBatch): string[] => batch.sealed().map(({ key, delta }) => `${key} ${delta}`);
const late = new TallystickError('TIMEOUT', 'late');

/** Puts an amount in as a caller does; returns its place. */
function join(batch: OpenBatch, key: string, delta: number): number {
  return batch.callers.add(batch.take(key, delta, undefined), delta, () => undefined, () => undefined);
}

describe('OpenBatch', () => {
  it('has one entry per key, however many callers there are', () => {
    const batch = new OpenBatch();
    for (let i = 0; i < 1000; i++) join(batch, 'hot', 1);
    join(batch, 'cold', 5);
    assert.deepEqual(told(batch), ['hot 1000', 'cold 5']);
    assert.equal(batch.callers.unsettled, 1001);
  });

  it('keeps operations with conditions, members or request ids in their place, and combines after them anew', () => {
    const batch = new OpenBatch();
    join(batch, 'k', 1);
    batch.append({ key: 'k', delta: -9, terms: { kind: 'count', min: 0 } }, false);
    assert.equal(batch.find('k', undefined), undefined);
    join(batch, 'k', 1);
    join(batch, 'k', 1);
    batch.append({ key: 'k', delta: 4, requestId: 'r' }, false);
    join(batch, 'k', 1);
    assert.deepEqual(told(batch), ['k 1', 'k -9', 'k 2', 'k 4', 'k 1']);
  });

  it('combines only under the same terms', () => {
    const batch = new OpenBatch();
    const terms = { kind: 'count', ttlMs: 5 } as const;
    batch.take('k', 1, terms);
    assert.equal(batch.find('k', { ...terms }), undefined);
    assert.equal(batch.find('k', terms)?.delta, 1);
  });

  it('combines nothing into an operation that is asked alone', () => {
    const batch = new OpenBatch();
    batch.append({ key: 'k', delta: 1 }, true);
    join(batch, 'k', 1);
    assert.deepEqual(told(batch), ['k 1', 'k 1']);
  });

  it('tells the store how far amounts of both signs reach', () => {
    const batch = new OpenBatch();
    for (const delta of [5, 3]) join(batch, 'k', delta);
    assert.equal(batch.entries[0]?.reach, undefined);
    for (const delta of [-6, 1]) join(batch, 'k', delta);
    assert.deepEqual([batch.entries[0]?.delta, batch.entries[0]?.reach], [3, 15]);
  });

  it('starts another entry where a sum, or its reach, would leave the range', () => {
    const batch = new OpenBatch();
    for (const delta of [MAX_VALUE, 1, -MAX_VALUE]) join(batch, 'k', delta);
    assert.deepEqual(told(batch), [`k ${MAX_VALUE}`, 'k 1', `k -${MAX_VALUE}`]);
    assert.ok(batch.entries.every(({ reach }) => reach === undefined));
  });

  it('checks a key that is new to it', () => {
    assert.throws(() => new OpenBatch().take('', 1, undefined), { code: 'INVALID_KEY' });
  });

  it('does not seal what all callers have left', () => {
    const batch = new OpenBatch();
    const places = [join(batch, 'a', 1), join(batch, 'b', 2)];
    const third = join(batch, 'b', 3);
    for (const place of places) batch.withdraw(place, late);
    assert.deepEqual(told(batch), ['b 3']);
    batch.withdraw(third, late);
    assert.deepEqual(told(batch), []);
    join(batch, 'b', 7);
    assert.deepEqual(told(batch), ['b 7']);
  });

  it('decides an amount that is alone again by itself', () => {
    const batch = new OpenBatch();
    join(batch, 'k', 5);
    const place = join(batch, 'k', -8);
    batch.withdraw(place, late);
    assert.deepEqual([batch.entries[0]?.delta, batch.entries[0]?.reach], [5, undefined]);
  });

  it('knows what it adds to a key', () => {
    const batch = new OpenBatch();
    join(batch, 'k', 2);
    batch.append({ key: 'k', delta: 5, requestId: 'r' }, false);
    assert.deepEqual([batch.pendingOf('k'), batch.pendingOf('other')], [7, 0]);
  });
});
