/**
 * Tells true differences from what was only on its way. Keys that differed when both sides were read one after the
 * other are read again at one place of the log; what differs there is read once more, at a later place, because a source
 * that has just found Redis behind is sending again. What still differs by the same amount is a difference.
 */
import { pause } from '../pause.ts';
import { readAtPlace, type AtPlace, type PlaceOptions } from './place.ts';

/** A key that differs, and does so still. */
export interface Difference {
  readonly partition: number;
  readonly key: string;
  /** Redis' total. */
  readonly live: bigint;
  readonly ledger: bigint;
  /** Whether an add in Redis would count in the total. */
  readonly isTotal: boolean;
}

/** What became of keys that differed at first. */
export interface Settled {
  /** They are equal at one place: the log was on its way. */
  readonly inFlight: number;
  readonly differences: readonly Difference[];
  /** Nothing can be told: the ledger did not reach the place in time, or the difference did not stay the same. */
  readonly unsettled: number;
}

/** Settings of {@link settle}. */
export interface SettleOptions extends PlaceOptions {
  /** How long after the first place the second one is, in milliseconds. */
  readonly confirmMs: number;
}

/** Keys of one batch: what it costs Redis is about a millisecond. */
const PAGE = 250;
/** Batches on their way at once. */
const ABREAST = 4;

/** Settles keys of one partition. When the ledger does not come on, it waits for that once. */
export async function settle(partition: number, keys: readonly string[], options: SettleOptions): Promise<Settled> {
  const first = await readAll(partition, keys, options);
  const differing = first.filter(differs);
  if (differing.length === 0) return { inFlight: first.length, differences: [], unsettled: keys.length - first.length };
  await pause(options.confirmMs, options.signal);
  const second = new Map((await readAll(partition, differing.map(({ key }) => key), options)).map((each) => [each.key, each]));
  const differences: Difference[] = [];
  let inFlight = first.length - differing.length;
  for (const before of differing) {
    const after = second.get(before.key);
    if (after === undefined) continue;
    if (!differs(after)) inFlight++;
    else if (after.live - after.ledger === before.live - before.ledger) differences.push({ partition, ...after });
  }
  return { inFlight, differences, unsettled: keys.length - inFlight - differences.length };
}

const differs = ({ live, ledger }: AtPlace): boolean => live !== ledger;

/** All that can be read in time. */
async function readAll(partition: number, keys: readonly string[], options: SettleOptions): Promise<AtPlace[]> {
  const found: AtPlace[] = [];
  for (let from = 0; from < keys.length; from += PAGE * ABREAST) {
    const pages = Array.from({ length: ABREAST }, (_, i) => keys.slice(from + i * PAGE, from + (i + 1) * PAGE)).filter((page) => page.length > 0);
    const read = await Promise.all(pages.map((page) => readAtPlace(partition, page, options)));
    for (const page of read) if (page !== undefined) found.push(...page);
    if (read.includes(undefined)) break;
  }
  return found;
}
