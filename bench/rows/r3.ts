/** R3: as R1, to 100,000 keys, uniform. */
import { keysOf, uniformOrder } from '../lib/keys.ts';
import type { Row } from '../lib/row.ts';
import { redisContest, type RedisLoad } from './redis-sides.ts';

function load(): RedisLoad {
  const keys = keysOf(100_000);
  return { callers: 1024, calls: 400_000, keys, order: uniformOrder(keys) };
}

export const row: Row = {
  id: 'R3',
  contests: [redisContest({ id: 'R3', what: 'add on Redis, 1,024 callers, 100 k uniform keys', floor: 1.2 }, load)],
};
