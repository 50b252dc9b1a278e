/**
 * Values of Redis and of the ledger at one place of the log, while both go on: a batch that adds nothing is applied
 * under a source of its own. Its answer is what Redis has at that place of the order, and its record marks the same
 * place for the ledger, which then fills in what it has.
 */
import { randomUUID } from 'node:crypto';
import { TallystickError, type Store } from 'tallystick';
import { backoffMs } from '../backoff.ts';
import { checkSource, type Readings } from '../ledger/ledger.ts';
import { pause } from '../pause.ts';

/** What both have of a key at one place. */
export interface AtPlace {
  readonly key: string;
  /** Redis' total; 0 of a counter that is not there, that expires, or that is none. */
  readonly live: bigint;
  readonly ledger: bigint;
  /** Whether an add to it in Redis would count in its total: not when it expires, or is no counter. */
  readonly isTotal: boolean;
}

/** Settings of {@link readAtPlace}. */
export interface PlaceOptions {
  /** A store whose batches leave records. */
  readonly store: Pick<Store, 'apply'>;
  readonly readings: Readings;
  /** How long the ledger may take to reach the place, in milliseconds. */
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

type Reply = Awaited<ReturnType<Store['apply']>>;
type Answer = Exclude<Reply, { behind: number }>;
type Batch = Parameters<Store['apply']>[0];

const APPLY_ATTEMPTS = 5;
const LONGEST_POLL_MS = 200;

/**
 * Reads `keys` of a partition, a few hundred at most, at a place that is still to come.
 *
 * @returns In the order of `keys`; undefined when the ledger has not reached the place in time.
 * @throws TallystickError `STORE_UNAVAILABLE`.
 */
export async function readAtPlace(partition: number, keys: readonly string[], options: PlaceOptions): Promise<readonly AtPlace[] | undefined> {
  const { store, readings } = options;
  const source = checkSource(randomUUID());
  await readings.ask(source, partition, keys);
  try {
    const answer = await applied(store, { source, partition, seq: 1, operations: keys.map((key) => ({ key, delta: 0 })) });
    const ledger = await untilReached(source, partition, options);
    return ledger && bothSides(keys, answer, ledger);
  } finally {
    await readings.remove(source);
  }
}

/** Sends the batch until it is answered: under its own identity it is applied once. */
async function applied(store: Pick<Store, 'apply'>, batch: Batch): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      const reply = await store.apply(batch);
      if ('behind' in reply) throw new TallystickError('STORE_UNAVAILABLE', `the store has lost batches of ${batch.source}`, { field: 'redis' });
      return reply;
    } catch (error) {
      if (attempt === APPLY_ATTEMPTS) throw error;
      await pause(backoffMs(attempt, Math.random));
    }
  }
}

async function untilReached(source: string, partition: number, { readings, waitMs, signal }: PlaceOptions): Promise<ReadonlyMap<string, bigint> | undefined> {
  const untilMs = performance.now() + waitMs;
  for (let attempt = 1; performance.now() < untilMs && signal?.aborted !== true; attempt++) {
    await pause(Math.min(LONGEST_POLL_MS, backoffMs(attempt, Math.random)), signal);
    const values = await readings.read(source, partition);
    if (values !== undefined) return values;
  }
  return undefined;
}

function bothSides(keys: readonly string[], { values, notes }: Answer, ledger: ReadonlyMap<string, bigint>): AtPlace[] {
  const noted = new Map(notes.map((note) => [note.index, note]));
  return keys.map((key, index) => {
    const note = noted.get(index);
    const isTotal = note?.expiresAtMs === undefined && note?.code === undefined;
    return { key, live: isTotal ? BigInt(values[index] ?? 0) : 0n, ledger: ledger.get(key) ?? 0n, isTotal };
  });
}
