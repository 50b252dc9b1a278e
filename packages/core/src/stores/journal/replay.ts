/**
 * Sends again what a journal holds and a store does not: by the sequence rule, so it can be done at any time, twice,
 * and while the process that wrote the journal is alive.
 *
 * What is missing before the oldest record of a source is lost, and nothing after it can be sent under its
 * identity; a source that was silent for so long that the store may have forgotten it cannot be told from one that
 * it has lost. Of both it is said how much there is, and nothing is guessed.
 */
import { isBehind } from '../../model/answer.ts';
import type { Batch } from '../../model/batch.ts';
import type { Store } from '../../store.ts';
import { readSegment, runsOf, segmentsOf } from './folder.ts';
import { laneOf, type JournalRecord } from './record.ts';

/** Options of {@link replayJournal}. */
export interface ReplayOptions {
  readonly store: Store;
  /** The journal's folder, or a copy of it. */
  readonly path: string;
  /** Records written before are not sent. By the clock of the machine that wrote them. */
  readonly fromMs?: number;
  /** Records written after are not sent. */
  readonly toMs?: number;
  /** Asks the store what it has, and sends nothing. Default false. */
  readonly dryRun?: boolean;
  /** Told after every run that was read. */
  readonly onProgress?: (report: ReplayReport) => void;
  /** A crash had cut off the end of a segment. */
  readonly onTorn?: (path: string, bytes: number) => void;
}

/** What came of it, in batches. */
export interface ReplayReport {
  /** Written down, within the time that was asked for. */
  readonly batches: number;
  /** The store had them. */
  readonly known: number;
  /** Sent and applied; of a dry run, to be sent. */
  readonly sent: number;
  /** Missing in the store and here. */
  readonly lostBatches: number;
  /** Not sent because batches before them are lost. */
  readonly stranded: number;
  /** Not sent because the store may have forgotten their source. */
  readonly stale: number;
}

/** A store remembers a silent source for at least 24 hours; an hour is for clocks that differ. */
const REMEMBERED_MS = 23 * 3_600_000;

type Totals = { -readonly [Field in keyof ReplayReport]: number };

/** A source's batches of one partition, as a run wrote them down. */
interface Lane {
  readonly batches: Map<number, Batch>;
  newestAtMs: number;
}

/**
 * Sends again what is missing.
 *
 * @throws TallystickError `DATA_CORRUPT` when a journal is damaged in the middle (nothing of that run was sent), or
 * what the store says.
 */
export async function replayJournal(options: ReplayOptions): Promise<ReplayReport> {
  const totals: Totals = { batches: 0, known: 0, sent: 0, lostBatches: 0, stranded: 0, stale: 0 };
  for (const run of await runsOf(options.path)) {
    for (const lane of await readRun(run, options)) await replayLane(lane, options, totals);
    options.onProgress?.({ ...totals });
  }
  return totals;
}

async function readRun(run: string, options: ReplayOptions): Promise<Lane[]> {
  const lanes = new Map<string, Lane>();
  for (const path of await segmentsOf(run)) {
    const { records, tornBytes } = await readSegment(path);
    if (tornBytes > 0) options.onTorn?.(path, tornBytes);
    for (const record of records) gather(lanes, record, options);
  }
  return [...lanes.values()];
}

/** What was decided takes the place of what was sealed. */
function gather(lanes: Map<string, Lane>, { kind, atMs, batch }: JournalRecord, { fromMs = 0, toMs = Infinity }: ReplayOptions): void {
  const name = laneOf(batch);
  const lane = lanes.get(name) ?? { batches: new Map<number, Batch>(), newestAtMs: 0 };
  lanes.set(name, lane);
  lane.newestAtMs = Math.max(lane.newestAtMs, atMs);
  const isWanted = kind === 'sealed' ? atMs >= fromMs && atMs <= toMs : lane.batches.has(batch.seq);
  if (isWanted) lane.batches.set(batch.seq, batch);
}

async function replayLane({ batches, newestAtMs }: Lane, { store, dryRun = false }: ReplayOptions, totals: Totals): Promise<void> {
  const inOrder = [...batches.values()].sort((a, b) => a.seq - b.seq);
  const [first] = inOrder;
  if (first === undefined) return;
  totals.batches += inOrder.length;
  const last = await lastSeqAt(store, first);
  const missing = inOrder.filter(({ seq }) => seq > last);
  totals.known += inOrder.length - missing.length;
  if (missing.length > 0 && Date.now() - newestAtMs > REMEMBERED_MS) totals.stale += missing.length;
  else await send(missing, last, { store, dryRun, totals });
}

/** A batch far ahead of any other is not applied, and the store says how far it is. */
async function lastSeqAt(store: Store, { source, partition }: Batch): Promise<number> {
  const reply = await store.apply({ source, partition, seq: Number.MAX_SAFE_INTEGER, operations: [] });
  return isBehind(reply) ? reply.behind : Number.MAX_SAFE_INTEGER;
}

interface Sending {
  readonly store: Store;
  readonly dryRun: boolean;
  readonly totals: Totals;
}

/** Sends what follows `last` without a gap. */
async function send(missing: readonly Batch[], last: number, { store, dryRun, totals }: Sending): Promise<void> {
  let next = last + 1;
  for (const batch of missing) {
    if (batch.seq > next) break;
    if (!dryRun) await store.apply(batch);
    totals.sent++;
    next++;
  }
  const stranded = missing.filter(({ seq }) => seq >= next);
  const [first] = stranded;
  if (first === undefined) return;
  totals.stranded += stranded.length;
  totals.lostBatches += first.seq - next;
}
