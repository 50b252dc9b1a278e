/**
 * R10: how long after a failover all lanes flow again.
 *
 * Sentinels promote the replica of a primary that was killed under load. The clock runs from the moment at which the
 * replica takes writes to the answer of the last of many adds, which go to every partition. There is no rival: the
 * figure is held against the second that is allowed.
 */
import { createTallystick } from 'tallystick';
import { redisStore } from 'tallystick/redis';
import { connect } from '../../test/support/redis-clients.ts';
import { startSentinels } from '../../test/support/redis-sentinels.ts';
import type { Row, Side } from '../lib/row.ts';

const ALLOWED_MS = 1000;
const KEYS = Array.from({ length: 400 }, (_, i) => `k${i}`);

async function ours(): Promise<Side> {
  const sentinels = await startSentinels();
  const { client, close } = await connect({ topology: 'sentinel', ports: sentinels.ports });
  const tallystick = createTallystick({ store: await redisStore({ client }) });
  let added = 0;
  const addToAll = async (): Promise<void> => {
    await Promise.all(KEYS.map((key) => tallystick.counters.add(key)));
    added++;
  };
  return {
    turn: async () => {
      await addToAll();
      const [beganMs] = await Promise.all([sentinels.failOver().then(() => performance.now()), addToAll()]);
      await addToAll();
      const figure = performance.now() - beganMs;
      await sentinels.rejoin();
      return { figure };
    },
    close: async () => {
      for (const { value } of await tallystick.counters.getMany(KEYS)) if (value !== added) throw new Error(`a counter stands at ${value}, not ${added}`);
      await tallystick.close();
      await close();
      await sentinels.stop();
    },
  };
}

export const row: Row = {
  id: 'R10',
  contests: [
    {
      id: 'R10',
      what: 'ms from a new primary that takes writes to all lanes flowing',
      rival: 'the second that is allowed',
      unit: 'ms',
      bound: 'at most',
      floor: 1,
      rounds: 3,
      cold: true,
      ours,
      theirs: () => ({ turn: () => Promise.resolve({ figure: ALLOWED_MS }) }),
    },
  ],
};
