import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startNodeOn, STORES, type HttpNode } from '../../../../../test/support/http-node.ts';

for (const store of Object.keys(STORES)) {
  describe(`likes over HTTP, ${store} store`, () => {
    let node: HttpNode;
    before(async () => {
      node = await startNodeOn(store);
    });
    after(() => node.close());

    it('counts a like and reads it', async () => {
      const liked = await node.post('/api/counter/like', { userId: 'u1', resourceId: 'a1' });
      assert.equal(liked.status, 200);
      assert.deepEqual(liked.body, { code: 0, msg: 'OK', data: { resourceId: 'a1', count: 1, outcome: 'applied', exact: true, delta: 1 } });
      const count = await node.get('/api/counter/count/a1');
      assert.deepEqual(count.body, { code: 0, msg: 'OK', data: { resourceId: 'a1', count: 1, exact: true } });
    });

    it('takes an unlike off and stops at 0, saying what was really taken', async () => {
      await node.post('/api/counter/like', { userId: 'u1', resourceId: 'a2' });
      const first = await node.post('/api/counter/unlike', { userId: 'u1', resourceId: 'a2' });
      assert.deepEqual(first.body?.['data'], { resourceId: 'a2', count: 0, outcome: 'applied', exact: true, delta: -1 });
      const second = await node.post('/api/counter/unlike', { userId: 'u1', resourceId: 'a2' });
      assert.deepEqual(second.body?.['data'], { resourceId: 'a2', count: 0, outcome: 'applied', exact: true, delta: 0 });
    });

    it('counts a repeated request id once and gives the first answer again', async () => {
      const like = { userId: 'u1', resourceId: 'a3', requestId: 'r1' };
      const first = await node.post('/api/counter/like', like);
      await node.post('/api/counter/like', { ...like, requestId: 'r2' });
      const again = await node.post('/api/counter/like', like);
      assert.deepEqual(again.body?.['data'], { ...(first.body?.['data'] as object), replayed: true });
      assert.deepEqual((await node.get('/api/counter/count/a3')).body?.['data'], { resourceId: 'a3', count: 2, exact: true });
    });

    it('reads many in order, 0 for what was never liked', async () => {
      await node.post('/api/counter/like', { userId: 'u1', resourceId: 'a4' });
      const { body } = await node.post('/api/counter/batch-count', { resourceIds: ['never', 'a4', 'a4'] });
      const count = (resourceId: string, likes: number): object => ({ resourceId, count: likes, exact: true });
      assert.deepEqual(body?.['data'], [count('never', 0), count('a4', 1), count('a4', 1)]);
    });

    it('keeps apart resource ids that look alike or break naive URLs', async () => {
      const ids = ['key', 'KEY', 'kéy', 'ké́y', 'key ', 'a/b', 'a%2Fb', '100%', '?x=1', '#', '__proto__', 'constructor', '😀', '\n'];
      for (const resourceId of ids) assert.equal((await node.post('/api/counter/like', { userId: 'u', resourceId })).status, 200, resourceId);
      for (const resourceId of ids) {
        const { body } = await node.get(`/api/counter/count/${encodeURIComponent(resourceId)}`);
        assert.deepEqual(body?.['data'], { resourceId, count: 1, exact: true });
      }
    });

    it('gives each of many concurrent likes a count of its own', async () => {
      const likes = await Promise.all(Array.from({ length: 200 }, () => node.post('/api/counter/like', { userId: 'u', resourceId: 'hot' })));
      const counts = likes.map(({ body }) => (body?.['data'] as { count: number }).count).sort((a, b) => a - b);
      assert.deepEqual(counts, Array.from({ length: 200 }, (_, i) => i + 1));
    });
  });
}
