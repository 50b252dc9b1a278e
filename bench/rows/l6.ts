/**
 * L6: memory in Redis of a subject with 1,000 events in the last minute: our sliding window of ten slices against a
 * sorted set with a member for each event, which is how a sliding log is kept as a rule. Both keys expire. What is there
 * once, however many subjects there are (scripts, sources), is there before the memory is first read.
 */
import { createClient } from 'redis';
import { createTallystick } from 'tallystick';
import { redisStore } from 'tallystick/redis';
import { startRedis } from '../../test/support/redis.ts';
import type { Row, Side } from '../lib/row.ts';

const SUBJECTS = 100;
const EVENTS = 1000;
const WINDOW_MS = 60_000;
type Client = ReturnType<typeof createClient>;

const usedBytes = async (client: Client): Promise<number> => Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);

type Fill = (client: Client, subjects: readonly string[]) => Promise<void>;

function side(fill: Fill): Side {
  return {
    turn: async () => {
      const server = await startRedis();
      const client: Client = createClient({ url: server.url });
      await client.connect();
      await fill(client, ['first']);
      const before = await usedBytes(client);
      await fill(client, Array.from({ length: SUBJECTS }, (_, i) => `user:${1000 + i}`));
      const figure = ((await usedBytes(client)) - before) / SUBJECTS;
      client.destroy();
      await server.stop();
      return { figure };
    },
  };
}

async function ours(client: Client, subjects: readonly string[]): Promise<void> {
  const limits = { api: { algorithm: 'sliding-window', limit: 2 * EVENTS, windowMs: WINDOW_MS } } as const;
  const tallystick = createTallystick({ store: await redisStore({ client, partitions: 1 }), limits });
  for (let event = 0; event < EVENTS; event++) {
    await Promise.all(subjects.map((subject) => tallystick.limits.take(subject, 'api')));
  }
  const { remaining } = await tallystick.limits.peek(subjects[0] as string, 'api');
  if (remaining !== EVENTS) throw new Error(`${remaining} units left of ${2 * EVENTS}, ${EVENTS} were taken`);
  await tallystick.close();
}

async function theirs(client: Client, subjects: readonly string[]): Promise<void> {
  const nowMs = Date.now();
  for (const subject of subjects) {
    const key = `api:${subject}`;
    const events = Array.from({ length: EVENTS }, (_, event) => ({ score: nowMs + event * 60, value: `${nowMs + event * 60}-${event}` }));
    await client.zAdd(key, events);
    await client.pExpire(key, 2 * WINDOW_MS);
  }
}

export const row: Row = {
  id: 'L6',
  contests: [
    {
      id: 'L6',
      what: 'bytes in Redis of a subject with 1,000 events a minute, sliding window',
      rival: 'a sorted set with a member for each event',
      unit: 'bytes',
      bound: 'at most',
      floor: 0.05,
      rounds: 3,
      cold: true,
      ours: () => side(ours),
      theirs: () => side(theirs),
    },
  ],
};
