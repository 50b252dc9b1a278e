/** A node whose Redis stands still: what each business of frequency control has chosen, over gRPC and HTTP. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '@tallystick/client';
import { eventually } from '../../../../test/support/redis-command.ts';
import { startRedis } from '../../../../test/support/redis.ts';
import { startServer } from '../../../../test/support/server.ts';

const BUSINESSES = { 1: { onOutage: 'reject' }, 2: { onOutage: 'local', staleIfErrorMs: 60_000 }, '*': {} };
const key = 'sms';
const timeSpan = 3600;

describe('frequencies of a node whose Redis stands still', () => {
  it('are refused, kept or waited for by business, read from copies only where that is allowed, and counted once', async () => {
    const redis = await startRedis();
    const settings = ['--frequency', JSON.stringify(BUSINESSES), '--log-level', 'silent', '--request-timeout-ms', '2000'];
    const server = await startServer({ args: ['--redis', redis.url, ...settings] });
    const client = createClient({ address: server.grpc });
    const { frequency } = client;
    const add = (businessId: number) => frequency.add({ businessId, key, timeSpan });
    const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`http://${server.http}/v1/frequency/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, ...((await response.json()) as object) };
    };
    for (const businessId of [1, 2, 3]) {
      assert.equal((await add(businessId)).freq, 1);
      assert.equal((await frequency.get({ businessId, key })).freq, 1);
    }
    // Another node counts, and no read of this one is answered by what it has seen itself.
    await post('batch-add', { requests: [1, 2, 3].map((business_id) => ({ business_id, key, time_span: timeSpan })), all_or_nothing: true });
    for (const businessId of [1, 2, 3]) assert.deepEqual({ ...(await frequency.get({ businessId, key })), ttlSeconds: 0 }, { code: 0, msg: 'OK', businessId, key, freq: 2, ttlSeconds: 0 });
    redis.pause();

    const local = await add(2);
    assert.deepEqual([local.outcome, local.freq], ['accepted', 3]);
    for (let i = 0; i < 20; i++) assert.equal((await post('add', { business_id: 2, key, time_span: timeSpan, request_id: `r${i % 10}` }))['status'], 202);
    let kept = 0;
    let refused = await post('add', { business_id: 1, key, time_span: timeSpan });
    for (; refused['status'] === 202; refused = await post('add', { business_id: 1, key, time_span: timeSpan })) kept++;
    assert.deepEqual([refused['status'], refused['code'], kept <= 1], [503, 10021, true]);
    assert.deepEqual([(await add(3)).outcome, (await add(3)).outcome], ['accepted', 'accepted']);
    const batch = { requests: [1, 2, 3].map((business_id) => ({ business_id, key, time_span: timeSpan })), all_or_nothing: true };
    assert.deepEqual([(await post('batch-add', batch))['code']], [10021], 'business 1 rejects, so nothing of it is taken');

    const stale = await frequency.get({ businessId: 2, key });
    assert.deepEqual([stale.stale, stale.ageMs! > 0, stale.freq], [true, true, 2]);
    assert.deepEqual((await post('get', { business_id: 2, key }))['stale'], true);
    for (const businessId of [1, 3]) await assert.rejects(frequency.get({ businessId, key }), 'no copy of this one is allowed');

    redis.resume();
    await eventually('all is counted', async () => {
      const metrics = await (await fetch(`http://${server.http}/metrics`)).text();
      return ['tallystick_partitions_away', 'tallystick_tallies', 'tallystick_accepted'].every((name) => metrics.includes(`\n${name} 0\n`));
    });
    const { results } = (await post('batch-get', { requests: [1, 2, 3].map((business_id) => ({ business_id, key })) })) as unknown as { results: object[] };
    assert.deepEqual(results.map((result) => ({ ...result, ttl: 0 })), [[1, 2 + kept], [2, 13], [3, 4]].map(([business_id, freq]) => ({ code: 0, msg: 'OK', business_id, key, freq, ttl: 0 })));
    await client.close();
    await server.stop();
    await redis.stop();
  });
});
