import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { status } from '@grpc/grpc-js';
import { countersService as counters } from '@tallystick/client/wire';
import { startGrpcNode, type GrpcNode } from '../../../../test/support/grpc-node.ts';

const MAX = Number.MAX_SAFE_INTEGER;

describe('Counters', () => {
  let node: GrpcNode;
  before(async () => {
    node = await startGrpcNode({ counters: { 'declared:*': { min: 0 } } });
  });
  after(() => node.close());

  it('adds and reads', async () => {
    assert.deepEqual(await node.call(counters.Add, { key: 'a' }), { outcome: 'applied', value: 1, exact: true, delta: 1 });
    assert.equal((await node.call(counters.Add, { key: 'a', delta: -5 })).value, -4);
    assert.deepEqual(await node.call(counters.Get, { key: 'a' }), { value: -4, found: true, exact: true });
    assert.deepEqual(await node.call(counters.Get, { key: 'none' }), { value: 0, found: false, exact: true });
  });

  it('carries values exactly up to the edges of the range', async () => {
    assert.equal((await node.call(counters.Add, { key: 'max', delta: MAX })).value, MAX);
    assert.equal((await node.call(counters.Add, { key: 'min', delta: -MAX })).value, -MAX);
    assert.equal((await node.call(counters.Get, { key: 'min' })).value, -MAX);
  });

  it('refuses to leave the range, with a status for one and a code for an item', async () => {
    await node.call(counters.Add, { key: 'full', delta: MAX });
    const error = await node.refused(counters.Add, counters.Add.requestSerialize({ key: 'full' }));
    assert.deepEqual([error.status, error.reason, error.code], ['OUT_OF_RANGE', 'OUT_OF_RANGE', '10006']);
    const results = await node.call(counters.BatchAdd, { items: [{ key: 'full' }, { key: 'beside' }] });
    const told = results.map(({ outcome, ...more }) => ['code' in more ? more.code : outcome, more.value]);
    assert.deepEqual(told, [['OUT_OF_RANGE', MAX], ['applied', 1]]);
  });

  it('obeys bounds, lifetimes and windows', async () => {
    const unlike = await node.call(counters.Add, { key: 'declared:x', delta: -3 });
    assert.deepEqual([unlike.value, 'delta' in unlike && unlike.delta], [0, 0]);
    const expiring = await node.call(counters.Add, { key: 'ttl', ttlMs: 5000 });
    assert.ok('ttlMs' in expiring && expiring.ttlMs > 4000 && expiring.ttlMs <= 5000);
    for (const member of ['m1', 'm2', 'm1']) await node.call(counters.Add, { key: 'u', type: 'unique', windowMs: 60_000, member });
    assert.equal((await node.call(counters.Get, { key: 'u', type: 'unique', windowMs: 60_000 })).value, 2);
    await node.call(counters.Add, { key: 'w', type: 'sliding-window', windowMs: 60_000, slices: 6, delta: 4 });
    assert.equal((await node.call(counters.Get, { key: 'w', type: 'sliding-window', windowMs: 60_000, slices: 6 })).value, 4);
    await node.call(counters.Add, { key: 's', type: 'sharded', shards: 5, delta: 4 });
    assert.equal((await node.call(counters.Get, { key: 's', type: 'sharded' })).value, 4);
  });

  it('reads many in order', async () => {
    await node.call(counters.BatchAdd, { items: [{ key: 'm:1', delta: 10 }, { key: 'm:2', delta: 20 }] });
    const readings = await node.call(counters.BatchGet, [{ key: 'm:2' }, { key: 'm:none' }, { key: 'm:1' }]);
    assert.deepEqual(readings.map(({ value, found }) => [value, found]), [[20, true], [0, false], [10, true]]);
  });

  it('gives the first answer to a request id again', async () => {
    const first = await node.call(counters.Add, { key: 'r', delta: 2, requestId: 'id' });
    await node.call(counters.Add, { key: 'r', delta: 5 });
    assert.deepEqual(await node.call(counters.Add, { key: 'r', delta: 2, requestId: 'id' }), { ...first, replayed: true });
    const batch = { items: [{ key: 'r2' }, { key: 'r3' }], requestId: 'b' };
    for (let attempt = 0; attempt < 2; attempt++) await node.call(counters.BatchAdd, batch);
    const readings = await node.call(counters.BatchGet, [{ key: 'r' }, { key: 'r2' }, { key: 'r3' }]);
    assert.deepEqual(readings.map(({ value }) => value), [7, 1, 1]);
  });

  it('names an unknown method by its status', async () => {
    const error = await node.refused({ path: '/tallystick.v1.Counters/Nothing' }, Buffer.alloc(0));
    assert.equal(error.status, status[status.UNIMPLEMENTED]);
  });
});
