/**
 * R8: memory of a counter in Redis, a million keys of 20 bytes.
 *
 * Each turn fills a new server, ours through `counters.add`, the rival with node-redis' INCRBY; the figure is
 * how far `used_memory` grew, for each counter. The memory of all that we keep beside counters is in it.
 */
import { createClient } from 'redis';
import { createTallystick } from 'tallystick';
import { redisStore } from 'tallystick/redis';
import { startRedis } from '../../test/support/redis.ts';
import { runCallers } from '../lib/callers.ts';
import { keyOf } from '../lib/keys.ts';
import type { Row, Side } from '../lib/row.ts';

const COUNTERS = 1_000_000;
type Client = ReturnType<typeof createClient>;

const usedBytes = async (client: Client): Promise<number> => Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);

function side(fill: (client: Client) => Promise<void>): Side {
  return {
    turn: async () => {
      const server = await startRedis();
      const client: Client = createClient({ url: server.url });
      await client.connect();
      const before = await usedBytes(client);
      await fill(client);
      const figure = ((await usedBytes(client)) - before) / COUNTERS;
      client.destroy();
      await server.stop();
      return { figure };
    },
  };
}

const fillBy = (add: (key: string) => Promise<unknown>): Promise<unknown> =>
  runCallers({ callers: 1024, calls: COUNTERS, call: (i) => add(keyOf(i)) });

async function ours(client: Client): Promise<void> {
  const tallystick = createTallystick({ store: await redisStore({ client }) });
  await fillBy((key) => tallystick.counters.add(key));
  await tallystick.close();
}

async function theirs(client: Client): Promise<void> {
  await fillBy((key) => client.incrBy(key, 1));
}

export const row: Row = {
  id: 'R8',
  contests: [
    {
      id: 'R8',
      what: 'bytes of a counter in Redis, 1 M keys of 20 bytes',
      rival: 'node-redis 5, INCRBY',
      unit: 'bytes',
      bound: 'at most',
      floor: 0.5,
      rounds: 3,
      cold: true,
      ours: () => side(ours),
      theirs: () => side(theirs),
    },
  ],
};
