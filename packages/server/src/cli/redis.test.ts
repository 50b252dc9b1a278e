/** `tallystick serve --redis` as real processes over a real Redis: several nodes, a Redis that is away. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startRedis } from '../../../../test/support/redis.ts';
import { refusedStart, startServer, type RunningServer } from '../../../../test/support/server.ts';

const PASSWORD = 'a-secret@word';
const redis = await startRedis({ requirepass: PASSWORD });
after(() => redis.stop());

const urlOf = (password: string): string => `redis://:${encodeURIComponent(password)}@127.0.0.1:${redis.port}`;
const start = (...args: string[]): Promise<RunningServer> => startServer({ args: ['--redis', urlOf(PASSWORD), '--log-level', 'error', ...args] });

async function call(server: RunningServer, path: string, method = 'GET'): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`http://${server.http}${path}`, { method });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const valueOf = async (server: RunningServer, key: string): Promise<unknown> => (await call(server, `/v1/counters/${key}`)).body['value'];

/** Asks until `ready` is what the node says of itself; returns the last answer. */
async function untilReady(server: RunningServer, ready: boolean): Promise<Record<string, unknown>> {
  for (;;) {
    const { status, body } = await call(server, '/readyz');
    if ((status === 200) === ready) return body;
  }
}

describe('nodes over one Redis', () => {
  it('have the same counters, whichever is asked, and keep them when all nodes end', async () => {
    const nodes = await Promise.all([start(), start()]);
    const adds = Array.from({ length: 200 }, (_, i) => call(nodes[i % 2]!, '/v1/counters/shared', 'POST'));
    const values = (await Promise.all(adds)).map(({ body }) => body['value'] as number);
    assert.deepEqual(values.sort((a, b) => a - b), Array.from({ length: 200 }, (_, i) => i + 1));
    for (const node of nodes) assert.equal(await valueOf(node, 'shared'), 200);
    for (const node of nodes) await node.stop();
    const later = await start();
    assert.equal(await valueOf(later, 'shared'), 200);
    await later.stop();
  });

  it('say that they are not ready while Redis is away, and recover without a restart', async () => {
    const node = await start();
    assert.equal((await call(node, '/v1/counters/away', 'POST')).body['value'], 1);
    redis.pause();
    const { reason } = await untilReady(node, false);
    redis.resume();
    assert.ok(typeof reason === 'string' && !reason.includes(PASSWORD), String(reason));
    await untilReady(node, true);
    assert.equal((await call(node, '/v1/counters/away', 'POST')).body['value'], 2);
    await node.stop();
  });

  it('do not start where Redis is not, or not for them, and never tell the password', async () => {
    const nowhere = await refusedStart(['--redis', `redis://:${PASSWORD.replace('@', '%40')}@127.0.0.1:1`]);
    assert.equal(nowhere.exit, 1);
    assert.match(nowhere.err, /redis: can't use redis:\/\/127\.0\.0\.1:1: .*ECONNREFUSED.*\[STORE_UNAVAILABLE\]/);
    const wrong = await refusedStart(['--redis', urlOf('wrong-secret')]);
    assert.equal(wrong.exit, 1);
    assert.match(wrong.err, /WRONGPASS/);
    const mistyped = await refusedStart(['--redis', `${urlOf(PASSWORD)}/x/y`]);
    assert.equal(mistyped.exit, 2);
    for (const { err } of [nowhere, wrong, mistyped]) assert.doesNotMatch(err, /secret/);
  });

  it('refuse another number of partitions than the data was created with', async () => {
    const { exit, err } = await refusedStart(['--redis', urlOf(PASSWORD), '--partitions', '3']);
    assert.equal(exit, 1);
    assert.match(err, /partitions: expected 16.*\[PARTITIONS_MISMATCH\]/);
  });
});
