import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { errorTable, memoryStore, type Store } from 'tallystick';
import { startNode, type HttpNode } from '../../../../../test/support/http-node.ts';
import { routes } from './index.ts';

/** Lines of a metrics page as name with labels → value. */
function samplesOf(page: string): Map<string, number> {
  const lines = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}

describe('health over HTTP', () => {
  it('is alive and ready', async () => {
    await using node = await startNode();
    assert.deepEqual((await node.get('/healthz')).body, { status: 'alive' });
    assert.deepEqual((await node.get('/readyz')).body, { status: 'ready' });
  });

  it('is alive but not ready when the store fails', async () => {
    const store: Store = { ...memoryOf(), read: () => Promise.reject(new Error('disk gone')) };
    await using node = await startNode({ store });
    assert.equal((await node.get('/healthz')).status, 200);
    const { status, body } = await node.get('/readyz');
    assert.deepEqual([status, body], [503, { status: 'not ready', reason: 'disk gone' }]);
  });

  it('is not ready when the store does not answer', async () => {
    const store: Store = { ...memoryOf(), read: () => new Promise(() => undefined) };
    await using node = await startNode({ store });
    assert.equal((await node.get('/readyz')).status, 503);
  });

  it('is not ready while draining', async () => {
    await using node = await startNode();
    const closed = node.app.close(5000);
    const { status, body } = await node.get('/readyz');
    assert.deepEqual([status, body], [503, { status: 'not ready', reason: 'draining' }]);
    await closed;
  });
});

function memoryOf(): Store {
  const store = memoryStore();
  return { partitions: store.partitions, apply: (batch) => store.apply(batch), read: (partition, queries) => store.read(partition, queries), close: () => store.close() };
}

describe('metrics over HTTP', () => {
  it('count increments by type and outcome, and time the routes', async () => {
    await using node = await startNode({ counters: { 'read:*': { type: 'batched' } } });
    await node.post('/v1/counters/a', { delta: 5 });
    await node.post('/v1/counters/read:1');
    await node.post('/v1/counters/a', { delta: Number.MAX_SAFE_INTEGER });
    await node.post('/v1/counters/add', { items: [{ key: 'a' }, { key: 'u', type: 'unique', windowMs: 1000, member: 'm' }] });
    const { headers, text } = await node.get('/metrics');
    assert.match(headers.get('content-type') ?? '', /^text\/plain/);
    const samples = samplesOf(text);
    const increments = (key_type: string, status: string): number | undefined =>
      samples.get(`counter_increment_total{key_type="${key_type}",status="${status}"}`);
    assert.equal(increments('simple', 'applied'), 2);
    assert.equal(increments('simple', 'refused'), 1);
    assert.equal(increments('batched', 'accepted'), 1);
    assert.equal(increments('unique', 'applied'), 1);
    const route = 'route="POST /v1/counters/:key"';
    assert.equal(samples.get(`counter_response_time_seconds_count{${route}}`), 3);
    assert.equal(samples.get(`counter_response_time_seconds_bucket{le="+Inf",${route}}`) ?? samples.get(`counter_response_time_seconds_bucket{${route},le="+Inf"}`), 3);
    assert.ok((samples.get('tallystick_operations_total') ?? 0) >= 4);
    assert.ok((samples.get('process_resident_memory_bytes') ?? 0) > 0);
  });

  it('have as many series after 100,000 keys as after a few, and are written within a second', async () => {
    await using node = await startNode({ maxBatchItems: 10_000 });
    const visit = async (from: number, to: number): Promise<void> => {
      const items = Array.from({ length: to - from }, (_, i) => ({ key: `user:${from + i}`, type: 'simple', delta: 1 }));
      assert.equal((await node.post('/v1/counters/add', { items })).status, 200);
      await node.post(`/v1/counters/user:${from}`, { type: `made up ${from}` });
      await node.get(`/nowhere/user:${from}`);
      await node.get(`/api/counter/count/user:${from}`);
    };
    await visit(0, 10);
    const few = samplesOf((await node.get('/metrics')).text);
    for (let from = 10; from < 100_000; from += 9_999) await visit(from, from + 9_999);
    const beganMs = performance.now();
    const { text } = await node.get('/metrics');
    const tookMs = performance.now() - beganMs;
    // What Node.js reports of the process (kinds of handles, of collections) comes and goes by itself.
    const ours = (samples: Map<string, number>): string[] => [...samples.keys()].filter((name) => !/^(process|nodejs)_/.test(name)).sort();
    assert.deepEqual(ours(samplesOf(text)), ours(few));
    assert.ok(!text.includes('user:'), 'a key is in a metric');
    assert.ok(tookMs < 1000, `the page took ${tookMs} ms`);
  });
});

describe('the OpenAPI document', () => {
  let node: HttpNode;
  let document: { openapi: string; paths: Record<string, Record<string, { responses: Record<string, unknown> }>>; components: { schemas: object }; info: { description: string } };
  before(async () => {
    node = await startNode();
    document = (await node.get('/openapi.json')).body as unknown as typeof document;
  });
  after(() => node.close());

  it('has every route, and no other', () => {
    assert.equal(document.openapi, '3.1.0');
    const described = Object.entries(document.paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
    const registered = routes.map(({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`);
    assert.deepEqual(described.sort(), registered.sort());
  });

  it('resolves every reference', () => {
    const text = JSON.stringify(document);
    const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name as string);
    assert.ok(names.length > 20);
    assert.deepEqual(names.filter((name) => !Object.hasOwn(document.components.schemas, name)), []);
    assert.deepEqual(Object.keys(document.components.schemas).filter((name) => !names.includes(name)), []);
  });

  it('lists every code of the error table', () => {
    for (const [name, { number }] of Object.entries(errorTable)) assert.ok(document.info.description.includes(`| ${number} | ${name} |`), name);
  });

  it('is true of the routes: their answers have the fields it says', async () => {
    const { schemas } = document.components as { schemas: Record<string, { properties: object; required: string[] }> };
    const fits = (name: string, value: unknown): void => {
      const fields = Object.keys(value as object);
      assert.deepEqual(fields.filter((field) => !Object.hasOwn(schemas[name]!.properties, field)), [], name);
      assert.deepEqual(schemas[name]!.required.filter((field) => !fields.includes(field)), [], name);
    };
    fits('LikeResult', (await node.post('/api/counter/like', { userId: 'u', resourceId: 'r', requestId: 'x' })).body?.['data']);
    fits('LikeCount', (await node.get('/api/counter/count/r')).body?.['data']);
    fits('AddResult', (await node.post('/v1/counters/k', { ttlMs: 1000, requestId: 'x' })).body);
    fits('AddResults', (await node.post('/v1/counters/add', { items: [] })).body);
    fits('Counter', (await node.get('/v1/counters/k')).body);
    fits('Counters', (await node.post('/v1/counters/get', { keys: [] })).body);
    fits('FreqRsp', (await node.post('/v1/frequency/add', { business_id: 1, key: 'k', time_span: 1 })).body);
    fits('FreqRsp', (await node.post('/v1/frequency/get', { business_id: 1, key: 'absent' })).body);
    fits('BatchFreqRsp', (await node.post('/v1/frequency/batch-get', { requests: [] })).body);
    const check = { subject: 's', rules: { name: 'r', algorithm: 'fixed-window', limit: 1, windowMs: 1000 } };
    fits('Decision', (await node.post('/v1/limits/check', check)).body);
    fits('Decisions', (await node.post('/v1/limits/check', { items: [check] })).body);
    fits('Denial', (await node.post('/v1/limits/check', { ...check, denialStatus: 429 })).body);
    fits('Changed', (await node.post('/v1/limits/reset', { subject: 's', requestId: 'x' })).body);
    fits('Status', (await node.get('/readyz')).body);
    fits('Error', (await node.post('/v1/counters/add', { items: [5] })).body);
  });
});
