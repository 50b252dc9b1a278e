import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { countersService, type StreamAddRequest, type StreamAddResponse } from '@tallystick/client/wire';
import { slowStore, startGrpcNode, type GrpcNode } from '../../../../test/support/grpc-node.ts';

type Stream = ClientDuplexStream<StreamAddRequest, StreamAddResponse>;

const { StreamAdd } = countersService;

const open = ({ channel }: GrpcNode): Stream =>
  channel.makeBidiStreamRequest(StreamAdd.path, StreamAdd.requestSerialize, StreamAdd.responseDeserialize);

/** Sends `requests` and reads replies until the server ends the stream. */
async function exchange(node: GrpcNode, requests: readonly StreamAddRequest[]): Promise<StreamAddResponse[]> {
  const stream = open(node);
  for (const request of requests) stream.write(request);
  stream.end();
  return await stream.toArray() as StreamAddResponse[];
}

const outcomes = ({ results }: StreamAddResponse): unknown[] => results.map((result) => ('code' in result ? result.code : result.value));

describe('StreamAdd', () => {
  it('answers every batch under its id, and ends when the caller has ended', async () => {
    await using node = await startGrpcNode();
    const requests = Array.from({ length: 50 }, (_, i) => ({ id: i, items: [{ key: `k${i}`, delta: i }, { key: 'all' }] }));
    const replies = await exchange(node, requests);
    assert.deepEqual(replies.map(({ id }) => id).sort((a, b) => a - b), requests.map(({ id }) => id));
    for (const reply of replies) assert.equal(outcomes(reply)[0], reply.id);
    assert.deepEqual(replies.map((reply) => outcomes(reply)[1] as number).sort((a, b) => a - b), requests.map((_, i) => i + 1));
  });

  it('refuses a bad item by itself', async () => {
    await using node = await startGrpcNode();
    const bad = [{ key: '' }, { key: 'u', type: 'unique', windowMs: 1000 }] as const;
    const items = [{ key: 'good' }, ...bad, { key: 'good' }, { key: 'x', timeoutMs: 0 }];
    const [reply] = await exchange(node, [{ id: 1, items }]);
    assert.deepEqual(outcomes(reply!), [1, 'INVALID_KEY', 'INVALID_KEY', 2, 'TIMEOUT']);
    assert.equal('field' in reply!.results[2]! && reply!.results[2].field, 'member');
  });

  it('refuses a message as a whole when it has too many items or is none', async () => {
    await using node = await startGrpcNode();
    const items = Array.from({ length: 1001 }, () => ({ key: 'many' }));
    const [reply] = await exchange(node, [{ id: 7, items }]);
    assert.deepEqual([reply!.id, reply!.code, reply!.results], [7, 'BATCH_TOO_LARGE', []]);
    const raw = node.channel.makeBidiStreamRequest(StreamAdd.path, (bytes: Buffer) => bytes, StreamAdd.responseDeserialize);
    raw.end(Buffer.from([0x12, 9]));
    assert.deepEqual((await raw.toArray() as StreamAddResponse[]).map(({ id, code }) => [id, code]), [[0, 'MALFORMED']]);
    assert.equal((await node.call(countersService.Get, { key: 'many' })).found, false);
  });

  it('gives each item the time it asks for', async () => {
    await using node = await startGrpcNode({ store: slowStore(200) });
    const [reply] = await exchange(node, [{ id: 1, items: [{ key: 'a', timeoutMs: 20 }, { key: 'a' }] }]);
    assert.deepEqual(reply!.results.map(({ outcome }) => outcome), ['accepted', 'applied']);
  });

  it('does not read on while many of its batches are unanswered', async () => {
    await using node = await startGrpcNode({ store: slowStore(100) });
    const began = performance.now();
    const requests = Array.from({ length: 40 }, (_, id) => ({ id, items: [{ key: 'k' }] }));
    assert.equal((await exchange(node, requests)).length, 40);
    // 16 at a time: three rounds of the store.
    assert.ok(performance.now() - began >= 290, `${performance.now() - began}`);
  });

  it('answers what it has taken when the server drains, then ends the stream', async () => {
    const node = await startGrpcNode({ store: slowStore(100) });
    const stream = open(node);
    stream.write({ id: 1, items: [{ key: 'k' }] });
    // An answer to a second call means that the first message has been taken.
    await node.call(countersService.Get, { key: 'k' });
    const replies = stream.toArray();
    const [status] = await Promise.all([once(stream, 'status'), node.close()]);
    assert.equal((status[0] as { code: number }).code, 0);
    assert.deepEqual((await replies as StreamAddResponse[]).map(outcomes), [[1]]);
  });

  it('forgets a stream whose caller has gone', async () => {
    const node = await startGrpcNode({ store: slowStore(50) });
    const stream = open(node);
    stream.on('error', () => undefined);
    stream.write({ id: 1, items: [{ key: 'k' }] });
    await node.call(countersService.Get, { key: 'k' });
    stream.cancel();
    const began = performance.now();
    await node.close(5000);
    assert.ok(performance.now() - began < 2000);
    assert.deepEqual(node.logged, []);
  });
});
