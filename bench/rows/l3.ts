/** L3: as L2, all on one subject. */
import type { Row } from '../lib/row.ts';
import { redisSides } from './limit-sides.ts';

export const row: Row = {
  id: 'L3',
  contests: [
    {
      id: 'L3',
      what: 'take on Redis, 1,024 callers, one hot subject',
      rival: 'rate-limiter-flexible, Redis, consume, through node-redis 5',
      unit: 'ops/s',
      bound: 'at least',
      floor: 10,
      ...redisSides({ calls: 150_000, subjects: 1 }),
    },
  ],
};
