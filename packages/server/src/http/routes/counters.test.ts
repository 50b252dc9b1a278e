import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startNode, startNodeOn, STORES, type HttpNode } from '../../../../../test/support/http-node.ts';

const path = (key: string): string => `/v1/counters/${encodeURIComponent(key)}`;

for (const store of Object.keys(STORES)) {
  describe(`counters over HTTP, ${store} store`, () => {
    let node: HttpNode;
    before(async () => {
      node = await startNodeOn(store);
    });
    after(() => node.close());

    it('adds 1 to one counter without a body, and an amount with one', async () => {
      assert.deepEqual((await node.post(path('one'))).body, { key: 'one', outcome: 'applied', value: 1, exact: true, delta: 1 });
      assert.deepEqual((await node.post(path('one'), { delta: -5 })).body, { key: 'one', outcome: 'applied', value: -4, exact: true, delta: -5 });
      assert.deepEqual((await node.get(path('one'))).body, { key: 'one', value: -4, found: true, exact: true });
      assert.deepEqual((await node.get(path('none'))).body, { key: 'none', value: 0, found: false, exact: true });
    });

    it('gives every item of a batch a result of its own, in order', async () => {
      const items = [{ key: 'b1' }, { key: 'b2', delta: 7 }, { key: 'b1', delta: 2 }, { key: 'b3', delta: -4, min: 0 }];
      const { status, body } = await node.post('/v1/counters/add', { items });
      assert.equal(status, 200);
      const result = (key: string, value: number, delta: number): object => ({ key, outcome: 'applied', value, exact: true, delta });
      assert.deepEqual(body, { results: [result('b1', 1, 1), result('b2', 7, 7), result('b1', 3, 2), result('b3', 0, 0)] });
    });

    it('refuses the one item that would overflow and counts the others', async () => {
      await node.post(path('max'), { delta: Number.MAX_SAFE_INTEGER });
      const { status, body } = await node.post('/v1/counters/add', { items: [{ key: 'c1' }, { key: 'max' }, { key: 'c2' }] });
      const [, overflowing, ...others] = body?.['results'] as Record<string, unknown>[];
      assert.equal(status, 200);
      assert.deepEqual(others.map(({ outcome }) => outcome), ['applied']);
      assert.deepEqual([overflowing?.['outcome'], overflowing?.['code'], overflowing?.['value']], ['refused', 10006, Number.MAX_SAFE_INTEGER]);
      const alone = await node.post(path('max'));
      assert.equal(alone.status, 422);
      assert.equal(alone.body?.['code'], 10006);
      assert.equal((await node.get(path('max'))).text, '{"key":"max","value":9007199254740991,"found":true,"exact":true}');
    });

    it('counts a repeated batch once when it has a request id', async () => {
      const batch = { items: [{ key: 'd1', delta: 3 }, { key: 'd2', delta: 4 }], requestId: 'batch-1' };
      const first = await node.post('/v1/counters/add', batch);
      const again = await node.post('/v1/counters/add', batch);
      const results = (first.body?.['results'] as object[]).map((result) => ({ ...result, replayed: true }));
      assert.deepEqual(again.body, { results });
      const { body } = await node.post('/v1/counters/get', { keys: ['d1', 'd2'] });
      assert.deepEqual((body?.['results'] as { value: number }[]).map(({ value }) => value), [3, 4]);
    });

    it('has every type: windows, members and lifetimes', async () => {
      const added = await node.post('/v1/counters/add', {
        items: [
          { key: 't', ttlMs: 60_000 },
          { key: 'w', type: 'sliding-window', windowMs: 60_000, slices: 6 },
          { key: 'l', type: 'sliding-log', windowMs: 60_000 },
          { key: 'u', type: 'unique', windowMs: 60_000, member: 'm1' },
          { key: 'u', type: 'unique', windowMs: 60_000, member: 'm1' },
          { key: 'u', type: 'unique', windowMs: 60_000, member: 'm2' },
          { key: 's', type: 'sharded', shards: 5 },
        ],
      });
      const results = added.body?.['results'] as { value: number; delta: number; ttlMs?: number }[];
      assert.deepEqual(results.map(({ value }) => value), [1, 1, 1, 1, 1, 2, 1]);
      assert.deepEqual(results.map(({ delta }) => delta), [1, 1, 1, 1, 0, 1, 1]);
      const ttlMs = results[0]?.ttlMs ?? 0;
      assert.ok(ttlMs > 0 && ttlMs <= 60_000, `ttlMs ${ttlMs}`);
      const keys = ['t', { key: 'w', type: 'sliding-window', windowMs: 60_000, slices: 6 }, { key: 'u', type: 'unique', windowMs: 60_000 }, { key: 's', type: 'sharded' }];
      const read = await node.post('/v1/counters/get', { keys });
      assert.deepEqual((read.body?.['results'] as { value: number }[]).map(({ value }) => value), [1, 1, 2, 1]);
      assert.equal((await node.get(`${path('l')}?type=sliding-log&windowMs=60000`)).body?.['value'], 1);
    });

    it('has counters whose keys are words of the paths', async () => {
      for (const key of ['add', 'get', '.', '..']) {
        const added = await node.post('/v1/counters/add', { items: [{ key, delta: 4 }] });
        assert.deepEqual((added.body?.['results'] as { value: number }[])[0]?.value, 4, key);
        const read = await node.post('/v1/counters/get', { keys: [key] });
        assert.deepEqual((read.body?.['results'] as { value: number }[])[0]?.value, 4, key);
      }
      for (const key of ['add', 'get']) assert.equal((await node.get(path(key))).body?.['value'], 4, key);
      assert.equal((await node.call(path('add'), { method: 'PUT' })).headers.get('allow'), 'GET, HEAD, POST');
    });

    it('counts nothing under another key where a client takes dots out of the path', async () => {
      for (const [dots, code] of [['.', 10004], ['..', 10012]] as const) {
        const { status, body } = await node.post(path(dots));
        assert.deepEqual([status >= 400, body?.['code']], [true, code], dots);
      }
    });

    it('answers a body of nothing to a batch of nothing', async () => {
      assert.deepEqual((await node.post('/v1/counters/add', { items: [] })).body, { results: [] });
      assert.deepEqual((await node.post('/v1/counters/get', { keys: [] })).body, { results: [] });
    });
  });
}

describe('batched counters over HTTP', () => {
  it('are accepted with an estimate, and exact once flushed', async () => {
    await using node = await startNode({ counters: { 'read:*': { type: 'batched' } }, flushEveryMs: 5 });
    const added = await node.post(path('read:1'), { delta: 3 });
    assert.equal(added.status, 202);
    assert.deepEqual(added.body, { key: 'read:1', outcome: 'accepted', value: 3, exact: false, delta: 3 });
    let reading = (await node.get(path('read:1'))).body;
    while (reading?.['exact'] !== true) reading = (await node.get(path('read:1'))).body;
    assert.equal(reading['value'], 3);
  });
});
