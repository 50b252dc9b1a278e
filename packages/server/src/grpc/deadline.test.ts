import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { describe, it } from 'node:test';
import { countersService as counters, frequencyService as frequency } from '@tallystick/client/wire';
import { slowStore, startGrpcNode, type GrpcNode } from '../../../../test/support/grpc-node.ts';
import { callUntil } from './deadline.ts';

const DELAY_MS = 1500;

/** The trailers of an Add of `key` whose time-out is given as the header itself. */
function addWithHeader(node: GrpcNode, key: string, timeout: string): Promise<Record<string, unknown>> {
  const session = connect(`http://${node.address}`);
  const stream = session.request({
    ':method': 'POST',
    ':path': counters.Add.path,
    'content-type': 'application/grpc+proto',
    te: 'trailers',
    'grpc-timeout': timeout,
  });
  const message = counters.Add.requestSerialize({ key });
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  stream.end(Buffer.concat([head, message]));
  stream.resume();
  return new Promise((resolve, reject) => {
    stream.on('response', (headers) => 'grpc-status' in headers && resolve(headers));
    stream.on('trailers', resolve);
    stream.on('error', reject);
    stream.on('close', () => session.close());
  });
}

describe('deadlines over gRPC', () => {
  for (const leftMs of [-16, 0]) {
    it(`executes nothing when ${leftMs} ms are left`, async () => {
      await using node = await startGrpcNode();
      const ended = await node.refused(counters.Add, counters.Add.requestSerialize({ key: 'late' }), { deadline: Date.now() + leftMs });
      assert.equal(ended.status, 'DEADLINE_EXCEEDED');
      assert.equal((await node.call(counters.Get, { key: 'late' })).found, false);
    });
  }

  for (const header of ['0m', '0n', '0S']) {
    it(`executes nothing when the header says ${header}`, async () => {
      await using node = await startGrpcNode();
      const trailers = await addWithHeader(node, 'late', header);
      assert.equal(Number(trailers['grpc-status']), 4);
      assert.equal((await node.call(counters.Get, { key: 'late' })).found, false);
    });
  }

  it('answers accepted when the deadline passes while the add is on its way, and counts it once', async () => {
    await using node = await startGrpcNode({ store: slowStore(DELAY_MS) });
    const deadline = (): object => ({ deadline: Date.now() + 500 });
    const add = await node.call(counters.Add, { key: 'slow', delta: 5, requestId: 'one' }, deadline());
    assert.equal(add.outcome, 'accepted');
    const freq = await node.call(frequency.AddFreq, { business_id: 1, key: 'slow', time_span: 60, time_unit: 0 }, deadline());
    assert.equal(freq.accepted, true);
    const again = await node.call(counters.Add, { key: 'slow', delta: 5, requestId: 'one' });
    assert.deepEqual([again.value, 'replayed' in again && again.replayed], [5, true]);
  });

  it('takes the shorter of the call’s deadline and the time in the request', async () => {
    await using node = await startGrpcNode({ store: slowStore(DELAY_MS) });
    const began = performance.now();
    assert.equal((await node.call(counters.Add, { key: 'slow', timeoutMs: 50 })).outcome, 'accepted');
    assert.ok(performance.now() - began < DELAY_MS);
    const late = await node.refused(counters.Add, counters.Add.requestSerialize({ key: 'never', timeoutMs: 0 }));
    assert.deepEqual([late.status, late.reason], ['DEADLINE_EXCEEDED', 'TIMEOUT']);
    assert.equal((await node.call(counters.Get, { key: 'never' })).found, false);
  });

  it('keeps a tenth of the time back for the answer, at most 50 ms', () => {
    assert.deepEqual(callUntil(Infinity, 0), {});
    assert.deepEqual(callUntil(1100, 1000), { timeoutMs: 90 });
    assert.deepEqual(callUntil(new Date(11_000), 1000), { timeoutMs: 9950 });
    assert.deepEqual(callUntil(1000, 1000), { timeoutMs: 0 });
    assert.deepEqual(callUntil(984, 1000), { timeoutMs: -16 });
  });
});
