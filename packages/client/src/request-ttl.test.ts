// How long the server remembers a request id: what a client says of it, and what reaches the store.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { joinKey, memoryStore, type Store } from 'tallystick';
import { startGrpcNode, type GrpcNode } from '../../../test/support/grpc-node.ts';
import { createClient, type Client, type ClientOptions } from './index.ts';

/** By key: the lifetime of the request id of each operation that came to the store, `none` where there is no id. */
class Lifetimes {
  readonly #of = new Map<string, (number | 'none' | undefined)[]>();

  /** A memory store that is listened at. */
  store(): Store {
    const inner = memoryStore();
    return {
      partitions: inner.partitions,
      apply: (batch) => {
        for (const { key, requestId, requestTtlMs } of batch.operations) {
          this.#of.set(key, [...(this.#of.get(key) ?? []), requestId === undefined ? 'none' : requestTtlMs]);
        }
        return inner.apply(batch);
      },
      read: (partition, queries) => inner.read(partition, queries),
      close: () => inner.close(),
    };
  }

  of(key: string): unknown {
    return this.#of.get(key);
  }
}

describe('the lifetime of a request id', () => {
  const lifetimes = new Lifetimes();
  let node: GrpcNode;
  before(async () => {
    node = await startGrpcNode({ store: lifetimes.store() });
  });
  after(() => node.close());

  async function through(calls: (client: Client) => Promise<unknown>[], options: ClientOptions = {}): Promise<void> {
    const client = createClient({ address: node.address, ...options });
    await Promise.all(calls(client));
    await client.close();
  }

  const freq = (key: string) => ({ businessId: 1, key, timeSpan: 60 });
  const freqKey = (key: string): string => joinKey('freq', '1', key);

  it('is six times what its call waits, at least ten minutes, where the id is the client’s own', async () => {
    await through(({ counters, frequency }) => [
      counters.add('own'),
      counters.add('own', 1, { timeoutMs: 200_000 }),
      counters.addMany([{ key: 'own-many' }], { timeoutMs: 150_000 }),
      frequency.add(freq('own'), { timeoutMs: 100_001 }),
      frequency.batchAdd([freq('own-many')]),
    ], { timeoutMs: 5000 });
    assert.deepEqual(lifetimes.of('own'), [600_000, 1_200_000]);
    assert.deepEqual(lifetimes.of('own-many'), [900_000]);
    assert.deepEqual([lifetimes.of(freqKey('own')), lifetimes.of(freqKey('own-many'))], [[600_006], [600_000]]);
  });

  it('is as the caller says where the id is the caller’s', async () => {
    const request = { requestId: 'mine', requestTtlMs: 7 };
    await through(({ counters, frequency }) => [
      counters.add('mine', 1, request),
      counters.add('theirs', 1, { requestId: 'mine' }),
      counters.addMany([{ key: 'mine' }, { key: 'theirs', requestId: 'other' }], { ...request, requestTtlMs: 8 }),
      frequency.add({ ...freq('mine'), ...request }),
      frequency.add({ ...freq('theirs'), requestId: 'mine' }),
      frequency.batchAdd([freq('mine'), { ...freq('theirs'), requestId: 'other' }], { ...request, requestTtlMs: 8 }),
    ]);
    for (const key of ['mine', freqKey('mine')]) assert.deepEqual((lifetimes.of(key) as number[]).sort(), [7, 8], key);
    for (const key of ['theirs', freqKey('theirs')]) assert.deepEqual(lifetimes.of(key), [undefined, undefined], key);
  });

  it('is none where nothing is sent again', async () => {
    await through(({ counters }) => [counters.add('once')], { retryWrites: false });
    assert.deepEqual(lifetimes.of('once'), ['none']);
  });

  it('is refused without an id, and when it is none', async () => {
    await through(({ counters, frequency }) => [
      assert.rejects(counters.add('bad', 1, { requestTtlMs: 5 }), { code: 'INVALID_ARGUMENT', field: 'requestTtlMs' }),
      assert.rejects(counters.addMany([{ key: 'bad' }], { requestTtlMs: 5 }), { code: 'INVALID_ARGUMENT', field: 'requestTtlMs' }),
      assert.rejects(counters.add('bad', 1, { requestId: 'r', requestTtlMs: 0 }), { code: 'INVALID_ARGUMENT', field: 'requestTtlMs' }),
      assert.rejects(frequency.add({ ...freq('bad'), requestTtlMs: 5 }), { code: 'INVALID_ARGUMENT', field: 'requestTtlMs' }),
      assert.rejects(frequency.batchAdd([freq('bad')], { requestTtlMs: 5 }), { code: 'INVALID_ARGUMENT', field: 'requestTtlMs' }),
    ]);
    assert.deepEqual([lifetimes.of('bad'), lifetimes.of(freqKey('bad'))], [undefined, undefined]);
  });
});
