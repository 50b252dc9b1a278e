/** L1: takes in memory, by 1,024 callers on 10,000 subjects that are picked uniformly, under one fixed window. */
import type { Row } from '../lib/row.ts';
import { memorySides } from './limit-sides.ts';

export const row: Row = {
  id: 'L1',
  contests: [
    {
      id: 'L1',
      what: 'take on the memory store, 1,024 callers, 10 k subjects',
      rival: 'rate-limiter-flexible, memory, consume',
      unit: 'ops/s',
      bound: 'at least',
      floor: 1.5,
      ...memorySides({ calls: 500_000, subjects: 10_000 }),
    },
  ],
};
