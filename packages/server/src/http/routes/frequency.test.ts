import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { memoryStore } from 'tallystick';
import { startNode, startNodeOn, STORES, type HttpNode } from '../../../../../test/support/http-node.ts';

const DAY_SECONDS = 24 * 3600;

for (const store of Object.keys(STORES)) {
  describe(`frequency over HTTP, ${store} store`, () => {
    let node: HttpNode;
    before(async () => {
      node = await startNodeOn(store);
    });
    after(() => node.close());

    it('counts within a span and reads it', async () => {
      const add = { business_id: 7, key: 'u1', time_span: 60, time_unit: 'SEC' };
      const first = await node.post('/v1/frequency/add', add);
      assert.deepEqual(first.body, { code: 0, msg: 'OK', business_id: 7, key: 'u1', freq: 1, ttl: 60, outcome: 'applied' });
      await node.post('/v1/frequency/add', { ...add, time_unit: 0 });
      const read = await node.post('/v1/frequency/get', { business_id: 7, key: 'u1' });
      assert.equal(read.status, 200);
      assert.equal(read.body?.['freq'], 2);
    });

    it('answers KEY_NOT_FOUND where nothing is counted', async () => {
      const { status, body } = await node.post('/v1/frequency/get', { business_id: 7, key: 'nobody' });
      assert.equal(status, 404);
      assert.deepEqual({ ...body, msg: '' }, { code: 10002, msg: '', business_id: 7, key: 'nobody', freq: 0, ttl: 0 });
    });

    it('keeps apart what a careless join would merge', async () => {
      const subjects = [[1, '23'], [12, '3'], [123, ':'], [1, '2:3']] as const;
      for (const [business_id, key] of subjects) {
        const { body } = await node.post('/v1/frequency/add', { business_id, key, time_span: 60 });
        assert.equal(body?.['freq'], 1, `${business_id} ${key}`);
      }
    });

    it('gives each request of a batch its own result', async () => {
      const requests = [{ business_id: 1, key: 'b1', time_span: 1, time_unit: 'DAY' }, { business_id: 1, key: 'b1', time_span: 9 }];
      const added = await node.post('/v1/frequency/batch-add', { requests });
      assert.equal(added.status, 200);
      const results = added.body?.['results'] as { freq: number; ttl: number; code: number }[];
      assert.deepEqual(results.map(({ code, freq, ttl }) => [code, freq, ttl]), [[0, 1, DAY_SECONDS], [0, 2, DAY_SECONDS]]);
      const read = await node.post('/v1/frequency/batch-get', { requests: [{ business_id: 1, key: 'none' }, { business_id: 1, key: 'b1' }] });
      assert.equal(read.body?.['code'], 0);
      assert.equal(read.body['msg'], '1 of 2 have a code of their own');
      assert.deepEqual((read.body['results'] as { code: number }[]).map(({ code }) => code), [10002, 0]);
    });

    it('counts repeated request ids once, single and in batches', async () => {
      const single = { business_id: 2, key: 'r', time_span: 60, request_id: 'x' };
      await node.post('/v1/frequency/add', single);
      assert.equal((await node.post('/v1/frequency/add', single)).body?.['freq'], 1);
      const batch = { requests: [{ business_id: 2, key: 'r', time_span: 60 }], request_id: 'y' };
      await node.post('/v1/frequency/batch-add', batch);
      const again = await node.post('/v1/frequency/batch-add', batch);
      assert.equal((again.body?.['results'] as { freq: number }[])[0]?.freq, 2);
      assert.equal((await node.post('/v1/frequency/get', { business_id: 2, key: 'r' })).body?.['freq'], 2);
    });
  });
}

describe('the span of a frequency', () => {
  it('begins with the first add, is not renewed, and is rounded up to seconds', async () => {
    let nowMs = 1_000_000;
    await using node = await startNode({ store: memoryStore({ clock: () => nowMs }) });
    const add = { business_id: 1, key: 'k', time_span: 10 };
    const ttl = async (): Promise<unknown> => (await node.post('/v1/frequency/add', add)).body?.['ttl'];
    assert.equal(await ttl(), 10);
    nowMs += 9_001;
    assert.equal(await ttl(), 1);
    nowMs += 999;
    assert.equal((await node.post('/v1/frequency/get', { business_id: 1, key: 'k' })).status, 404);
    assert.deepEqual((await node.post('/v1/frequency/add', add)).body?.['freq'], 1);
  });

  it('of a day is 24 hours from the first add', async () => {
    let nowMs = 1_000_000;
    await using node = await startNode({ store: memoryStore({ clock: () => nowMs }) });
    await node.post('/v1/frequency/add', { business_id: 1, key: 'k', time_span: 1, time_unit: 1 });
    nowMs += DAY_SECONDS * 1000 - 1;
    assert.equal((await node.post('/v1/frequency/get', { business_id: 1, key: 'k' })).body?.['ttl'], 1);
    nowMs += 1;
    assert.equal((await node.post('/v1/frequency/get', { business_id: 1, key: 'k' })).status, 404);
  });

  it('saturates at what the message can carry', async () => {
    await using node = await startNode();
    const add = { business_id: 1, key: 'k', time_span: 60 };
    await node.post('/v1/frequency/add', add);
    await node.post(`/v1/counters/${encodeURIComponent('4:freq1:1:k')}`, { delta: 2 ** 33 });
    assert.equal((await node.post('/v1/frequency/add', add)).body?.['freq'], 0xffff_ffff);
  });
});
