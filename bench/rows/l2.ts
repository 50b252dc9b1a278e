/** L2: takes on Redis, by 1,024 callers on 10,000 subjects that are picked uniformly, under one fixed window. */
import type { Row } from '../lib/row.ts';
import { redisSides } from './limit-sides.ts';

export const row: Row = {
  id: 'L2',
  contests: [
    {
      id: 'L2',
      what: 'take on Redis, 1,024 callers, 10 k subjects',
      rival: 'rate-limiter-flexible, Redis, consume, through node-redis 5',
      unit: 'ops/s',
      bound: 'at least',
      floor: 4,
      ...redisSides({ calls: 100_000, subjects: 10_000 }),
    },
  ],
};
