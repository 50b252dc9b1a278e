/**
 * F4: durable adds by 1,024 callers, on one hot key (F4a) and uniform over 100,000 keys (F4b).
 *
 * Ours is `counters.add` over the SQLite store: each caller gets the exact value right after its own add,
 * when that is synced to disk. The rival is better-sqlite3 in the same folder with the same `synchronous =
 * FULL` and WAL, upserting a thousand keys to a transaction, in the same order. It waits for nobody, has its
 * thousand keys at hand, and reads no value back. Both hold all their keys before the clock starts. At the
 * end both totals must be the number of adds.
 *
 * The rival of F4a and F4b is the same: upserts of the 100,000 keys. F4c sets the hot key against upserts of
 * that one key, all of whose pages are in the cache; its floor is our own.
 */
import { runCallers } from '../lib/callers.ts';
import { keysOf, uniformOrder } from '../lib/keys.ts';
import { timed } from '../lib/measure.ts';
import type { Contest, Latency, Row, Side } from '../lib/row.ts';
import { ourCounters, theirTable } from './sqlite-sides.ts';

const CALLERS = 1024;
const TRANSACTION = 1000;

interface Load {
  readonly adds: { readonly ours: number; readonly theirs: number };
  readonly keys: readonly string[];
  /** Keys in the order of the adds, over and over. */
  readonly order: readonly string[];
}

const hotKey = (): Load => ({ adds: { ours: 500_000, theirs: 100_000 }, keys: keysOf(1), order: keysOf(1) });

function manyKeys(): Load {
  const keys = keysOf(100_000);
  return { adds: { ours: 200_000, theirs: 100_000 }, keys, order: uniformOrder(keys) };
}

async function ours({ adds: { ours: adds }, keys, order }: Load): Promise<Side> {
  const { counters, close } = await ourCounters();
  await runCallers({ callers: CALLERS, calls: keys.length, call: (i) => counters.add(keys[i] as string) });
  let added = keys.length;
  const turn = (): Promise<Latency> =>
    runCallers({ callers: CALLERS, calls: adds, call: () => counters.add(order[added++ & (order.length - 1)] as string) });
  return { turn: () => timed(adds, turn), close: () => close(keys, added) };
}

function theirs({ adds: { theirs: adds }, keys, order }: Load): Side {
  const { upsertAll, close } = theirTable();
  upsertAll(keys);
  let added = keys.length;
  const picks = (): string[] => Array.from({ length: TRANSACTION }, () => order[added++ & (order.length - 1)] as string);
  const turn = async (): Promise<undefined> => {
    for (let left = adds; left > 0; left -= TRANSACTION) upsertAll(picks());
  };
  return { turn: () => timed(adds, turn), close: () => close(keys, added) };
}

const contest = (id: string, floor: number, [what, load]: Named, [whatTheirs, theirLoad]: Named): Contest => ({
  id,
  what: `durable add, 1,024 callers, ${what}`,
  rival: `better-sqlite3, 1,000 upserts a transaction, ${whatTheirs}`,
  unit: 'ops/s',
  bound: 'at least',
  floor,
  ours: () => ours(load()),
  theirs: () => theirs(theirLoad()),
});

type Named = readonly [what: string, load: () => Load];
const HOT: Named = ['1 hot key', hotKey];
const MANY: Named = ['uniform 100 k keys', manyKeys];

export const row: Row = {
  id: 'F4',
  contests: [contest('F4a', 10, HOT, MANY), contest('F4b', 0.9, MANY, MANY), contest('F4c', 2, HOT, HOT)],
};
