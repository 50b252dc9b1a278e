import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { MAX_VALUE, TallystickError } from 'tallystick';
import { startMariaDb, type MariaDb } from '../../../../../../test/support/mariadb.ts';
import { encodeRecord, type LogRecord } from '../../record.ts';
import { checkSource, type Ledger } from '../ledger.ts';
import { openMysqlLedger, type MysqlLedgerOptions } from './mysql-ledger.ts';

const record = (source: string, seq: number, entries: LogRecord['entries'] = [['k', 1]], atMs = 1_000_000): Buffer =>
  encodeRecord({ source, seq, atMs, entries });

describe('the ledger in MariaDB', () => {
  let db: MariaDb;
  let ledger: Ledger;
  const open = (options: Partial<MysqlLedgerOptions> = {}): Promise<Ledger> =>
    openMysqlLedger({ target: { host: '127.0.0.1', port: db.port, user: 'root', database: 'tallystick', tls: false }, partitions: 4, ...options });
  const value = async (key: string, partition = 0): Promise<bigint | undefined> => (await ledger.values(partition, [key])).get(key);
  before(async () => {
    db = await startMariaDb();
  });
  after(() => db.stop());
  beforeEach(async () => {
    ledger = await open();
  });
  afterEach(async () => {
    await ledger.close();
    await db.clear();
  });

  it('adds each record once, however often it comes', async () => {
    const records = [record('a', 1, [['k', 2]]), record('b', 1, [['k', 3], ['n', -4]]), record('a', 2, [['k', 1]])];
    assert.deepEqual(await ledger.apply(0, records), { applied: 3, skipped: 0, parked: 0, rows: 2, isGapClosed: false });
    assert.deepEqual(await ledger.apply(0, records), { applied: 0, skipped: 3, parked: 0, rows: 0, isGapClosed: false });
    assert.deepEqual([await value('k'), await value('n'), await value('none')], [6n, -4n, 0n]);
    assert.deepEqual(await ledger.progress(0), new Map([['a', 2], ['b', 1]]));
  });

  it('keeps partitions apart, and refuses one that it does not have', async () => {
    await ledger.apply(1, [record('a', 1)]);
    assert.equal(await value('k', 0), 0n);
    assert.equal(await value('k', 1), 1n);
    await assert.rejects(ledger.apply(4, [record('a', 1)]), { code: 'INVALID_ARGUMENT', field: 'partition' });
  });

  it('compares keys byte by byte', async () => {
    const keys = ['key', 'Key', 'key ', 'café', 'cafe\u0301', '😀', '\0', 'k'.repeat(512), "'; DROP TABLE counter; --"];
    await ledger.apply(0, [record('a', 1, keys.map((key, i) => [key, i + 1]))]);
    assert.deepEqual([...(await ledger.values(0, keys))], keys.map((key, i) => [key, BigInt(i + 1)]));
  });

  it('reads totals back exactly, always as the same type (N04)', async () => {
    const connection = await db.connection();
    const exact = ['9007199254740991', '9007199254740992', '9007199254740993', '9223372036854775807', '-9007199254740993', '-9223372036854775808'];
    for (const [i, text] of exact.entries()) await connection.query(`INSERT INTO counter (partition_id, \`key\`, value) VALUES (0, ?, ${text})`, [`k${i}`]);
    await connection.end();
    const read = await ledger.values(0, exact.map((_, i) => `k${i}`));
    assert.deepEqual([...read.values()], exact.map(BigInt));
    assert.ok([...read.values()].every((total) => typeof total === 'bigint'));
  });

  it('carries a total out of the range of numbers and back, as sources may come in another order', async () => {
    await ledger.apply(0, [record('a', 1, [['k', MAX_VALUE]]), record('a', 2, [['k', MAX_VALUE]])]);
    assert.equal(await value('k'), 2n * BigInt(MAX_VALUE));
    await ledger.apply(0, [record('b', 1, [['k', -MAX_VALUE]]), record('b', 2, [['k', -MAX_VALUE + 7]])]);
    assert.equal(await value('k'), 7n);
  });

  it('parks one malformed record of 1000 and counts the other 999 (Q03)', async () => {
    const records = Array.from({ length: 1000 }, (_, i) => record('a', i + 1, i === 499 ? [['', 1]] : [['k', 1]]));
    await ledger.apply(2, records);
    assert.equal(await value('k', 2), 999n);
    const [letter] = await ledger.deadLetters.list({}, 10);
    assert.deepEqual({ ...letter, id: 0, parkedAt: 0, bytes: 0 }, {
      id: 0, partition: 2, reason: 'impossible', source: 'a', seq: 500, parkedAt: 0, bytes: 0,
      fault: 'record: entries[0]: expected a key of 1 to 512 bytes',
    });
    await ledger.apply(2, records);
    assert.equal((await ledger.deadLetters.list({}, 10)).length, 1, 'reading the log again parks nothing again');
  });

  it('parks the one record that a total has no room for, and applies it when there is', async () => {
    const connection = await db.connection();
    await connection.query("INSERT INTO counter (partition_id, `key`, value) VALUES (0, 'k', 9223372036854775800)");
    await ledger.apply(0, [record('a', 1, [['n', 1]]), record('a', 2, [['k', 100], ['n', 10]]), record('a', 3, [['n', 100]])]);
    assert.equal(await value('n'), 101n);
    assert.deepEqual(await ledger.deadLetters.count(), new Map([['impossible', 1]]));
    assert.equal((await ledger.deadLetters.replay({}, false)).left, 1);
    await connection.query("UPDATE counter SET value = 1 WHERE `key` = 'k'");
    await connection.end();
    assert.equal((await ledger.deadLetters.replay({}, false)).applied, 1);
    assert.deepEqual([await value('k'), await value('n')], [101n, 111n]);
    assert.equal((await ledger.deadLetters.replay({}, false)).applied, 0);
  });

  it('keeps what comes after a gap until the gap is closed', async () => {
    await ledger.apply(0, [record('a', 1), record('a', 3), record('a', 4), record('b', 1)]);
    assert.equal(await value('k'), 2n);
    assert.deepEqual(await ledger.deadLetters.replay({}, false), { applied: 0, skipped: 0, left: 2, lost: 0 });
    const { isGapClosed } = await ledger.apply(0, [record('a', 2)]);
    assert.equal(isGapClosed, true);
    assert.deepEqual(await ledger.deadLetters.replay({}, false), { applied: 2, skipped: 0, left: 0, lost: 0 });
    assert.equal(await value('k'), 5n);
    assert.deepEqual(await ledger.progress(0), new Map([['a', 4], ['b', 1]]));
  });

  it('gives up a gap when it is told to, and never counts later what was given up', async () => {
    await ledger.apply(0, [record('a', 1), record('a', 3), record('a', 6)]);
    assert.deepEqual(await ledger.deadLetters.replay({}, true), { applied: 2, skipped: 0, left: 0, lost: 3 });
    await ledger.apply(0, [record('a', 2), record('a', 7)]);
    assert.equal(await value('k'), 4n);
  });

  it('drops dead letters by number', async () => {
    await ledger.apply(0, [record('a', 2), record('b', 2)]);
    const [first] = await ledger.deadLetters.list({}, 1);
    assert.equal(await ledger.deadLetters.drop({ ids: [first?.id ?? 0] }), 1);
    assert.equal(await ledger.deadLetters.drop({ ids: [] }), 0);
    assert.deepEqual((await ledger.deadLetters.list({}, 10)).map(({ source }) => source), ['b']);
  });

  it('forgets sources, and counts nothing of theirs again', async () => {
    await ledger.apply(0, [record('old', 1, [['k', 1]], 5000), record('young', 1, [['k', 1]], 50_000)]);
    assert.equal(await ledger.forgetSources(10_000), 1);
    await ledger.apply(0, [record('old', 1, [['k', 1]], 5000), record('young', 1, [['k', 1]], 50_000), record('new', 1, [['k', 1]], 60_000)]);
    assert.equal(await value('k'), 3n);
    assert.deepEqual(await ledger.deadLetters.count(), new Map([['forgotten', 1]]));
  });

  it('reads the values right at the place that was asked for', async () => {
    const source = checkSource('1');
    await ledger.readings.ask(source, 0, ['k', 'none']);
    await ledger.apply(0, [record('a', 1)]);
    assert.equal(await ledger.readings.read(source, 0), undefined);
    await ledger.apply(0, [record('a', 2), record(source, 1, []), record('a', 3), record('a', 4)]);
    assert.deepEqual(await ledger.readings.read(source, 0), new Map([['k', 2n], ['none', 0n]]));
    await ledger.apply(0, [record('a', 5), record(source, 1, [])]);
    assert.deepEqual(await ledger.readings.read(source, 0), new Map([['k', 2n], ['none', 0n]]));
    await ledger.readings.remove(source);
    assert.equal((await ledger.readings.read(source, 0))?.size, 0);
  });

  it('gives one process at a time the word', async () => {
    const other = await open();
    let inner: boolean | undefined;
    assert.equal(await ledger.alone('test', async () => {
      inner = await other.alone('test', async () => undefined);
    }), true);
    assert.equal(inner, false);
    assert.equal(await other.alone('test', async () => undefined), true);
    await other.close();
  });

  it('refuses data of another number of partitions, of a later version, and a database without data', async () => {
    await assert.rejects(open({ partitions: 8 }), { code: 'PARTITIONS_MISMATCH', field: 'partitions' });
    const connection = await db.connection();
    await connection.query('INSERT INTO schema_version (version) VALUES (99)');
    await assert.rejects(open(), { code: 'SCHEMA_MISMATCH' });
    await connection.query('DROP DATABASE tallystick');
    await connection.query('CREATE DATABASE tallystick');
    await connection.end();
    const { target } = { target: { host: '127.0.0.1', port: db.port, user: 'root', database: 'tallystick', tls: false } };
    await assert.rejects(openMysqlLedger({ target }), { code: 'INVALID_CONFIG', field: 'mysql' });
  });

  it('is opened by several processes at once', async () => {
    await db.clear();
    const opened = await Promise.all([open(), open(), open()]);
    assert.deepEqual(opened.map(({ partitions }) => partitions), [4, 4, 4]);
    await Promise.all(opened.map((one) => one.close()));
  });

  it('shows no password when it cannot connect', async () => {
    const target = { host: '127.0.0.1', port: db.port, user: 'nobody', password: 'hunter2', database: 'tallystick', tls: false };
    await assert.rejects(openMysqlLedger({ target, partitions: 4 }), (error) => {
      assert.ok(error instanceof TallystickError && error.code === 'STORE_UNAVAILABLE');
      assert.doesNotMatch(error.message + String((error.cause as Error).stack), /hunter2/);
      return true;
    });
  });
});
