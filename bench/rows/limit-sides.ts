/**
 * The two sides of the rows on limits: ours, and rate-limiter-flexible, each on a server of its own or in memory. Limits
 * are so high that everybody is granted, which is the dearer answer on both sides; at the end the units that are missing
 * must be those that were taken, once. Windows are of a minute and more, and begin at the first take on both sides.
 */
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { createClient } from 'redis';
import { createTallystick, memoryStore, type LimitOptions, type Store } from 'tallystick';
import { redisStore } from 'tallystick/redis';
import { startRedis } from '../../test/support/redis.ts';
import { balance } from '../lib/account.ts';
import { runCallers } from '../lib/callers.ts';
import { keysOf, uniformOrder } from '../lib/keys.ts';
import { timed } from '../lib/measure.ts';
import type { Side } from '../lib/row.ts';

/** Units of every rule: more than are ever taken. */
const PLENTY = 1_000_000_000;
const DAY_S = 86_400;
/** Seconds of the windows of a check under several rules. */
const WINDOWS_S = [DAY_S, 2 * DAY_S, 3 * DAY_S];

/** Something that takes one unit of a subject, under one rule or several. */
interface Taker {
  readonly take: (subject: string) => Promise<unknown>;
  readonly takenOf: (subject: string) => Promise<number>;
  readonly close: () => Promise<void> | void;
}

/** Who takes of which subjects, and how often in a turn. */
export interface TakeLoad {
  readonly calls: number;
  readonly subjects: number;
  /** Rules of each check. Default 1. */
  readonly rules?: number;
}

const CALLERS = 1024;
const fixed = (seconds: number): LimitOptions => ({ algorithm: 'fixed-window', limit: PLENTY, windowMs: seconds * 1000 });

/** A store and how it is given back. */
interface Opened {
  readonly store: Store;
  readonly close: () => Promise<void> | void;
}

async function onRedis(): Promise<Opened> {
  const server = await startRedis();
  const client = createClient({ url: server.url });
  await client.connect();
  const close = async (): Promise<void> => {
    client.destroy();
    await server.stop();
  };
  return { store: await redisStore({ client }), close };
}

async function ourTaker(open: () => Opened | Promise<Opened>, rules: number): Promise<Taker> {
  const { store, close } = await open();
  const names = WINDOWS_S.slice(0, rules).map((seconds) => `r${seconds}`);
  const tallystick = createTallystick({ store, limits: Object.fromEntries(WINDOWS_S.map((seconds) => [`r${seconds}`, fixed(seconds)])) });
  const { limits } = tallystick;
  const asked = names.length === 1 ? (names[0] as string) : names;
  return {
    take: (subject) => limits.take(subject, asked),
    takenOf: async (subject) => PLENTY - (await limits.peek(subject, names.at(-1) as string)).remaining,
    close: async () => {
      await tallystick.close();
      await close();
    },
  };
}

async function theirRedisTaker(rules: number): Promise<Taker> {
  const server = await startRedis();
  const client = createClient({ url: server.url });
  await client.connect();
  const limiters = WINDOWS_S.slice(0, rules).map(
    (duration) => new RateLimiterRedis({ storeClient: client, useRedisPackage: true, points: PLENTY, duration, keyPrefix: `r${duration}` }),
  );
  const [first, ...rest] = limiters as [RateLimiterRedis, ...RateLimiterRedis[]];
  return {
    take: rest.length === 0 ? (subject) => first.consume(subject) : (subject) => Promise.all(limiters.map((limiter) => limiter.consume(subject))),
    takenOf: async (subject) => (await (limiters.at(-1) as RateLimiterRedis).get(subject))?.consumedPoints ?? 0,
    close: async () => {
      client.destroy();
      await server.stop();
    },
  };
}

/** Without expiry, which is its fastest setting: with one, it makes a timer for each key. */
function theirMemoryTaker(): Taker {
  const limiter = new RateLimiterMemory({ points: PLENTY, duration: 0 });
  return { take: (subject) => limiter.consume(subject), takenOf: async (subject) => (await limiter.get(subject))?.consumedPoints ?? 0, close: () => undefined };
}

/** One side: every subject takes once before the clock starts. */
async function sideOf(taker: Taker, { calls, subjects }: TakeLoad): Promise<Side> {
  const all = keysOf(subjects);
  const order = uniformOrder(all);
  await runCallers({ callers: CALLERS, calls: all.length, call: (i) => taker.take(all[i] as string) });
  let taken = all.length;
  const call = (): Promise<unknown> => taker.take(order[taken++ & (order.length - 1)] as string);
  return {
    turn: () => timed(calls, () => runCallers({ callers: CALLERS, calls, call })),
    close: async () => {
      await balance(all, taken, taker.takenOf);
      await taker.close();
    },
  };
}

/** Both sides on Redis, through node-redis. */
export const redisSides = (load: TakeLoad): { ours: () => Promise<Side>; theirs: () => Promise<Side> } => ({
  ours: async () => sideOf(await ourTaker(onRedis, load.rules ?? 1), load),
  theirs: async () => sideOf(await theirRedisTaker(load.rules ?? 1), load),
});

/** Both sides in memory. */
export const memorySides = (load: TakeLoad): { ours: () => Promise<Side>; theirs: () => Promise<Side> } => ({
  ours: async () => sideOf(await ourTaker(() => ({ store: memoryStore(), close: () => undefined }), 1), load),
  theirs: async () => sideOf(theirMemoryTaker(), load),
});
