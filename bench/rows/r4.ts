/** R4: as R3, by 64 callers. */
import { keysOf, uniformOrder } from '../lib/keys.ts';
import type { Row } from '../lib/row.ts';
import { redisContest, type RedisLoad } from './redis-sides.ts';

function load(): RedisLoad {
  const keys = keysOf(100_000);
  return { callers: 64, calls: 200_000, keys, order: uniformOrder(keys) };
}

export const row: Row = {
  id: 'R4',
  contests: [redisContest({ id: 'R4', what: 'add on Redis, 64 callers, 100 k uniform keys', floor: 1 }, load)],
};
