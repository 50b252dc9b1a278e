// What a real server does to a store: scripts flushed, foreign values, no memory, no writes, silence, death.
import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { createClient } from 'redis';
import { startRedis } from '../../../../../test/support/redis.ts';
import { isBehind, type Answer } from '../../model/answer.ts';
import type { Batch } from '../../model/batch.ts';
import type { Operation } from '../../model/operation.ts';
import type { Store } from '../../store.ts';
import { manualClock } from '../../testing/index.ts';
import { redisStore } from './index.ts';
import { openRedisStore } from './redis-store.ts';

const server = await startRedis({ appendonly: 'yes', appendfsync: 'always' });
const client = createClient({ url: server.url, disableOfflineQueue: true, socket: { reconnectStrategy: 20 } });
client.on('error', () => undefined);
await client.connect();
after(async () => {
  client.destroy();
  await server.stop();
});

/** The bucket of `k` when the partition is the only one. */
const bucketOfK = async (): Promise<string> => {
  const buckets = await client.keys('{tally:0}c*');
  for (const bucket of buckets) if (await client.hExists(bucket, 'k')) return bucket;
  throw new Error('k is in no bucket');
};

let store: Store;
let seq = 0;
beforeEach(async () => {
  await client.flushAll();
  store = await redisStore({ client, partitions: 1, commandTimeoutMs: 300 });
  seq = 0;
});

const batch = (...operations: Operation[]): Batch => ({ source: 's', partition: 0, seq: ++seq, operations });
const one: Operation = { key: 'k', delta: 1 };
/** A first batch of a source that knows no slots yet. */
const fromOther = (...operations: Operation[]): Batch => ({ source: `other${++seq}`, partition: 0, seq: 1, operations });

async function apply(given: Batch): Promise<Answer> {
  const reply = await store.apply(given);
  assert.ok(!isBehind(reply));
  return reply;
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + 15_000;
  while (!(await holds().catch(() => false))) {
    assert.ok(performance.now() < endMs, `not within 15 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const unavailable = { code: 'STORE_UNAVAILABLE', transient: true };

describe('a Redis store', () => {
  it('goes by the server\'s clock', async () => {
    const beforeMs = Date.now();
    const { atMs } = await apply(batch(one));
    assert.ok(atMs >= beforeMs && atMs <= Date.now(), String(atMs));
  });

  it('loads its scripts again when the server has lost them, with many batches on their way (R08)', async () => {
    for (let round = 0; round < 20; round++) {
      await client.scriptFlush();
      const sent = Array.from({ length: 8 }, () => apply(batch(one)));
      const values = (await Promise.all(sent)).map(({ values: [value] }) => value);
      assert.deepEqual(values, sent.map((_, i) => 8 * round + i + 1));
    }
    await client.scriptFlush();
    assert.equal((await store.read(0, [{ key: 'k' }]))[0]?.value, 160);
  });

  it('refuses an operation on a foreign value, and no other; the value and its expiry stay (R10)', async () => {
    const log = { kind: 'log', windowMs: 5000 } as const;
    await apply(batch(one, { key: 'events', delta: 1, terms: log }));
    const bucket = await bucketOfK();
    for (const key of [bucket, '{tally:0}##log:5000:events']) {
      assert.equal(await client.exists(key), 1, key);
      await client.set(key, 'foreign', { expiration: { type: 'EX', value: 100 } });
    }
    const { values, notes } = await apply(fromOther(one, { key: 'events', delta: 1, terms: log }, { key: 'other', delta: 5 }));
    assert.equal(values[2], 5);
    assert.deepEqual(notes.map(({ index, code }) => [index, code]), [[0, 'DATA_CORRUPT'], [1, 'DATA_CORRUPT']]);
    assert.equal(await client.get(bucket), 'foreign');
    assert.ok((await client.ttl(bucket)) <= 100);
    const readings = await store.read(0, [{ key: 'k' }, { key: 'other' }]);
    assert.deepEqual(readings.map(({ found }) => found), [false, true]);
  });

  it('refuses an operation on a field that is no count, and leaves it', async () => {
    await apply(batch(one));
    await client.hSet(await bucketOfK(), 'k', 'foreign');
    assert.equal((await apply(fromOther(one))).notes[0]?.code, 'DATA_CORRUPT');
    assert.equal(await client.hGet(await bucketOfK(), 'k'), 'foreign');
  });

  it('refuses what is in slots, and no other, when there is a foreign value in their place', async () => {
    const log = { kind: 'log', windowMs: 5000 } as const;
    await apply(batch(one));
    await client.del('{tally:0}v');
    await client.hSet('{tally:0}v', 'foreign', '1');
    const { values, notes } = await apply(batch(one, { key: 'events', delta: 1, terms: log }));
    assert.deepEqual(notes.map(({ index, code }) => [index, code]), [[0, 'DATA_CORRUPT']]);
    assert.deepEqual(values, [0, 1]);
    assert.equal(await client.hGet('{tally:0}v', 'foreign'), '1');
  });

  it('takes foreign values away that stand where it keeps its account, and goes on as after a flush', async () => {
    await apply(batch(one));
    for (const key of ['m', 's', 'x', 'z', 'f']) await client.set(`{tally:0}${key}`, 'foreign');
    assert.deepEqual(await store.apply(batch(one)), { behind: 0 });
    seq = 0;
    const expiring: Operation = { key: 't', delta: 1, terms: { kind: 'count', ttlMs: 60_000 } };
    const { values, notes } = await apply(batch(one, expiring));
    assert.deepEqual([values, notes.map(({ code }) => code)], [[2, 1], [undefined]]);
  });

  it('changes nothing on a server without memory, says that it is unavailable, and still reads', async () => {
    await apply(batch(one));
    await client.configSet('maxmemory', '1');
    const refused = batch(one);
    await assert.rejects(store.apply(refused), unavailable);
    assert.equal((await store.read(0, [{ key: 'k' }]))[0]?.value, 1);
    await client.configSet('maxmemory', '0');
    assert.deepEqual((await apply(refused)).values, [2]);
  });

  it('is unavailable on a server that became a replica, and goes on where it left off when that is over', async () => {
    await apply(batch(one));
    await client.replicaOf('127.0.0.1', 1);
    const refused = batch(one);
    await assert.rejects(store.apply(refused), unavailable);
    await client.sendCommand(['REPLICAOF', 'NO', 'ONE']);
    assert.deepEqual((await apply(refused)).values, [2]);
  });

  it('does not wait longer than it is told, and applies once what came through all the same', async () => {
    server.pause();
    const late = batch(one);
    await assert.rejects(store.apply(late), unavailable);
    await assert.rejects(store.read(0, [{ key: 'k' }]), unavailable);
    server.resume();
    assert.deepEqual((await apply(late)).values, [1]);
    assert.equal((await store.read(0, [{ key: 'k' }]))[0]?.value, 1);
  });

  it('has what it answered after the server was killed, where the server keeps a synced log', async () => {
    const sent = batch(one, { key: 'r', delta: 2, requestId: 'id' });
    const answer = await apply(sent);
    await server.kill();
    await until('the client has seen it', async () => !client.isReady);
    await assert.rejects(store.apply(batch(one)), unavailable);
    seq--;
    await server.start();
    await until('connected again', async () => client.isReady);
    assert.deepEqual(await apply(sent), answer);
    assert.deepEqual((await apply(batch(one, { key: 'r', delta: 2, requestId: 'id' }))).values, [2, 2]);
  });

  it('says how far behind a server is that came back empty', async () => {
    await apply(batch(one));
    await client.flushAll();
    assert.deepEqual(await store.apply(batch(one)), { behind: 0 });
  });

  it('drops expired counters without being asked for them, and only those', async () => {
    const expiring = Array.from({ length: 500 }, (_, i) => ({ key: `t${i}`, delta: 1, terms: { kind: 'count', ttlMs: 30 } }) as const);
    await apply(batch(one, ...expiring, { key: 'later', delta: 1, terms: { kind: 'count', ttlMs: 60_000 } }));
    await until('two counters are left', async () => {
      const buckets = await client.keys('{tally:0}c*');
      const sizes = await Promise.all(buckets.map((bucket) => client.hLen(bucket)));
      return sizes.reduce((sum, size) => sum + size, 0) === 2;
    });
    assert.equal(await client.zCard('{tally:0}x'), 1);
    assert.deepEqual((await store.read(0, [{ key: 'k' }, { key: 'later' }])).map(({ value }) => value), [1, 1]);
  });

  it('forgets sources that were silent for two days, all traces of them, and nobody whose clock only jumped (R15)', async () => {
    const clock = manualClock();
    store = await openRedisStore({ client, partitions: 1, prefix: 'churn' }, { clock });
    const from = (source: string, last = 1): Batch => ({ source, partition: 0, seq: last, operations: [one] });
    for (let i = 0; i < 150; i++) await apply(from(`silent${i}`));
    await apply(from('alive'));
    clock.advance(25 * 3_600_000);
    await apply(from('new'));
    assert.deepEqual(await store.apply(from('alive', 9)), { behind: 1 });
    const remembered = await store.apply(from('silent7'));
    await apply(from('alive', 2));
    clock.advance(100 * 3_600_000);
    await apply(from('new', 2));
    assert.deepEqual(await store.apply(from('silent7', 2)), { behind: 0 });
    assert.deepEqual((await apply(from('alive'))).values, [151], 'the answers of a source move on with it');
    assert.ok(!isBehind(remembered) && remembered.values[0] === 8);
    const names = await Promise.all(['s', 'z'].map((letter) => client.hKeys(`{churn:0}${letter}`)));
    assert.deepEqual([...new Set(names.flat().map((field) => field.slice(1)))].toSorted(), ['alive', 'new']);
  });

  it('goes by the number of buckets that the data has', async () => {
    await client.hSet('{tally:0}m', 'b', '64');
    assert.deepEqual((await apply(batch(one))).values, [1]);
    const other = await redisStore({ client, partitions: 1 });
    assert.equal((await other.read(0, [{ key: 'k' }]))[0]?.value, 1);
  });

  it('refuses settings that it cannot use, naming them', async () => {
    const wrong = { partitions: 0, prefix: 'a{b', commandTimeoutMs: 0.5, requestRetentionMs: -1, client: undefined, colour: 1 };
    for (const [field, value] of Object.entries(wrong)) {
      await assert.rejects(redisStore({ client, [field]: value }), { field }, field);
    }
  });
});
