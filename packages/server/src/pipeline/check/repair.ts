/**
 * Puts one side right: what it lacks is added to it, and to it alone, as a batch of a source of its own. So what is
 * added to the key meanwhile counts as well, and a batch that is sent again counts once.
 */
import { randomUUID } from 'node:crypto';
import { TallystickError, type Store } from 'tallystick';
import type { Ledger } from '../ledger/ledger.ts';
import { encodeRecord } from '../record.ts';
import type { Difference } from './settle.ts';

/** Puts differences of one partition right; returns how many. The others it leaves as they are. */
export type Repair = (partition: number, differences: readonly Difference[]) => Promise<number>;

/** A key, and what is added to it. */
type Delta = readonly [key: string, delta: number];

/** Entries of one batch or record. */
const PAGE = 500;

/**
 * Gives the ledger what Redis has. Not where records are parked: what waits in one would count a second time once it
 * is replayed.
 */
export function repairLedger(ledger: Ledger, nowMs: () => number = Date.now): Repair {
  const source = `repair:${randomUUID()}`;
  const seqs = new Map<number, number>();
  return async (partition, differences) => {
    if ((await ledger.deadLetters.list({ partition }, 1)).length > 0) return 0;
    const deltas = deltasOf(differences, ({ live, ledger: has }) => live - has);
    for (const page of pagesOf(deltas)) {
      const seq = next(seqs, partition);
      await ledger.apply(partition, [encodeRecord({ source, seq, atMs: nowMs(), entries: page })]);
    }
    return deltas.length;
  };
}

/**
 * Gives Redis what the ledger has.
 *
 * @param store Its batches leave no records: the ledger has this already.
 */
export function repairStore(store: Pick<Store, 'apply'>): Repair {
  const source = `repair:${randomUUID()}`;
  const seqs = new Map<number, number>();
  return async (partition, differences) => {
    const deltas = deltasOf(differences.filter(({ isTotal }) => isTotal), ({ live, ledger }) => ledger - live);
    let repaired = 0;
    for (const page of pagesOf(deltas)) {
      const reply = await store.apply({ source, partition, seq: next(seqs, partition), operations: page.map(([key, delta]) => ({ key, delta })) });
      if ('behind' in reply) throw new TallystickError('STORE_UNAVAILABLE', 'the store lost what was repaired before; run the check again', { field: 'redis' });
      repaired += page.length - reply.notes.filter(({ code }) => code !== undefined).length;
    }
    return repaired;
  };
}

/** One that no number can say is left alone. */
function deltasOf(differences: readonly Difference[], lacking: (difference: Difference) => bigint): Delta[] {
  return differences.flatMap((difference) => {
    const delta = Number(lacking(difference));
    return Number.isSafeInteger(delta) ? [[difference.key, delta] as const] : [];
  });
}

function* pagesOf(deltas: readonly Delta[]): Generator<readonly Delta[]> {
  for (let from = 0; from < deltas.length; from += PAGE) yield deltas.slice(from, from + PAGE);
}

function next(seqs: Map<number, number>, partition: number): number {
  const seq = (seqs.get(partition) ?? 0) + 1;
  seqs.set(partition, seq);
  return seq;
}
