// Counters over a real Redis behind a network that fails: every add is counted once.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createClient } from 'redis';
import { createTallystick, type Tallystick } from '../../index.ts';
import { FaultProxy } from '../../../../../test/support/fault-proxy.ts';
import { startRedis } from '../../../../../test/support/redis.ts';
import { redisStore } from './index.ts';

const server = await startRedis();
const proxy = await new FaultProxy(server.port).start();
const client = createClient({ url: `redis://${proxy.address}`, disableOfflineQueue: true, socket: { reconnectStrategy: 5 } });
client.on('error', () => undefined);
await client.connect();
const direct = await createClient({ url: server.url }).connect();
after(async () => {
  client.destroy();
  direct.destroy();
  await proxy.stop();
  await server.stop();
});

const CALLERS = 32;
const ADDS = 150;
const KEYS = ['a', 'b', 'c', 'd', 'e'];
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Adds from many callers until all are answered; returns the values that each key's callers were told. */
async function addAll({ counters }: Tallystick): Promise<Map<string, number[]>> {
  const told = new Map(KEYS.map((key) => [key, [] as number[]]));
  const caller = async (number: number): Promise<void> => {
    for (let i = 0; i < ADDS; i++) {
      const key = KEYS[(number + i) % KEYS.length]!;
      told.get(key)!.push((await counters.add(key)).value);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, number) => caller(number)));
  return told;
}

/** Throws replies away and then cuts, over and over, until told to stop. Returns how often it did. */
async function fail(rounds: { running: boolean }): Promise<number> {
  let cuts = 0;
  for (; rounds.running; cuts++) {
    proxy.dropReplies = true;
    await pause(3 + (cuts % 5));
    proxy.cut();
    proxy.heal();
    await pause(10 + (cuts % 7));
  }
  return cuts;
}

describe('counters over Redis', () => {
  it('count every add once and tell each caller its own value, while replies are lost after execution (D03, R09)', async () => {
    const tallystick = createTallystick({ store: await redisStore({ client, commandTimeoutMs: 1000 }) });
    const rounds = { running: true };
    const failing = fail(rounds);
    const told = await addAll(tallystick).finally(() => (rounds.running = false));
    const cuts = await failing;
    for (const key of KEYS) {
      const values = told.get(key)!.sort((a, b) => a - b);
      assert.deepEqual(values, values.map((_, i) => i + 1), key);
      assert.equal((await tallystick.counters.get(key)).value, (CALLERS * ADDS) / KEYS.length);
    }
    const { resends, lostBatches } = tallystick.stats();
    assert.ok(cuts > 3 && resends > 0, `${cuts} cuts, ${resends} resends`);
    assert.equal(lostBatches, 0);
    assert.deepEqual(await tallystick.close(), { unsettled: 0 });
  });

  it('bring back what a flush took, from the processes that are still there', async () => {
    await direct.flushAll();
    const tallystick = createTallystick({ store: await redisStore({ client }) });
    for (let i = 1; i <= 50; i++) await tallystick.counters.add('k', i);
    await direct.flushAll();
    assert.equal((await tallystick.counters.add('k', 1)).value, 50 * 51 / 2 + 1);
    await tallystick.close();
  });
});
