/**
 * L4: a subject that has used up its limit, asked again and again: both sides answer from what the process remembers,
 * ours for as long as the near cache of denials may (a second), the rival by its in-memory block for a minute.
 */
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { createClient } from 'redis';
import { createTallystick } from 'tallystick';
import { redisStore } from 'tallystick/redis';
import { startRedis } from '../../test/support/redis.ts';
import { runCallers } from '../lib/callers.ts';
import { timed } from '../lib/measure.ts';
import type { Row, Side } from '../lib/row.ts';

const CALLERS = 1024;
const CALLS = 500_000;
const SUBJECT = 'user:42';

async function deniedSide(take: () => Promise<unknown>, close: () => Promise<void>): Promise<Side> {
  await take();
  await take();
  return { turn: () => timed(CALLS, () => runCallers({ callers: CALLERS, calls: CALLS, call: take })), close };
}

async function ours(): Promise<Side> {
  const server = await startRedis();
  const client = createClient({ url: server.url });
  await client.connect();
  const limits = { login: { algorithm: 'fixed-window', limit: 1, windowMs: 86_400_000 } } as const;
  const tallystick = createTallystick({ store: await redisStore({ client }), limits });
  return deniedSide(() => tallystick.limits.take(SUBJECT, 'login'), async () => {
    if ((await tallystick.limits.take(SUBJECT, 'login')).allowed) throw new Error('a denied subject was allowed');
    await tallystick.close();
    client.destroy();
    await server.stop();
  });
}

async function theirs(): Promise<Side> {
  const server = await startRedis();
  const client = createClient({ url: server.url });
  await client.connect();
  const limiter = new RateLimiterRedis({
    storeClient: client, useRedisPackage: true, points: 1, duration: 86_400, inMemoryBlockOnConsumed: 2, inMemoryBlockDuration: 60,
  });
  return deniedSide(() => limiter.consume(SUBJECT).catch((denied: unknown) => denied), async () => {
    client.destroy();
    await server.stop();
  });
}

export const row: Row = {
  id: 'L4',
  contests: [
    {
      id: 'L4',
      what: 'denied subject, answered in the process',
      rival: 'rate-limiter-flexible, Redis, in-memory block',
      unit: 'ops/s',
      bound: 'at least',
      floor: 5,
      ours,
      theirs,
    },
  ],
};
