/**
 * R5: what one caller waits for one add on Redis.
 *
 * The rival is one EVALSHA of a script that does INCRBY, through node-redis. The figure is the median time of
 * a call; percentiles are beside it.
 */
import { createClient } from 'redis';
import { startRedis } from '../../test/support/redis.ts';
import { runCallers } from '../lib/callers.ts';
import { keyOf } from '../lib/keys.ts';
import { timed } from '../lib/measure.ts';
import type { Row, Side } from '../lib/row.ts';
import { ourAdder } from './redis-sides.ts';

const CALLS = 5000;
const KEY = keyOf(0);

function side(call: () => Promise<unknown>, close: () => Promise<void>): Side {
  return {
    turn: async () => {
      const turn = await timed(CALLS, () => runCallers({ callers: 1, calls: CALLS, call }));
      return { ...turn, figure: turn.latency?.p50Ms ?? NaN };
    },
    close,
  };
}

async function ours(): Promise<Side> {
  const { add, close } = await ourAdder();
  return side(() => add(KEY), close);
}

async function theirs(): Promise<Side> {
  const server = await startRedis();
  const client = createClient({ url: server.url });
  await client.connect();
  const sha = await client.scriptLoad("return redis.call('INCRBY', KEYS[1], ARGV[1])");
  return side(
    () => client.evalSha(sha, { keys: [KEY], arguments: ['1'] }),
    async () => {
      client.destroy();
      await server.stop();
    },
  );
}

export const row: Row = {
  id: 'R5',
  contests: [
    {
      id: 'R5',
      what: 'add on Redis, one caller, time of one',
      rival: 'node-redis 5, one EVALSHA',
      unit: 'ms',
      bound: 'at most',
      floor: 1.15,
      ours,
      theirs,
    },
  ],
};
