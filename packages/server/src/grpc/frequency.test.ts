import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { frequencyService as frequency } from '@tallystick/client/wire';
import { startGrpcNode, type GrpcNode } from '../../../../test/support/grpc-node.ts';

describe('FrequencyControl', () => {
  let node: GrpcNode;
  before(async () => {
    node = await startGrpcNode();
  });
  after(() => node.close());

  const add = (key: string, more: object = {}) => ({ business_id: 7, key, time_span: 60, time_unit: 0, ...more });

  it('counts from the first add, and does not renew the lifetime', async () => {
    const first = await node.call(frequency.AddFreq, add('a'));
    assert.deepEqual(first, { code: 0, msg: 'OK', business_id: 7, key: 'a', freq: 1, ttl: 60, accepted: false });
    const second = await node.call(frequency.AddFreq, add('a', { time_span: 3600 }));
    assert.equal(second.freq, 2);
    assert.ok(second.ttl <= 60, `${second.ttl}`);
  });

  it('takes days of 24 hours', async () => {
    assert.equal((await node.call(frequency.AddFreq, add('day', { time_span: 2, time_unit: 1 }))).ttl, 2 * 24 * 3600);
  });

  it('reads what was counted, and says 10002 where nothing was', async () => {
    await node.call(frequency.AddFreq, add('read'));
    const found = await node.call(frequency.GetFreq, { business_id: 7, key: 'read' });
    assert.deepEqual({ ...found, ttl: 0 }, { code: 0, msg: 'OK', business_id: 7, key: 'read', freq: 1, ttl: 0, accepted: false });
    const other = await node.call(frequency.GetFreq, { business_id: 8, key: 'read' });
    assert.deepEqual([other.code, other.freq, other.ttl], [10002, 0, 0]);
  });

  it('keeps the largest and the smallest business apart', async () => {
    await node.call(frequency.AddFreq, add('edge', { business_id: 2 ** 32 - 1 }));
    assert.equal((await node.call(frequency.GetFreq, { business_id: 2 ** 32 - 1, key: 'edge' })).freq, 1);
    assert.equal((await node.call(frequency.GetFreq, { business_id: 0, key: 'edge' })).code, 10002);
  });

  it('adds a batch in order, and reads one', async () => {
    const batch = await node.call(frequency.BatchAddFreq, { requests: [add('x'), add('y'), add('x')] });
    assert.deepEqual([batch.code, batch.results.map(({ key, freq }) => [key, freq])], [0, [['x', 1], ['y', 1], ['x', 2]]]);
    const read = await node.call(frequency.BatchGetFreq, { requests: [{ business_id: 7, key: 'x' }, { business_id: 7, key: 'none' }] });
    assert.deepEqual([read.code, read.results.map(({ code, freq }) => [code, freq])], [0, [[0, 2], [10002, 0]]]);
  });

  it('counts a repeated request id once, in a single call and in a batch', async () => {
    for (let attempt = 0; attempt < 3; attempt++) {
      assert.equal((await node.call(frequency.AddFreq, add('once', { request_id: 'r1' }))).freq, 1);
      const { results } = await node.call(frequency.BatchAddFreq, { requests: [add('once-b'), add('once-c')], request_id: 'r2' });
      assert.deepEqual(results.map(({ freq }) => freq), [1, 1]);
    }
    assert.equal((await node.call(frequency.GetFreq, { business_id: 7, key: 'once-b' })).freq, 1);
  });

  it('answers calls that are under way at once each with its own value', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => node.call(frequency.AddFreq, add('busy'))));
    assert.deepEqual(answers.map(({ freq }) => freq).sort((a, b) => a - b), Array.from({ length: 200 }, (_, i) => i + 1));
  });
});
