/**
 * P5: what the journal costs: adds by 1,024 callers over 10,000 Zipf keys, each on disk before it is acknowledged,
 * against the same store without.
 */
import { keysOf, zipfOrder } from '../lib/keys.ts';
import type { Row } from '../lib/row.ts';
import { scratchFolder } from '../lib/scratch.ts';
import { ourAdder, redisSide, type RedisLoad } from './redis-sides.ts';

const load = (): RedisLoad => {
  const keys = keysOf(10_000);
  return { callers: 1024, calls: 300_000, keys, order: zipfOrder(keys) };
};

export const row: Row = {
  id: 'P5',
  contests: [
    {
      id: 'P5',
      what: 'adds on Redis with a journal',
      rival: 'the same store without',
      unit: 'ops/s',
      bound: 'at least',
      floor: 0.7,
      ours: async () => {
        const { path, remove } = scratchFolder();
        const side = await redisSide(await ourAdder({ journal: path }), load(), 'rate');
        return { ...side, close: () => Promise.resolve(side.close?.()).finally(remove) };
      },
      theirs: async () => redisSide(await ourAdder(), load(), 'rate'),
    },
  ],
};
