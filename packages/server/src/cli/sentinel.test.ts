/** `tallystick serve` over Sentinels: a node follows a failover by itself, and brings back what it did not carry over. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { freePort } from '../../../../test/support/free-port.ts';
import { startRedis, type RedisServer } from '../../../../test/support/redis.ts';
import { startServer, type RunningServer } from '../../../../test/support/server.ts';

const PROGRAM = 'redis-server';

interface Sentinel {
  readonly port: number;
  stop(): Promise<void>;
}

/** A Sentinel that decides alone, after a second. */
async function startSentinel(primary: RedisServer): Promise<Sentinel> {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-sentinel-'));
  const file = join(folder, 'sentinel.conf');
  const port = await freePort();
  const watch = ['monitor main 127.0.0.1 PORT 1', 'down-after-milliseconds main 1000', 'failover-timeout main 5000'];
  const lines = [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, ...watch.map((line) => `sentinel ${line.replace('PORT', String(primary.port))}`)];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const child = spawn(PROGRAM, [file, '--sentinel'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  let said = '';
  // It has to know the replica before it can fail over to it.
  for await (const text of child.stdout) if ((said += String(text)).includes('+slave ')) break;
  child.stdout.resume();
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  return { port, stop };
}

/** Adds 1 under a request id until it is answered as applied. */
async function add(server: RunningServer, requestId: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  for (;;) {
    const { status } = await fetch(`http://${server.http}/v1/counters/k`, { method: 'POST', headers, body: JSON.stringify({ requestId }) });
    if (status === 200) return;
  }
}

describe('a node over Sentinels', () => {
  it('follows a failover, and counts every add once', async () => {
    const primary = await startRedis();
    const replica = await startRedis({ replicaof: `127.0.0.1 ${primary.port}` });
    const sentinel = await startSentinel(primary);
    const server = await startServer({ args: ['--redis', `redis+sentinel://127.0.0.1:${sentinel.port}/main`, '--request-timeout-ms', '2000', '--log-level', 'error'] });
    for (let i = 0; i < 50; i++) await add(server, `before ${i}`);
    await primary.kill();
    await Promise.all(Array.from({ length: 50 }, (_, i) => add(server, `after ${i}`)));
    const read = await fetch(`http://${server.http}/v1/counters/k`);
    assert.equal(((await read.json()) as { value: number }).value, 100);
    await server.stop();
    for (const started of [sentinel, replica, primary]) await started.stop();
  });
});
