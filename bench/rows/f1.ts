/**
 * F1: adds that nobody waits for, on one hot key (F1a) and on 10,000 keys (F1b).
 *
 * Ours is `counters.tally` on undeclared keys over the memory store, everything included: the checks of key
 * and amount, the flushes that become due, and the answers to them. The rival is the least a program can do
 * to count by key: a `Map` of objects, `+= 1`. Both walk the same keys in the same order, in pieces of
 * 100,000 between which the event loop gets its turn, as in a program that is doing something else too.
 * At the end both totals must be the number of adds, to the unit.
 */
import { setImmediate } from 'node:timers/promises';
import { createTallystick, memoryStore } from 'tallystick';
import { balance } from '../lib/account.ts';
import { keysOf, uniformOrder } from '../lib/keys.ts';
import { timed } from '../lib/measure.ts';
import type { Contest, Row, Side } from '../lib/row.ts';

const PIECE = 100_000;

interface Load {
  readonly adds: number;
  readonly keys: readonly string[];
  /** Keys in the order of the adds, over and over. */
  readonly order: readonly string[];
}

const hotKey = (): Load => ({ adds: 10_000_000, keys: keysOf(1), order: keysOf(1) });

function manyKeys(): Load {
  const keys = keysOf(10_000);
  return { adds: 3_000_000, keys, order: uniformOrder(keys) };
}

async function inPieces(adds: number, addPiece: (from: number) => void): Promise<undefined> {
  for (let from = 0; from < adds; from += PIECE) {
    addPiece(from);
    await setImmediate();
  }
}

function ours({ adds, keys, order }: Load): Side {
  const tallystick = createTallystick({ store: memoryStore() });
  const { counters } = tallystick;
  let added = 0;
  const addPiece = (from: number): void => {
    for (let i = from; i < from + PIECE; i++) counters.tally(order[i & (order.length - 1)] as string);
  };
  return {
    turn: () => {
      added += adds;
      return timed(adds, () => inPieces(adds, addPiece));
    },
    close: async () => {
      await balance(keys, added, async (key) => (await counters.get(key)).value);
      await tallystick.close();
    },
  };
}

function theirs({ adds, keys, order }: Load): Side {
  const counts = new Map(keys.map((key) => [key, { value: 0 }]));
  let added = 0;
  const addPiece = (from: number): void => {
    for (let i = from; i < from + PIECE; i++) (counts.get(order[i & (order.length - 1)] as string) as { value: number }).value += 1;
  };
  return {
    turn: () => {
      added += adds;
      return timed(adds, () => inPieces(adds, addPiece));
    },
    close: () => balance(keys, added, (key) => counts.get(key)?.value ?? 0),
  };
}

function contest(id: string, what: string, floor: number, load: () => Load): Contest {
  const rival = 'a Map of objects, += 1';
  return { id, what, rival, unit: 'ops/s', bound: 'at least', floor, ours: () => ours(load()), theirs: () => theirs(load()) };
}

export const row: Row = {
  id: 'F1',
  contests: [contest('F1a', 'tally, 1 hot key', 0.15, hotKey), contest('F1b', 'tally, 10 k keys', 0.35, manyKeys)],
};
