/** R2: as R1, to 10,000 keys that are picked by Zipf's law with exponent 1. */
import { keysOf, zipfOrder } from '../lib/keys.ts';
import type { Row } from '../lib/row.ts';
import { redisContest, type RedisLoad } from './redis-sides.ts';

function load(): RedisLoad {
  const keys = keysOf(10_000);
  return { callers: 1024, calls: 400_000, keys, order: zipfOrder(keys) };
}

export const row: Row = {
  id: 'R2',
  contests: [redisContest({ id: 'R2', what: 'add on Redis, 1,024 callers, 10 k Zipf keys', floor: 1.8 }, load)],
};
