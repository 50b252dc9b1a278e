/**
 * P4: CPU that the outbox costs Redis, for each add: a store with an outbox beside one without, as R2. The outbox is
 * emptied between turns, outside the measure: what is compared is the script that writes the record.
 */
import { keysOf, zipfOrder } from '../lib/keys.ts';
import type { Row } from '../lib/row.ts';
import { ourAdder, redisSide, type RedisLoad } from './redis-sides.ts';

function load(): RedisLoad {
  const keys = keysOf(10_000);
  return { callers: 1024, calls: 400_000, keys, order: zipfOrder(keys) };
}

export const row: Row = {
  id: 'P4',
  contests: [
    {
      id: 'P4',
      what: 'CPU of Redis per add with an outbox, 10 k Zipf keys',
      floor: 1.3,
      rival: 'the same without an outbox',
      unit: 'µs',
      bound: 'at most',
      ours: async () => redisSide(await ourAdder({ outbox: true }), load(), 'server CPU'),
      theirs: async () => redisSide(await ourAdder(), load(), 'server CPU'),
    },
  ],
};
