/** Several nodes behind the shipped Nginx configuration, HTTP and gRPC, one of them killed under load. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@tallystick/client';
import { startNginx, type Nginx } from '../support/nginx.ts';
import { startRedis, type RedisServer } from '../support/redis.ts';
import { startServer, type RunningServer } from '../support/server.ts';

const CALLERS = 20;
const ADDS = 50;

let redis: RedisServer;
let nodes: RunningServer[];
let nginx: Nginx;
before(async () => {
  redis = await startRedis();
  const args = ['--redis', redis.url, '--log-level', 'error'];
  nodes = await Promise.all([startServer({ args }), startServer({ args })]);
  nginx = await startNginx({ http: nodes.map(({ http }) => http), grpc: nodes.map(({ grpc }) => grpc) });
});
after(async () => {
  await nginx.stop();
  await Promise.all(nodes.map((node) => node.stop()));
  await redis.stop();
});

/** Adds 1 under a request id, and asks again under it until it is answered. */
async function addOverHttp(key: string, requestId: string): Promise<void> {
  const body = JSON.stringify({ requestId });
  for (;;) {
    const answer = await fetch(`http://${nginx.http}/v1/counters/${key}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await answer.text();
    if (answer.status === 200) return;
    assert.ok([502, 503, 504].includes(answer.status), `status ${answer.status}`);
  }
}

async function valueOf(key: string): Promise<unknown> {
  const answer = await fetch(`http://${nginx.http}/v1/counters/${key}`);
  return ((await answer.json()) as { value: number }).value;
}

/** Runs `add` of many callers one after the other each, and kills a node when a quarter is done. */
async function killUnderLoad(victim: RunningServer, add: (requestId: string) => Promise<unknown>): Promise<void> {
  let done = 0;
  const caller = async (name: number): Promise<void> => {
    for (let i = 0; i < ADDS; i++) {
      await add(`${name}.${i}`);
      if (++done === (CALLERS * ADDS) / 4) await victim.kill();
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, name) => caller(name)));
}

async function replace(index: number): Promise<void> {
  const { http, grpc } = nodes[index]!;
  nodes[index] = await startServer({ http, grpc, args: ['--redis', redis.url, '--log-level', 'error'] });
}

describe('nodes behind Nginx', () => {
  it('answer over both transports, and in their own words', async () => {
    await addOverHttp('both', 'r');
    const client = createClient({ address: nginx.grpc });
    assert.equal((await client.counters.add('both')).value, 2);
    assert.equal((await client.frequency.add({ businessId: 1, key: 'k', timeSpan: 60 })).freq, 1);
    await client.close();
    assert.equal(await valueOf('both'), 2);
    const refused = await fetch(`http://${nginx.http}/v1/counters/both`, { method: 'PUT' });
    assert.deepEqual([refused.status, ((await refused.json()) as { code: number }).code], [405, 10013]);
    const slashed = await fetch(`http://${nginx.http}/v1/counters/${encodeURIComponent('a/../b?')}`);
    assert.equal(((await slashed.json()) as { key: string }).key, 'a/../b?');
  });

  it('balance over HTTP when one is killed under load', async () => {
    await killUnderLoad(nodes[0]!, (requestId) => addOverHttp('http', requestId));
    assert.equal(await valueOf('http'), CALLERS * ADDS);
    await replace(0);
  });

  it('balance over gRPC when one is killed under load', async () => {
    const clients = Array.from({ length: 4 }, () => createClient({ address: nginx.grpc, timeoutMs: 30_000 }));
    let turn = 0;
    await killUnderLoad(nodes[1]!, () => clients[turn++ % clients.length]!.counters.add('grpc'));
    assert.equal(await valueOf('grpc'), CALLERS * ADDS);
    await Promise.all(clients.map((client) => client.close()));
    await replace(1);
  });
});
