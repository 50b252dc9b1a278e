/**
 * R1: adds on Redis by 1,024 callers to one hot key, each told the exact value right after its own add.
 *
 * The rival is node-redis' INCRBY from the same loop of callers, which it pipelines. Each side has a Redis
 * server of its own, on the other core. At the end every add must be there, once.
 */
import { keysOf } from '../lib/keys.ts';
import type { Row } from '../lib/row.ts';
import { redisContest } from './redis-sides.ts';

const load = { callers: 1024, calls: 500_000, keys: keysOf(1), order: keysOf(1) };

export const row: Row = {
  id: 'R1',
  contests: [redisContest({ id: 'R1', what: 'add on Redis, 1,024 callers, 1 hot key', floor: 4.5 }, () => load)],
};
