/** The outbox on a real Redis: every batch leaves one record, which says what it changed. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createClient } from 'redis';
import { createTallystick, joinKey, type Store, type Tallystick } from 'tallystick';
import { outboxKey, redisStore } from 'tallystick/redis';
import { decodeRecord, type LogRecord } from '../../packages/server/src/pipeline/record.ts';
import { startRedis } from '../support/redis.ts';
import { seededRandom } from '../support/random.ts';

const server = await startRedis();
const client = await createClient({ url: server.url }).connect();
after(async () => {
  client.destroy();
  await server.stop();
});

const PARTITIONS = 4;
let stores = 0;

interface Opened {
  readonly prefix: string;
  readonly store: Store;
}

async function open(): Promise<Opened> {
  const prefix = `o${stores++}`;
  return { prefix, store: await redisStore({ client, prefix, partitions: PARTITIONS, outbox: true }) };
}

async function recordsOf(prefix: string, partition: number): Promise<LogRecord[]> {
  const command = ['XRANGE', outboxKey(prefix, partition), '-', '+'];
  const entries = await client.sendCommand<[Buffer, Buffer[]][]>(command, { typeMapping: { 36: Buffer } });
  return entries.map(([, fields]) => decodeRecord(partition, fields[1]!));
}

async function allRecords(prefix: string): Promise<LogRecord[]> {
  const each = await Promise.all(Array.from({ length: PARTITIONS }, (_, partition) => recordsOf(prefix, partition)));
  return each.flat();
}

function sums(records: readonly LogRecord[]): Map<string, number> {
  const totals = new Map<string, number>();
  for (const [key, delta] of records.flatMap(({ entries }) => entries)) totals.set(key, (totals.get(key) ?? 0) + delta);
  return totals;
}

/** Every source's records are there, once, in order. */
function assertInOrder(records: readonly LogRecord[]): void {
  const lasts = new Map<string, number>();
  for (const { partition, source, seq } of records) {
    const lane = `${partition}/${source}`;
    assert.equal(seq, (lasts.get(lane) ?? 0) + 1);
    lasts.set(lane, seq);
  }
}

const KEYS = Array.from({ length: 60 }, (_, i) => `article:${i}:é`);

/** One add of any kind. */
function addAny({ counters }: Tallystick, random: () => number): Promise<unknown> {
  const key = KEYS[Math.floor(random() * KEYS.length)]!;
  const delta = Math.floor(random() * 2000) - 800;
  const kind = Math.floor(random() * 10);
  if (kind < 5) return counters.add(key, delta);
  if (kind === 5) return counters.add(key, delta, { min: 0, max: 5000 });
  if (kind === 6) return counters.add(key, 2 ** 40 + delta);
  if (kind === 7) return counters.add(key, delta, { requestId: `r${Math.floor(random() * 20)}` });
  if (kind === 8) return counters.add(joinKey('expires', key), 1, { ttlMs: 60_000 });
  return counters.add(joinKey('window', key), 1, { type: 'sliding-log', windowMs: 60_000 });
}

describe('the outbox', () => {
  it('holds, of every counter that does not expire, exactly what it counts', async () => {
    const { prefix, store } = await open();
    const second = await redisStore({ client, prefix, partitions: PARTITIONS, outbox: true });
    const processes = [createTallystick({ store }), createTallystick({ store: second })];
    const seed = Math.floor(Math.random() * 2 ** 31);
    const random = seededRandom(seed);
    for (let round = 0; round < 40; round++) {
      await Promise.all(Array.from({ length: 50 }, (_, i) => addAny(processes[i % 2]!, random)));
    }
    const readings = await processes[0]!.counters.getMany(KEYS);
    for (const process of processes) await process.close();
    const records = await allRecords(prefix);
    const totals = sums(records);
    for (const [i, { value }] of readings.entries()) assert.equal(totals.get(KEYS[i]!) ?? 0, value, `seed ${seed}, ${KEYS[i]!}`);
    assertInOrder(records);
    assert.deepEqual([...totals.keys()].filter((key) => !KEYS.includes(key)), []);
  });

  it('gets no second record of a batch that is sent again', async () => {
    const { prefix, store } = await open();
    const batch = (seq: number) => ({ source: 's', partition: 1, seq, operations: [{ key: 'k', delta: 5 }] });
    for (const seq of [1, 1, 2, 2, 1, 3, 3]) await store.apply(batch(seq));
    assert.deepEqual((await recordsOf(prefix, 1)).map(({ seq, entries }) => [seq, entries]), [1, 2, 3].map((seq) => [seq, [['k', 5]]]));
  });

  it('gets a record of a batch that changed nothing, so that its source moves on', async () => {
    const { prefix, store } = await open();
    await store.apply({ source: 's', partition: 0, seq: 1, operations: [{ key: 'k', delta: -5, terms: { kind: 'count', min: 0 } }] });
    await store.apply({ source: 's', partition: 0, seq: 2, operations: [] });
    assert.deepEqual((await recordsOf(prefix, 0)).map(({ seq, entries }) => [seq, entries]), [[1, []], [2, []]]);
  });

  it('gives the total of a counter back when the counter begins to expire', async () => {
    const { prefix, store } = await open();
    const apply = (seq: number, ttlMs?: number) =>
      store.apply({ source: 's', partition: 0, seq, operations: [{ key: 'k', delta: 5, ...(ttlMs !== undefined && { terms: { kind: 'count', ttlMs } }) }] });
    await apply(1);
    await apply(2, 60_000);
    await apply(3);
    assert.deepEqual((await recordsOf(prefix, 0)).map(({ entries }) => entries), [[['k', 5]], [['k', -5]], []]);
  });

  it('takes the place of a foreign value', async () => {
    const { prefix, store } = await open();
    const apply = (seq: number) => store.apply({ source: 's', partition: 2, seq, operations: [{ key: 'k', delta: 1 }] });
    await apply(1);
    await client.set(outboxKey(prefix, 2), 'foreign');
    await apply(2);
    await client.set(outboxKey(prefix, 2), 'foreign');
    await apply(3);
    assert.deepEqual((await recordsOf(prefix, 2)).map(({ seq }) => seq), [3]);
    assert.equal((await store.read(2, [{ key: 'k' }]))[0]!.value, 3);
  });

  it('is not written by a store that was not told to', async () => {
    const prefix = `o${stores++}`;
    const store = await redisStore({ client, prefix, partitions: PARTITIONS });
    for (const seq of [1, 2]) await store.apply({ source: 's', partition: 0, seq, operations: [{ key: 'k', delta: 1 }] });
    assert.equal(await client.exists(outboxKey(prefix, 0)), 0);
    await assert.rejects(redisStore({ client, ...{ outbox: 'yes' as unknown as boolean } }), { code: 'INVALID_CONFIG', field: 'outbox' });
  });
});
