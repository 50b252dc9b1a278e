/** A node whose Redis stands still: each counter's policy over HTTP and gRPC, stale copies, and what the node says of itself. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '@tallystick/client';
import { eventually } from '../../../../test/support/redis-command.ts';
import { startRedis } from '../../../../test/support/redis.ts';
import { startServer } from '../../../../test/support/server.ts';

const COUNTERS = { 'reject:*': { onOutage: 'reject' }, 'local:*': { onOutage: 'local' }, 'reads:*': { type: 'batched' } };

describe('a node whose Redis stands still', () => {
  it('refuses, keeps or waits as each counter says, gives stale copies, tells so, and has lost nothing when it is back', async () => {
    const redis = await startRedis();
    const near = ['--near-ttl-ms', '50', '--near-stale-if-error-ms', '60000'];
    const server = await startServer({ args: ['--redis', redis.url, '--counters', JSON.stringify(COUNTERS), ...near, '--log-level', 'silent', '--request-timeout-ms', '2000'] });
    const client = createClient({ address: server.grpc });
    const ask = async (path: string, method = 'GET'): Promise<{ status: number; body: Record<string, unknown> }> => {
      const response = await fetch(`http://${server.http}${path}`, { method });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const metric = async (name: string): Promise<number> => {
      const text = await (await fetch(`http://${server.http}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    };
    for (const key of ['reject:k', 'local:k', 'queue:k', 'reads:k']) await client.counters.add(key, 10);
    assert.equal((await client.counters.get('local:k')).value, 10);
    redis.pause();

    const beganMs = performance.now();
    assert.deepEqual(await client.counters.add('local:k', 1), { outcome: 'accepted', value: 11, exact: false, delta: 1 });
    const waitedMs = performance.now() - beganMs;
    assert.ok(waitedMs >= 400 && waitedMs < 1900, `${waitedMs} ms`);
    for (let i = 0; i < 50; i++) assert.equal((await ask('/v1/counters/local:k', 'POST')).status, 202);
    // Whatever is sent before the node knows better is kept, too.
    let kept = 0;
    let refused = await ask('/v1/counters/reject:k', 'POST');
    for (; refused.status === 202; refused = await ask('/v1/counters/reject:k', 'POST')) kept++;
    assert.deepEqual([refused.status, refused.body['code'], kept <= 1], [503, 10021, true]);
    assert.equal((await ask('/v1/counters/reads:k', 'POST')).status, 202);
    const stale = await client.counters.get('local:k');
    assert.equal(stale.stale, true);
    assert.ok(stale.ageMs! > 50);
    const readiness = await ask('/readyz');
    assert.equal(readiness.status, 503);
    assert.ok((readiness.body['partitionsAway'] as number) >= 2);
    assert.ok((await metric('tallystick_partitions_away')) >= 2);
    assert.ok((await metric('tallystick_tallies')) >= 1);

    redis.resume();
    await eventually('the node is ready, and all is flushed', async () => (await ask('/readyz')).status === 200 && (await metric('tallystick_partitions_away')) === 0
      && (await metric('tallystick_tallies')) === 0 && (await metric('tallystick_accepted')) === 0);
    const values = await client.counters.getMany(['local:k', 'reject:k', 'queue:k', 'reads:k'].map((key) => ({ key, maxAgeMs: 0 })));
    assert.deepEqual(values.map(({ value, exact }) => [value, exact]), [[61, true], [10 + kept, true], [10, true], [11, true]]);
    assert.ok((await metric('tallystick_near_stale_total')) >= 1);
    assert.ok((await metric('tallystick_store_latency_seconds_count')) >= 4);
    await client.close();
    await server.stop();
    await redis.stop();
  });
});
