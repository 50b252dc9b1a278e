/** The two sides of the rows on Redis: our store, and node-redis by itself, on a server of their own. */
import { createClient } from 'redis';
import { createTallystick } from 'tallystick';
import { journaledStore } from 'tallystick/journal';
import { outboxKey, redisStore } from 'tallystick/redis';
import { startRedis } from '../../test/support/redis.ts';
import { balance } from '../lib/account.ts';
import { runCallers } from '../lib/callers.ts';
import { timed } from '../lib/measure.ts';
import type { Contest, Side, Turn } from '../lib/row.ts';

/** Who adds what, and how often a turn does. */
export interface RedisLoad {
  readonly callers: number;
  readonly calls: number;
  readonly keys: readonly string[];
  /** Keys in the order of the adds, over and over. */
  readonly order: readonly string[];
}

/** What is compared: adds a second, or CPU of the process or of the server for each add, in µs. */
export type Measure = 'rate' | 'client CPU' | 'server CPU';

/** Something that adds 1 to a key on a server of its own. */
interface Adder {
  readonly add: (key: string) => Promise<unknown>;
  /** CPU the server has used, in µs. */
  readonly serverCpuUs: () => Promise<number>;
  readonly valueOf: (key: string) => Promise<number>;
  /** Takes away what a turn leaves behind. */
  readonly tidy?: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const connected = async (url: string): Promise<ReturnType<typeof createClient>> => {
  const client = createClient({ url });
  await client.connect();
  return client;
};

async function cpuUsOf(client: ReturnType<typeof createClient>): Promise<number> {
  const info = await client.info('cpu');
  const of = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
  return (of('used_cpu_user') + of('used_cpu_sys')) * 1e6;
}

/** What a store does beside counting. */
export interface Extras {
  readonly outbox?: boolean;
  /** The folder of its journal. */
  readonly journal?: string;
}

/** Counters over a store on a new server. */
export async function ourAdder({ outbox = false, journal }: Extras = {}): Promise<Adder> {
  const server = await startRedis();
  const client = await connected(server.url);
  const store = await redisStore({ client, outbox });
  const tallystick = createTallystick({ store: journal === undefined ? store : await journaledStore({ store, path: journal }) });
  const { counters } = tallystick;
  return {
    add: (key) => counters.add(key),
    serverCpuUs: () => cpuUsOf(client),
    valueOf: async (key) => (await counters.get(key)).value,
    tidy: async () => {
      await client.unlink(Array.from({ length: store.partitions }, (_, partition) => outboxKey('tally', partition)));
    },
    close: async () => {
      await tallystick.close();
      client.destroy();
      await server.stop();
    },
  };
}

/** node-redis' INCRBY on a new server; calls of one turn of the event loop go out together. */
async function theirAdder(): Promise<Adder> {
  const server = await startRedis();
  const client = await connected(server.url);
  return {
    add: (key) => client.incrBy(key, 1),
    serverCpuUs: () => cpuUsOf(client),
    valueOf: async (key) => Number(await client.get(key)),
    close: async () => {
      client.destroy();
      await server.stop();
    },
  };
}

/** One side of a row: every key is added to once before the clock starts; at the end every add must be there, once. */
export async function redisSide(adder: Adder, { callers, calls, keys, order }: RedisLoad, measure: Measure): Promise<Side> {
  await runCallers({ callers: 1024, calls: keys.length, call: (i) => adder.add(keys[i] as string) });
  let added = keys.length;
  const call = (): Promise<unknown> => adder.add(order[added++ & (order.length - 1)] as string);
  return {
    turn: async () => {
      await adder.tidy?.();
      const before = await adder.serverCpuUs();
      const turn = await timed(calls, () => runCallers({ callers, calls, call }));
      const serverCpuUs = ((await adder.serverCpuUs()) - before) / calls;
      return measure === 'rate' ? turn : ({ ...turn, figure: measure === 'client CPU' ? turn.cpuUsPerOperation : serverCpuUs } as Turn);
    },
    close: async () => {
      await balance(keys, added, adder.valueOf);
      await adder.close();
    },
  };
}

/** A contest of adds against node-redis. */
export function redisContest(facts: Pick<Contest, 'id' | 'what' | 'floor'>, load: () => RedisLoad, measure: Measure = 'rate'): Contest {
  return {
    ...facts,
    rival: 'node-redis 5, pipelined INCRBY',
    unit: measure === 'rate' ? 'ops/s' : 'µs',
    bound: measure === 'rate' ? 'at least' : 'at most',
    ours: async () => redisSide(await ourAdder(), load(), measure),
    theirs: async () => redisSide(await theirAdder(), load(), measure),
  };
}
