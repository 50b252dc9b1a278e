/** R7: CPU that an add on Redis costs the server: as R2. */
import { keysOf, zipfOrder } from '../lib/keys.ts';
import type { Row } from '../lib/row.ts';
import { redisContest, type RedisLoad } from './redis-sides.ts';

function load(): RedisLoad {
  const keys = keysOf(10_000);
  return { callers: 1024, calls: 400_000, keys, order: zipfOrder(keys) };
}

export const row: Row = {
  id: 'R7',
  contests: [redisContest({ id: 'R7', what: 'CPU of Redis per add, 10 k Zipf keys', floor: 0.7 }, load, 'server CPU')],
};
