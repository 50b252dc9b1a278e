/** `tallystick serve --workers` as real processes: they are one node, whichever of them answers and whichever is killed. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, describe, it } from 'node:test';
import { createClient } from '@tallystick/client';
import { startRedis } from '../../../../test/support/redis.ts';
import { refusedStart, startServer, type RunningServer } from '../../../../test/support/server.ts';

const redis = await startRedis();
after(() => redis.stop());

const start = (...args: string[]): Promise<RunningServer> => startServer({ args: ['--redis', redis.url, '--log-level', 'error', ...args] });

/** The workers of a node. */
function workersOf({ pid }: RunningServer): number[] {
  const listed = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  return listed.trim().split('\n').map(Number);
}

/** Adds 1 on a connection of its own, under a request id, until it is answered. */
async function add(server: RunningServer, key: string, requestId: string): Promise<void> {
  const headers = { 'content-type': 'application/json', connection: 'close' };
  const request = { method: 'POST', headers, body: JSON.stringify({ requestId }) };
  for (;;) {
    const answer = await fetch(`http://${server.http}/v1/counters/${key}`, request).catch(() => undefined);
    if (answer?.status === 200) return;
  }
}

async function valueOf(server: RunningServer, key: string): Promise<unknown> {
  const response = await fetch(`http://${server.http}/v1/counters/${key}`, { headers: { connection: 'close' } });
  return ((await response.json()) as { value: number }).value;
}

describe('workers', () => {
  it('are one node over HTTP and gRPC, whichever is killed; one that ends is replaced', async () => {
    const node = await start('--workers', '2');
    const [victim, other] = workersOf(node);
    const clients = Array.from({ length: 4 }, () => createClient({ address: node.grpc, timeoutMs: 30_000 }));
    const grpc = clients.flatMap(({ counters }) => Array.from({ length: 50 }, () => counters.add('worked')));
    const http = Array.from({ length: 200 }, (_, i) => add(node, 'worked', `r${i}`));
    process.kill(victim!, 'SIGKILL');
    await Promise.all([...grpc, ...http]);
    while (workersOf(node).length < 2) await add(node, 'waited', 'once');
    assert.equal(await valueOf(node, 'worked'), 400);
    assert.ok(!workersOf(node).includes(victim!) && workersOf(node).includes(other!));
    await Promise.all(clients.map((client) => client.close()));
    await node.stop();
    assert.equal(await node.exited, 0);
  });

  it('are refused together with what one process owns', async () => {
    const { exit, err } = await refusedStart(['--workers', '2']);
    assert.equal(exit, 2);
    assert.match(err, /workers: expected 1 with the sqlite store, as one process owns its data/);
  });

  it('end together with the first one that can not start, and say why once', async () => {
    const { exit, err } = await refusedStart(['--workers', '3', '--redis', 'redis://127.0.0.1:1']);
    assert.equal(exit, 1);
    assert.equal(err.match(/ECONNREFUSED/g)?.length, 1);
  });
});
