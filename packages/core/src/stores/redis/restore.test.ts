import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createClient } from 'redis';
import { startRedis } from '../../../../../test/support/redis.ts';
import { isBehind } from '../../model/answer.ts';
import type { Store } from '../../store.ts';
import { RedisOutbox } from './outbox.ts';
import { openRedisStore } from './redis-store.ts';
import { RedisRestore } from './restore.ts';

const server = await startRedis();
const client = await createClient({ url: server.url }).connect();
after(async () => {
  client.destroy();
  await server.stop();
});

let deployments = 0;

async function deployed(): Promise<{ store: Store; restore: RedisRestore; outbox: RedisOutbox }> {
  const where = { client, prefix: `b${deployments++}`, partitions: 2 };
  const store = await openRedisStore({ ...where, outbox: true, awaitsRestore: true });
  return { store, restore: new RedisRestore(where), outbox: new RedisOutbox(where) };
}

const valuesOf = async (store: Store, keys: readonly string[], partition = 0): Promise<unknown[]> =>
  (await store.read(partition, keys.map((key) => ({ key })))).map(({ value, found }) => found && value);
const batch = (source: string, seq: number, key: string, partition = 0) => ({ source, partition, seq, operations: [{ key, delta: 1 }] });
const isClosed = { code: 'STORE_UNAVAILABLE', message: /partition 0 is empty, and closed/ };

describe('restoring a partition', () => {
  it('is of one without data, which answers nothing until it is opened', async () => {
    const { store, restore, outbox } = await deployed();
    const isKnown = async (): Promise<boolean> => (await outbox.read(0, { records: 1, bytes: 1 })).hasData;
    await assert.rejects(store.read(0, [{ key: 'x' }]), isClosed);
    await assert.rejects(store.apply(batch('a', 1, 'x')), isClosed);
    const restoring = await restore.begin(0);
    assert.ok(restoring && (await restoring.load([['x', 5]])));
    await assert.rejects(store.apply(batch('a', 1, 'x')), isClosed);
    assert.equal(await isKnown(), false);
    assert.ok(await restoring.open(0));
    assert.equal(await isKnown(), true);
    assert.equal(await restore.begin(0), undefined);
    assert.deepEqual(await valuesOf(store, ['x', 'y']), [5, false]);
    await assert.rejects(store.read(1, []), { code: 'STORE_UNAVAILABLE' });
  });

  it('brings back values of all sizes, to be added to, and what each source has sent', async () => {
    const { store, restore } = await deployed();
    const totals: [string, number][] = [['big', 2 ** 53 - 1], ['low', -(2 ** 40)], ['ü'.repeat(200), -7], ['zero', 0]];
    for (let i = 0; i < 5000; i++) totals.push([`k${i}`, i]);
    const restoring = await restore.begin(0);
    assert.ok(restoring);
    assert.ok(await restoring.load(totals.slice(0, 1500)));
    assert.ok(await restoring.load(totals.slice(1500)));
    assert.ok(await restoring.loadSources(new Map([['a', 3], ...Array.from({ length: 2500 }, (_, i): [string, number] => [`s${i}`, i + 1])])));
    assert.ok(await restoring.open(0));
    assert.deepEqual(await valuesOf(store, totals.map(([key]) => key)), totals.map(([, value]) => value));
    assert.deepEqual(await store.apply(batch('s2499', 2502, 'k1')), { behind: 2500 });
    assert.equal(isBehind(await store.apply(batch('a', 3, 'k1'))), false);
    for (const [seq, key] of [[4, 'k1'], [5, 'new'], [6, 'low'], [7, 'k1']] as const) await store.apply(batch('a', seq, key));
    assert.deepEqual(await valuesOf(store, ['k1', 'k2', 'new', 'low']), [3, 2, 1, -(2 ** 40) + 1]);
  });

  it('is begun anew by another, who takes away what was loaded and refuses the first one', async () => {
    const { store, restore } = await deployed();
    const first = await restore.begin(0);
    assert.ok(first && (await first.load([['x', 1], ['y', 2]])) && (await first.loadSources(new Map([['a', 9]]))));
    const second = await restore.begin(0);
    assert.ok(second);
    assert.equal(await first.load([['z', 3]]), false);
    assert.equal(await first.open(0), false);
    assert.ok((await second.load([['x', 10]])) && (await second.open(0)));
    assert.equal(await first.open(0), false);
    assert.deepEqual(await valuesOf(store, ['x', 'y', 'z']), [10, false, false]);
    assert.deepEqual(await store.apply(batch('a', 2, 'x')), { behind: 0 });
  });

  it('lets the clock go on from where the ledger has it', async () => {
    const { store, restore } = await deployed();
    const later = Date.now() + 60_000;
    const restoring = await restore.begin(0);
    assert.ok(restoring && (await restoring.open(later)));
    const reply = await store.apply(batch('a', 1, 'x'));
    assert.ok(!isBehind(reply) && reply.atMs >= later && reply.atMs < later + 30_000);
  });

  it('is asked for with an outbox alone', async () => {
    await assert.rejects(openRedisStore({ client, awaitsRestore: true }), { code: 'INVALID_CONFIG', field: 'awaitsRestore' });
  });
});
