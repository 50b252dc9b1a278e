/**
 * F5: what one caller waits for one durable add.
 *
 * Ours is `counters.add` over the SQLite store, one after the other, each answered when it is on disk. The
 * rival is one better-sqlite3 commit of one upsert, `synchronous = FULL`, WAL, in the same folder. The
 * figure is the median time of an add; percentiles are beside it.
 */
import { latencyOf } from '../lib/callers.ts';
import { keyOf } from '../lib/keys.ts';
import type { Row, Side, Turn } from '../lib/row.ts';
import { ourCounters, theirTable } from './sqlite-sides.ts';

const ADDS = 1000;
const KEY = keyOf(0);

async function turn(add: () => unknown): Promise<Turn> {
  const timesMs: number[] = [];
  const cpu = process.cpuUsage();
  for (let i = 0; i < ADDS; i++) {
    const beganMs = performance.now();
    await add();
    timesMs.push(performance.now() - beganMs);
  }
  const { user, system } = process.cpuUsage(cpu);
  const latency = latencyOf(timesMs);
  return { figure: latency.p50Ms, cpuUsPerOperation: (user + system) / ADDS, latency };
}

function side(add: () => unknown, close: (keys: readonly string[], added: number) => Promise<void>): Side {
  let added = 0;
  return {
    turn: () => {
      added += ADDS;
      return turn(add);
    },
    close: () => close([KEY], added),
  };
}

async function ours(): Promise<Side> {
  const { counters, close } = await ourCounters();
  return side(() => counters.add(KEY), close);
}

function theirs(): Side {
  const { upsertAll, close } = theirTable();
  return side(() => { upsertAll([KEY]); }, close);
}

export const row: Row = {
  id: 'F5',
  contests: [
    {
      id: 'F5',
      what: 'durable add, one caller, time of one',
      rival: 'one better-sqlite3 commit',
      unit: 'ms',
      bound: 'at most',
      floor: 1.5,
      ours,
      theirs,
    },
  ],
};
