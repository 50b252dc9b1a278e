/** R6: CPU that an add on Redis costs the process of its callers: as R3. */
import { keysOf, uniformOrder } from '../lib/keys.ts';
import type { Row } from '../lib/row.ts';
import { redisContest, type RedisLoad } from './redis-sides.ts';

function load(): RedisLoad {
  const keys = keysOf(100_000);
  return { callers: 1024, calls: 400_000, keys, order: uniformOrder(keys) };
}

export const row: Row = {
  id: 'R6',
  contests: [redisContest({ id: 'R6', what: 'CPU of the callers per add, 100 k uniform keys', floor: 0.6 }, load, 'client CPU')],
};
