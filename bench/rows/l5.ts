/** L5: as L2, each check under three rules: one take of ours, three consumes of theirs at the same time. */
import type { Row } from '../lib/row.ts';
import { redisSides } from './limit-sides.ts';

export const row: Row = {
  id: 'L5',
  contests: [
    {
      id: 'L5',
      what: 'check under three rules on Redis, 1,024 callers, 10 k subjects',
      rival: 'rate-limiter-flexible, Redis, three consumes, through node-redis 5',
      unit: 'ops/s',
      bound: 'at least',
      floor: 6,
      ...redisSides({ calls: 50_000, subjects: 10_000, rules: 3 }),
    },
  ],
};
