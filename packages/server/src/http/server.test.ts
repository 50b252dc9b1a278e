import assert from 'node:assert/strict';
import { Agent, get as httpGet } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { memoryStore, type Store } from 'tallystick';
import { startNode } from '../../../../test/support/http-node.ts';
import { startHttp } from './index.ts';

/** A memory store whose batches wait until they are let through. */
function gatedStore(): { store: Store; open: () => void } {
  const inner = memoryStore();
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const store: Store = {
    partitions: inner.partitions,
    apply: async (batch) => {
      await gate;
      return inner.apply(batch);
    },
    read: (partition, queries) => inner.read(partition, queries),
    close: () => inner.close(),
  };
  return { store, open };
}

describe('the HTTP server', () => {
  it('names the methods that a path has', async () => {
    await using node = await startNode();
    const allowed = async (path: string, method: string): Promise<string | null> => {
      const { status, headers } = await node.call(path, { method });
      assert.equal(status, 405);
      return headers.get('allow');
    };
    assert.equal(await allowed('/api/counter/like', 'GET'), 'POST');
    assert.equal(await allowed('/v1/counters/k', 'DELETE'), 'GET, HEAD, POST');
    assert.equal(await allowed('/healthz', 'POST'), 'GET, HEAD');
  });

  it('answers HEAD as GET, without a body', async () => {
    await using node = await startNode();
    const { status, text: body } = await node.call('/api/counter/count/a', { method: 'HEAD' });
    assert.deepEqual([status, body], [200, '']);
  });

  it('answers 202 accepted when the deadline passes while the add is on its way, and it is counted once', async () => {
    const { store, open } = gatedStore();
    await using node = await startNode({ store, requestTimeoutMs: 30 });
    const added = await node.post('/v1/counters/slow', { delta: 4 });
    assert.equal(added.status, 202);
    assert.deepEqual(added.body, { key: 'slow', outcome: 'accepted', value: 4, exact: false, delta: 4 });
    const liked = await node.post('/api/counter/like', { userId: 'u', resourceId: 'slow' });
    assert.deepEqual([liked.status, (liked.body?.['data'] as { outcome: string }).outcome], [202, 'accepted']);
    open();
    let value: unknown;
    while ((value = (await node.get('/v1/counters/slow')).body?.['value']) === 0);
    assert.equal(value, 4);
  });

  it('answers 504 when a read takes too long', async () => {
    const inner = memoryStore();
    const store: Store = { partitions: 1, apply: (batch) => inner.apply(batch), read: () => new Promise(() => undefined), close: () => inner.close() };
    await using node = await startNode({ store, requestTimeoutMs: 20 });
    const { status, body } = await node.get('/v1/counters/k');
    assert.deepEqual([status, body?.['code']], [504, 10001]);
  });

  it('answers a fault of the program without its details, and logs it', async () => {
    await using node = await startNode();
    Object.assign(node.app, { countLikes: () => Promise.reject(new Error('secret detail')) });
    const { status, body } = await node.get('/api/counter/count/a');
    assert.deepEqual([status, body?.['code'], body?.['msg']], [500, 10099, 'A fault of this program; the log has the details.']);
    assert.deepEqual(node.logged, ['error a request failed by a fault of this program']);
  });

  it('refuses to start where another listens, naming the setting', async () => {
    await using node = await startNode();
    const again = startHttp({ app: node.app, host: '127.0.0.1', port: node.port, maxBodyBytes: 1024, log: { debug() {}, info() {}, warn() {}, error() {} } });
    await assert.rejects(again, { code: 'INVALID_CONFIG', field: 'http' });
  });

  it('answers what it has taken before it stops, and stops though connections are kept alive', async () => {
    const { store, open } = gatedStore();
    const node = await startNode({ store });
    const agent = new Agent({ keepAlive: true });
    const idle = await new Promise<string>((resolve, reject) => {
      httpGet(`${node.url}/healthz`, { agent }, (response) => void text(response).then(resolve, reject));
    });
    assert.equal(idle, '{"status":"alive"}');
    const adds = Array.from({ length: 20 }, () => node.post('/v1/counters/k'));
    while (node.app.stats().waiting < 20) await new Promise((resolve) => setImmediate(resolve));
    const closed = node.close();
    open();
    const values = (await Promise.all(adds)).map(({ status, body }) => [status, body?.['value']]);
    assert.deepEqual(values, Array.from({ length: 20 }, (_, i) => [200, i + 1]));
    await closed;
    await assert.rejects(fetch(`${node.url}/healthz`));
    agent.destroy();
  });

  it('refuses calls with CLOSED while it drains', async () => {
    await using node = await startNode();
    await node.app.close(1000);
    for (const answer of [await node.post('/v1/counters/k'), await node.get('/v1/counters/k'), await node.post('/api/counter/like', { userId: 'u', resourceId: 'r' })]) {
      assert.deepEqual([answer.status, answer.body?.['code']], [503, 10022]);
    }
  });
});
