/**
 * The plain comparison of both sides, which finds keys that may differ. Redis knows its keys by bucket and the ledger in
 * their order, so some buckets of a partition are held in memory while the partition is read from the ledger;
 * a partition that is larger than that is read from the ledger as often as needed.
 */
import type { Ledger } from '../ledger/ledger.ts';
import type { LiveTotals } from './live-totals.ts';

/** Both sides. */
export interface Sides {
  readonly live: LiveTotals;
  readonly ledger: Pick<Ledger, 'totals' | 'values'>;
}

/** Keys that were looked at, and those of them that differ as they were read. */
export interface Compared {
  readonly looked: number;
  readonly suspects: readonly string[];
}

/** Totals of Redis that are held at once. */
const HELD = 250_000;
const LEDGER_PAGE = 5000;
/** Readings of a partition for a sample at most: enough for a few keys in the emptiest of partitions, as a rule. */
const SAMPLE_READS = 16;

/** Buckets of a partition, from one up to another. */
interface Held {
  readonly from: number;
  readonly end: number;
  readonly totals: Map<string, number>;
}

/** Compares a whole partition, piece by piece. */
export async function* comparePartition({ live, ledger }: Sides, partition: number, held = HELD): AsyncGenerator<Compared> {
  for (let from = 0; from === 0 || from < live.buckets(partition); ) {
    const piece = await hold(live, partition, from, held);
    yield await compareHeld({ live, ledger }, partition, piece);
    from = piece.end;
  }
}

async function hold(live: LiveTotals, partition: number, from: number, most: number): Promise<Held> {
  const totals = new Map<string, number>();
  let end = from;
  do {
    const page = await live.read(partition, end);
    for (const [key, value] of page.totals) totals.set(key, value);
    end = page.next;
  } while (end < live.buckets(partition) && totals.size < most);
  return { from, end, totals };
}

async function compareHeld({ live, ledger }: Sides, partition: number, { from, end, totals }: Held): Promise<Compared> {
  const isWhole = from === 0 && end === live.buckets(partition);
  const suspects: string[] = [];
  let looked = totals.size;
  let after = '';
  for (let page = await ledger.totals(partition, after, LEDGER_PAGE); ; page = await ledger.totals(partition, after, LEDGER_PAGE)) {
    for (const [key, value] of page) {
      const bucket = isWhole ? from : live.bucketOf(partition, key);
      if (bucket < from || bucket >= end) continue;
      const total = totals.get(key);
      if (total === undefined) looked++;
      if (value !== BigInt(total ?? 0)) suspects.push(key);
      totals.delete(key);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < LEDGER_PAGE) break;
    after = last[0];
  }
  for (const [key, total] of totals) if (total !== 0) suspects.push(key);
  return { looked, suspects };
}

/**
 * Compares some keys of a partition, chosen by chance: those of some of Redis' buckets, and those that stand beside them
 * in the ledger, so that what either of them lacks may be among them.
 */
export async function compareSome({ live, ledger }: Sides, partition: number, count: number, random: () => number): Promise<Compared> {
  const there = await someOf(live, partition, count, random);
  const chosen = shuffled([...there.keys()], random).slice(0, Math.ceil(count / 2));
  const beside = await neighbours(ledger, partition, { after: chosen[0] ?? '', count: count - chosen.length });
  const keys = [...new Set([...chosen, ...beside.keys()])];
  const missing = keys.filter((key) => !there.has(key));
  for (const [key, value] of await readKeys(live, partition, missing)) there.set(key, value);
  const ledgers = await ledger.values(partition, keys);
  return { looked: keys.length, suspects: keys.filter((key) => ledgers.get(key) !== BigInt(there.get(key) ?? 0)) };
}

/** Totals of buckets that follow a random one, until there are enough to choose from. */
async function someOf(live: LiveTotals, partition: number, count: number, random: () => number): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  let from = Math.floor(random() * live.buckets(partition));
  for (let reads = 0; reads < SAMPLE_READS && found.size < count; reads++) {
    const { totals, next } = await live.read(partition, from);
    for (const [key, value] of totals) found.set(key, value);
    from = next % live.buckets(partition);
  }
  return found;
}

/** Keys of the ledger after one; from the beginning where there are none. */
async function neighbours(ledger: Sides['ledger'], partition: number, { after, count }: { after: string; count: number }): Promise<Map<string, bigint>> {
  if (count === 0) return new Map();
  const found = await ledger.totals(partition, after, count);
  return new Map(found.length > 0 || after === '' ? found : await ledger.totals(partition, '', count));
}

/** What Redis has of keys: the buckets they are in. */
async function readKeys(live: LiveTotals, partition: number, keys: readonly string[]): Promise<Map<string, number>> {
  const wanted = new Set(keys);
  const found = new Map<string, number>();
  for (const bucket of new Set(keys.map((key) => live.bucketOf(partition, key)))) {
    for (const [key, value] of (await live.read(partition, bucket)).totals) if (wanted.has(key)) found.set(key, value);
  }
  return found;
}

function shuffled<T>(items: T[], random: () => number): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [items[i], items[j]] = [items[j] as T, items[i] as T];
  }
  return items;
}
