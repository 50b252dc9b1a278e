/** `tallystick serve --redis` over Sentinels, a Cluster and TLS, as real processes on real servers: one service, whatever fails. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { freePort } from '../../../../test/support/free-port.ts';
import { startCluster } from '../../../../test/support/redis-cluster.ts';
import { MASTER_NAME, startSentinels } from '../../../../test/support/redis-sentinels.ts';
import { startRedis } from '../../../../test/support/redis.ts';
import { refusedStart, startServer, type RunningServer } from '../../../../test/support/server.ts';

const QUIET = ['--log-level', 'error', '--request-timeout-ms', '2000'];

async function ask(server: RunningServer, path: string, body?: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const init = body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`http://${server.http}${path}`, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const valueOf = async (server: RunningServer, key: string): Promise<unknown> => (await ask(server, `/v1/counters/${key}`)).body['value'];

/** Adds 1 to one of a hundred counters under a request id, until it is answered as applied. */
async function add(server: RunningServer, i: number): Promise<void> {
  for (;;) if ((await ask(server, `/v1/counters/k${i % 100}`, { requestId: `r${i}` })).status === 200) return;
}

const addAll = async (server: RunningServer, from: number, to: number): Promise<void> => {
  await Promise.all(Array.from({ length: to - from }, (_, i) => add(server, from + i)));
};

async function sumOf(server: RunningServer): Promise<number> {
  const { body } = await ask(server, '/v1/counters/get', { keys: Array.from({ length: 100 }, (_, i) => `k${i}`) });
  return (body['results'] as { value: number }[]).reduce((sum, { value }) => sum + value, 0);
}

/** What a node promises over HTTP, in one word of each kind of counter. */
async function servesAllKinds(server: RunningServer): Promise<void> {
  const items = [
    { key: 'simple', delta: 5, ttlMs: 60_000 }, { key: 'spread', type: 'sharded', delta: 7 }, { key: 'low', delta: -3, min: 0 },
    { key: 'log', type: 'sliding-log', windowMs: 60_000 }, { key: 'window', type: 'sliding-window', windowMs: 60_000 },
    { key: 'seen', type: 'unique', windowMs: 60_000, member: 'a' }, { key: 'about', type: 'unique-approx', windowMs: 60_000, member: 'a' },
  ];
  const added = (await ask(server, '/v1/counters/add', { items, requestId: 'kinds' })).body['results'] as { value: number }[];
  assert.deepEqual(added.map(({ value }) => value), [5, 7, 0, 1, 1, 1, 1]);
  const again = (await ask(server, '/v1/counters/add', { items, requestId: 'kinds' })).body['results'] as { replayed?: true }[];
  assert.ok(again.every(({ replayed }) => replayed));
  assert.deepEqual((await ask(server, '/v1/counters/spread?type=sharded')).body, { key: 'spread', value: 7, found: true, exact: true });
}

describe('a node over Sentinels', () => {
  it('serves every kind of counter, follows a failover, and counts every add once', async () => {
    const sentinels = await startSentinels();
    const url = `redis+sentinel://${sentinels.ports.map((port) => `127.0.0.1:${port}`).join(',')}/${MASTER_NAME}`;
    const server = await startServer({ args: ['--redis', url, ...QUIET] });
    await servesAllKinds(server);
    await addAll(server, 0, 200);
    await Promise.all([sentinels.failOver(), addAll(server, 200, 400)]);
    assert.equal(await sumOf(server), 400);
    await server.stop();
    await sentinels.stop();
  });

  it('does not start where the Sentinels know no such master', async () => {
    const sentinel = await startRedis();
    const { exit, err } = await refusedStart(['--redis', `redis+sentinel://:a-secret@127.0.0.1:${sentinel.port}/nobody`]);
    assert.equal(exit, 1);
    assert.match(err, /redis: can't use redis\+sentinel:\/\/127\.0\.0\.1:\d+\/nobody: .*\[STORE_UNAVAILABLE\]/);
    assert.doesNotMatch(err, /secret/);
    await sentinel.stop();
  });
});

describe('workers over a Cluster', () => {
  it('serve every kind of counter, survive a master, and count every add once', async () => {
    const cluster = await startCluster();
    const nodes = cluster.ports.slice(0, 3).map((port) => `127.0.0.1:${port}`).join(',');
    const server = await startServer({ args: ['--redis', `redis+cluster://${nodes}`, '--workers', '2', ...QUIET] });
    await servesAllKinds(server);
    await addAll(server, 0, 200);
    await Promise.all([cluster.failOver(cluster.shards[1]!), addAll(server, 200, 400)]);
    assert.equal(await sumOf(server), 400);
    await server.stop();
    await cluster.stop();
  });

  it('do not start where there is no Cluster', async () => {
    const alone = await startRedis();
    const { exit, err } = await refusedStart(['--redis', `redis+cluster://127.0.0.1:${alone.port}`]);
    assert.equal(exit, 1);
    assert.match(err, /redis: can't use redis\+cluster:\/\/127\.0\.0\.1:\d+: ERR This instance has cluster support disabled .*\[STORE_UNAVAILABLE\]/);
    await alone.stop();
  });
});

/** What docs/redis.md says that a user of Redis needs. */
const ACL = 'on ~{tally:* +@read +@write +@scripting +time +ping +config|get -@dangerous';

describe('a node over TLS', () => {
  it('serves as a user with no more rights than it needs, and trusts no certificate that it was not told of', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-tls-'));
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=tallystick'];
    spawnSync('openssl', [...request, '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const port = await freePort();
    const redis = await startRedis({
      'tls-port': String(port), 'tls-cert-file': cert, 'tls-key-file': key, 'tls-auth-clients': 'no', user: `tally ${ACL} >a-secret@word`,
    });
    const args = ['--redis', `rediss://tally:a-secret%40word@127.0.0.1:${port}`, ...QUIET];
    const server = await startServer({ args, env: { NODE_EXTRA_CA_CERTS: cert } });
    await servesAllKinds(server);
    assert.equal(await valueOf(server, 'simple'), 5);
    await server.stop();
    const { exit, err } = await refusedStart(args);
    assert.equal(exit, 1);
    assert.match(err, /self-signed certificate.*\[STORE_UNAVAILABLE\]/);
    assert.doesNotMatch(err, /secret/);
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  });
});
