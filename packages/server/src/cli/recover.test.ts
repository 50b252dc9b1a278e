/** The journal of a node, and `tallystick recover`, over a real Redis that loses everything. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { createClient } from 'redis';
import { startRedis } from '../../../../test/support/redis.ts';
import { repositoryRoot, sourceRun, startServer, type RunningServer } from '../../../../test/support/server.ts';

const redis = await startRedis();
const admin = await createClient({ url: redis.url }).connect();
const folder = mkdtempSync(join(tmpdir(), 'tallystick-recover-'));
after(async () => {
  admin.destroy();
  await redis.stop();
  rmSync(folder, { recursive: true });
});

const data = join(folder, 'data');
const start = (...args: string[]): Promise<RunningServer> => startServer({ data, args: ['--redis', redis.url, '--log-level', 'error', ...args] });

async function call(server: RunningServer, key: string, method = 'GET'): Promise<number> {
  const response = await fetch(`http://${server.http}/v1/counters/${key}`, { method });
  return ((await response.json()) as { value: number }).value;
}

interface Run {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

async function recover(...args: string[]): Promise<Run> {
  const main = join(repositoryRoot, 'packages/server/src/cli/main.ts');
  const all = [...sourceRun, main, 'recover', '--redis', redis.url, ...args];
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, all);
    return { exit: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { exit: code, out: stdout, err: stderr };
  }
}

describe('a node with a journal', () => {
  it('gives a Redis that lost everything all it acknowledged, though it was killed itself', async () => {
    const first = await start();
    await Promise.all(Array.from({ length: 50 }, () => call(first, 'likes', 'POST')));
    await first.kill();
    await admin.flushAll();
    const second = await start();
    assert.equal(await call(second, 'likes'), 50);
    await call(second, 'likes', 'POST');
    await second.kill();
    const third = await start();
    assert.equal(await call(third, 'likes'), 51);
    await third.stop();
  });

  it('keeps none when it is told so', async () => {
    const node = await start('--journal', 'off');
    await call(node, 'unkept', 'POST');
    await node.kill();
    await admin.flushAll();
    const again = await start();
    assert.equal(await call(again, 'unkept'), 0);
    await again.stop();
  });
});

describe('tallystick recover', () => {
  it('says what it would send, sends it once, and finds nothing more to send', async () => {
    const node = await start();
    await Promise.all(Array.from({ length: 20 }, () => call(node, 'again', 'POST')));
    await node.stop();
    const copy = join(folder, 'copy');
    cpSync(join(data, 'journal'), copy, { recursive: true });
    await admin.flushAll();
    const dry = await recover('--journal', copy, '--dry-run');
    assert.match(dry.out, /^(\d+) batches in the journal: 0 known to Redis, \1 to be sent\n$/);
    const { exit, out } = await recover('--journal', copy, '--json');
    const report = JSON.parse(out) as Record<string, number>;
    assert.deepEqual({ exit, known: report['known'], sent: report['sent'] }, { exit: 0, known: 0, sent: report['batches'] });
    const repeated = JSON.parse((await recover('--journal', copy, '--json')).out) as Record<string, number>;
    assert.deepEqual({ known: repeated['known'], sent: repeated['sent'] }, { known: report['batches'], sent: 0 });
    const reader = await start();
    assert.equal(await call(reader, 'again'), 20);
    await reader.stop();
  });

  it('names a time that is none', async () => {
    const { exit, err } = await recover('--from', 'yesterday');
    assert.equal(exit, 2);
    assert.match(err, /from: expected a time such as .*, got "yesterday"/);
  });
});
