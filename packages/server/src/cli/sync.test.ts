/** The way of the log as an operator has it: `serve --mysql` and `tallystick sync`, over a real Redis and MariaDB. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { startMariaDb, type MariaDb } from '../../../../test/support/mariadb.ts';
import { startRedis } from '../../../../test/support/redis.ts';
import { refusedStart, repositoryRoot, sourceRun, startServer, type RunningServer } from '../../../../test/support/server.ts';

const LONGEST_MS = 15_000;

let db: MariaDb;
let redis: Awaited<ReturnType<typeof startRedis>>;
before(async () => {
  [db, redis] = await Promise.all([startMariaDb(), startRedis()]);
});
after(() => Promise.all([db.stop(), redis.stop()]));

const mysql = (): string => `mysql://root@127.0.0.1:${db.port}/tallystick`;
const settings = (): string[] => ['--redis', redis.url, '--mysql', mysql(), '--partitions', '4', '--log-level', 'error'];
const start = (...args: string[]): Promise<RunningServer> => startServer({ args: [...settings(), ...args] });

async function add(node: RunningServer, key: string, times: number): Promise<void> {
  const once = async (): Promise<number> => (await fetch(`http://${node.http}/v1/counters/${key}`, { method: 'POST' })).status;
  const statuses = await Promise.all(Array.from({ length: times }, once));
  assert.deepEqual(statuses.filter((status) => status !== 200), []);
}

async function inLedger(key: string): Promise<number> {
  const connection = await db.connection();
  try {
    const rows: { value: bigint }[] = await connection.query('SELECT value FROM counter WHERE `key` = ?', [Buffer.from(key)]);
    return Number(rows[0]?.value ?? 0);
  } finally {
    await connection.end();
  }
}

async function untilInLedger(key: string, value: number): Promise<void> {
  const deadlineMs = Date.now() + LONGEST_MS;
  for (let found = await inLedger(key); found !== value; found = await inLedger(key)) {
    assert.ok(Date.now() < deadlineMs && found < value, `${key}: ${found} in the ledger, expected ${value}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A worker, once it carries the log. */
async function startSync(): Promise<{ readonly said: unknown; readonly end: (signal: NodeJS.Signals) => Promise<number | null> }> {
  const main = `${repositoryRoot}/packages/server/src/cli/main.ts`;
  const child = spawn(process.execPath, [...sourceRun, main, 'sync', ...settings(), '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return ((await exited) as [number | null])[0];
  };
  return { said: JSON.parse(line), end };
}

describe('the log', () => {
  it('is carried to the ledger by the nodes themselves, through the death of one (Q01)', async () => {
    const nodes = await Promise.all([start(), start()]);
    await Promise.all(nodes.map((node) => add(node, 'likes', 100)));
    await nodes[0].kill();
    await add(nodes[1], 'likes', 50);
    await untilInLedger('likes', 250);
    await nodes[1].stop();
    assert.equal(await inLedger('likes'), 250);
  });

  it('is carried by workers, which take over from each other and drain when they are told to stop', async () => {
    const node = await start('--stages', 'off');
    await add(node, 'reads', 40);
    assert.equal(await inLedger('reads'), 0);
    const first = await startSync();
    const shown = { redis: redis.url, mysql: `mysql://127.0.0.1:${db.port}/tallystick`, relay: true, sink: true };
    assert.deepEqual(first.said, shown);
    await untilInLedger('reads', 40);
    const second = await startSync();
    await add(node, 'reads', 40);
    assert.equal(await first.end('SIGTERM'), 0);
    await add(node, 'reads', 40);
    await untilInLedger('reads', 120);
    await second.end('SIGTERM');
    await node.stop();
  });

  it('needs a ledger that is there, and Redis before it, and never tells a password', async () => {
    const away = await refusedStart(['--redis', redis.url, '--mysql', 'mysql://me:a-secret@127.0.0.1:1/tally', '--partitions', '4']);
    assert.equal(away.exit, 1);
    assert.match(away.err, /mysql.*ECONNREFUSED/);
    const alone = await refusedStart(['--mysql', 'mysql://me:a-secret@127.0.0.1:1/tally']);
    assert.equal(alone.exit, 2);
    assert.match(alone.err, /mysql: expected nothing with the sqlite store/);
    for (const { err } of [away, alone]) assert.doesNotMatch(err, /secret/);
  });
});
