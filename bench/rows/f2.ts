/**
 * F2: adds that are awaited, by 1,024 callers on 10,000 keys, in memory.
 *
 * Ours is `counters.add` over the memory store: each caller gets the exact value right after its own add.
 * The rival is rate-limiter-flexible's memory limiter, `consume`, without expiry, which is its fastest
 * setting (with one, it makes a timer for each key). The same loop of callers drives both, over the same
 * keys in the same order. At the end both totals must be the number of adds, to the unit.
 */
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createTallystick, memoryStore } from 'tallystick';
import { balance } from '../lib/account.ts';
import { runCallers } from '../lib/callers.ts';
import { keysOf, uniformOrder } from '../lib/keys.ts';
import { timed } from '../lib/measure.ts';
import type { Row, Side, Turn } from '../lib/row.ts';

const CALLERS = 1024;
const CALLS = 1_000_000;
const KEYS = keysOf(10_000);
const ORDER = uniformOrder(KEYS);

const turn = (add: (key: string) => Promise<unknown>): Promise<Turn> =>
  timed(CALLS, () => runCallers({ callers: CALLERS, calls: CALLS, call: (i) => add(ORDER[i & (ORDER.length - 1)] as string) }));

function ours(): Side {
  const tallystick = createTallystick({ store: memoryStore() });
  const { counters } = tallystick;
  let added = 0;
  return {
    turn: () => {
      added += CALLS;
      return turn((key) => counters.add(key));
    },
    close: async () => {
      await balance(KEYS, added, async (key) => (await counters.get(key)).value);
      await tallystick.close();
    },
  };
}

function theirs(): Side {
  const limiter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: 0 });
  let added = 0;
  return {
    turn: () => {
      added += CALLS;
      return turn((key) => limiter.consume(key));
    },
    close: () => balance(KEYS, added, async (key) => (await limiter.get(key))?.consumedPoints ?? 0),
  };
}

export const row: Row = {
  id: 'F2',
  contests: [
    {
      id: 'F2',
      what: 'add on the memory store, awaited, 1,024 callers, 10 k keys',
      rival: 'rate-limiter-flexible, memory, consume',
      unit: 'ops/s',
      bound: 'at least',
      floor: 1.5,
      rounds: 11,
      ours,
      theirs,
    },
  ],
};
