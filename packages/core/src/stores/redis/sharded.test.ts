/** Sharded counters of several processes on a real Redis. Each client is a process as far as Redis can tell. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createClient } from 'redis';
import { startRedis } from '../../../../../test/support/redis.ts';
import { createTallystick, type Tallystick } from '../../tallystick.ts';
import { redisStore } from './index.ts';

const server = await startRedis();
const clients = await Promise.all(Array.from({ length: 4 }, () => createClient({ url: server.url }).connect()));
const open: Tallystick[] = [];
after(async () => {
  await Promise.all(open.map((each) => each.close({ timeoutMs: 1000 })));
  for (const client of clients) client.destroy();
  await server.stop();
});

const PARTITIONS = 16;
const CALLERS = 32;
const ADDS = 400;
const SHARDS = [1, 2, 100, 3, 1024, 7];
const type = 'sharded';

async function openAll(prefix: string): Promise<Tallystick[]> {
  const stores = await Promise.all(clients.map((client) => redisStore({ client, prefix, partitions: PARTITIONS })));
  const processes = stores.map((store) => createTallystick({ store }));
  open.push(...processes);
  return processes;
}

/** What the partitions hold of a key, each read by itself. */
async function partsOf(prefix: string, key: string): Promise<number[]> {
  const store = await redisStore({ client: clients[0]!, prefix, partitions: PARTITIONS });
  const readings = await Promise.all(Array.from({ length: PARTITIONS }, (_, partition) => store.read(partition, [{ key }])));
  await store.close();
  return readings.map(([reading]) => reading!.value);
}

/** Adds from many callers of one process, with another number of shards every few adds. */
async function add({ counters }: Tallystick, seed: number, done: { acknowledged: number; attempted: number }): Promise<void> {
  const caller = async (number: number): Promise<void> => {
    for (let i = 0; i < ADDS; i++) {
      const delta = 1 + (i % 3);
      done.attempted += delta;
      const result = await counters.add('hot', delta, { type, shards: SHARDS[(seed + number + (i >> 4)) % SHARDS.length]! });
      assert.deepEqual([result.outcome, result.exact, result.delta], ['applied', false, delta]);
      done.acknowledged += delta;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, number) => caller(number)));
}

describe('sharded counters on Redis', () => {
  it('lose nothing and count nothing twice while processes change the number of shards under load', async () => {
    const processes = await openAll('load');
    const done = { acknowledged: 0, attempted: 0 };
    const load = { running: true };
    const reading = (async () => {
      for (let reads = 0; ; reads++) {
        if (!load.running) return reads;
        const least = done.acknowledged;
        const { value, exact } = await processes[reads % processes.length]!.counters.get('hot', { type });
        assert.ok(exact && least <= value && value <= done.attempted, `${least} ≤ ${value} ≤ ${done.attempted}`);
      }
    })();
    await Promise.all(processes.map((each, seed) => add(each, seed, done))).finally(() => (load.running = false));
    assert.ok((await reading) > 10);
    assert.equal(done.acknowledged, done.attempted);
    for (const { counters } of processes) {
      assert.deepEqual(await counters.get('hot', { type }), { value: done.attempted, found: true, exact: true });
    }
    const parts = await partsOf('load', 'hot');
    assert.equal(parts.reduce((sum, part) => sum + part, 0), done.attempted);
    assert.ok(parts.filter((part) => part > 0).length > 1, parts.join(' '));
    for (const each of processes) assert.deepEqual(await each.close(), { unsettled: 0 });
  });

  it('give the first answer to a request id whoever repeats it, however many shards it goes by', async () => {
    const processes = await openAll('ids');
    const ids = Array.from({ length: 100 }, (_, i) => `r${i}`);
    for (const [i, { counters }] of processes.entries()) {
      const results = await Promise.all(ids.map((requestId) => counters.add('k', 2, { type, shards: SHARDS[i]!, requestId })));
      assert.ok(results.every(({ replayed }) => (replayed ?? false) === i > 0));
    }
    assert.equal((await processes[3]!.counters.get('k', { type })).value, 2 * ids.length);
  });

  it('keep keys of any form apart, each whole in every partition (K13)', async () => {
    const [one, other] = (await openAll('forms')) as [Tallystick, Tallystick];
    const odd = ['{', '}', '{}', '{a}b', 'a{b}', '{{a}}', '}{', '\u{1f600}', '{\u{1f600}}', '{forms:0}', 'forms:0', '{forms:0}c0', ' ', '\0'];
    const keys = [...odd, ...Array.from({ length: 10_000 - odd.length }, (_, i) => `k${i}{${i % 7}}`)];
    await one.counters.addMany(keys.map((key, i) => ({ key, delta: i + 1, type })));
    await other.counters.addMany(keys.map((key) => ({ key, delta: 1, type })));
    const readings = await other.counters.getMany(keys.map((key) => ({ key, type })));
    assert.deepEqual(readings.map(({ value }) => value), keys.map((_, i) => i + 2));
  });
});
