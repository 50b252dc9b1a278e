/** `tallystick check` and `tallystick sync dead-letters`, as an operator has them, over a real Redis and MariaDB. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startMariaDb, type MariaDb } from '../../../../test/support/mariadb.ts';
import { startRedis } from '../../../../test/support/redis.ts';
import { repositoryRoot, sourceRun, startServer, type RunningServer } from '../../../../test/support/server.ts';
import type { Ledger } from '../pipeline/ledger/ledger.ts';
import { openMysqlLedger } from '../pipeline/ledger/mysql/mysql-ledger.ts';
import { encodeRecord } from '../pipeline/record.ts';

interface Run {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

let db: MariaDb;
let redis: Awaited<ReturnType<typeof startRedis>>;
let node: RunningServer;
let ledger: Ledger;
before(async () => {
  [db, redis] = await Promise.all([startMariaDb(), startRedis()]);
  node = await startServer({ args: ['--redis', redis.url, '--mysql', db.url(), '--partitions', '4', '--log-level', 'error'] });
  ledger = await openMysqlLedger({ target: { host: '127.0.0.1', port: db.port, user: 'root', database: 'tallystick', tls: false } });
});
after(async () => {
  await ledger.close();
  await node.stop();
  await Promise.all([db.stop(), redis.stop()]);
});

async function tallystick(...args: string[]): Promise<Run> {
  const main = join(repositoryRoot, 'packages/server/src/cli/main.ts');
  const env = { ...process.env, TALLYSTICK_REDIS: redis.url, TALLYSTICK_MYSQL: db.url() };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...sourceRun, main, ...args], { env });
    return { exit: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { exit: code, out: stdout, err: stderr };
  }
}

const parsed = ({ out }: Run): Record<string, unknown> => JSON.parse(out) as Record<string, unknown>;
const letters = (...args: string[]): Promise<Run> => tallystick('sync', 'dead-letters', ...args);
const valueOf = async (key: string): Promise<bigint | undefined> => (await ledger.values(0, [key])).get(key);
const record = (source: string, seq: number, entries: [string, number][]): Buffer => encodeRecord({ source, seq, atMs: Date.now(), entries });

async function add(key: string): Promise<void> {
  assert.equal((await fetch(`http://${node.http}/v1/counters/${key}`, { method: 'POST' })).status, 200);
}

describe('tallystick check', () => {
  it('says that nothing differs, names what does, and puts right the side it is told', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, i) => add(`key${i}`)));
    const fine = await tallystick('check', '--full', '--json');
    assert.deepEqual([fine.exit, fine.err, parsed(fine)['looked'], parsed(fine)['differing']], [0, '', 20, 0]);
    await ledger.apply(2, [record('by hand', 1, [['stray', 7]])]);
    const wrong = await tallystick('check', '--full');
    assert.equal(wrong.exit, 1);
    assert.match(wrong.out, /^looked at 21 keys in [\d.]+ s: 1 differ \(4\.76 %\)/);
    assert.match(wrong.out, /"stray" in partition 2: redis 0, ledger 7/);
    const repaired = await tallystick('check', '--full', '--repair', 'redis', '--json');
    assert.deepEqual([repaired.exit, parsed(repaired)['repaired'], parsed(repaired)['examples']], [0, 1, [{ partition: 2, key: 'stray', redis: 0, ledger: 7 }]]);
    const sampled = await tallystick('check', '--sample', '50');
    assert.equal(sampled.exit, 0, sampled.out);
  });

  it('lets only one repair at a time', async () => {
    await ledger.alone('-repair', async () => {
      const refused = await tallystick('check', '--full', '--repair', 'ledger', '--json');
      assert.equal(refused.exit, 1);
      assert.match(refused.err, /another check is repairing.*DATA_IN_USE/);
    });
  });

  it('says which option is wrong', async () => {
    const both = await tallystick('check', '--full', '--sample', '5');
    assert.deepEqual([both.exit, both.err.includes('sample: expected nothing beside --full')], [2, true]);
    const zero = await tallystick('check', '--sample', '0');
    assert.deepEqual([zero.exit, zero.err.includes('sample: expected an integer from 1 on, got "0"')], [2, true]);
    assert.equal((await tallystick('check', '--repair', 'both')).exit, 2);
  });
});

describe('tallystick sync dead-letters', () => {
  it('lists, replays and drops, and counts each once however often it is replayed (S02)', async () => {
    assert.equal((await letters('list')).out, 'none\n');
    const late = [record('late', 2, [['waits', 4]]), record('late', 3, [['waits', 5]])];
    await ledger.apply(0, [...late, Buffer.from('nonsense'), record('bad', 1, [['', 1]])]);
    const listed = await letters('list', '--json');
    const all = listed.out.trim().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(all.map(({ reason, source, seq }) => [reason, source, seq]), [['gap', 'late', 2], ['gap', 'late', 3], ['unreadable', undefined, undefined], ['impossible', 'bad', 1]]);
    assert.match((await letters('list', '--reason', 'gap', '--limit', '1')).out, /^\d+\tgap\tpartition 0\tof "late", seq 2\t.*seq 1 to 1 have not come\n$/);

    const left = await letters('replay', '--reason', 'gap', '--json');
    assert.deepEqual([left.exit, parsed(left)], [1, { applied: 0, skipped: 0, left: 2, lost: 0 }]);
    const twice = await Promise.all([letters('replay', '--reason', 'gap', '--give-up', '--json'), letters('replay', '--reason', 'gap', '--give-up', '--json')]);
    assert.deepEqual(twice.map(({ exit }) => exit), [0, 0]);
    assert.equal(twice.reduce((sum, run) => sum + (parsed(run)['applied'] as number), 0), 2);
    assert.equal(await valueOf('waits'), 9n);
    await ledger.apply(0, late);
    assert.deepEqual([await valueOf('waits'), (await letters('list', '--reason', 'gap')).out], [9n, 'none\n']);

    assert.equal((await letters('drop')).exit, 2);
    const dropped = await letters('drop', '--id', String(all[2]!['id']), '--json');
    assert.deepEqual(parsed(dropped), { dropped: 1 });
    assert.equal((await letters('drop', '--all')).out, '1 dropped\n');
    assert.equal((await letters('list')).out, 'none\n');
  });
});
