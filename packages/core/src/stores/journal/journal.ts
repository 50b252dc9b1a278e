/**
 * The journal of one run: batches, synced to disk before they are acknowledged. A segment that is full is closed,
 * copied to the backup, and removed when the ledger has all of it, or when it is too old or the journal too large.
 */
import { copyFile, mkdir, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TallystickError } from '../../errors.ts';
import type { Batch } from '../../model/batch.ts';
import { frameOf } from './frames.ts';
import { readSegment, runName, runsOf, segmentPath, segmentsOf, syncFolder } from './folder.ts';
import type { JournalSettings } from './options.ts';
import { laneOf, toText, type JournalRecord } from './record.ts';
import { Segment } from './segment.ts';

/** A closed segment, of this run or an earlier one. */
interface Closed {
  readonly path: string;
  readonly bytes: number;
  readonly writtenAtMs: number;
  /** Of each lane that has records in it, the last seq. */
  readonly lastSeqs: () => Promise<ReadonlyMap<string, number>>;
}

export class Journal {
  readonly #settings: JournalSettings;
  readonly #run: string;
  #segment: Segment;
  #number = 1;
  /** Oldest first. */
  #closed: Closed[];
  /** Of each lane of this run, the last batch that is on disk with all before it. */
  readonly #sealed = new Map<string, number>();
  /** One step after the other: rotating, copying and removing. */
  #upkeep: Promise<void> = Promise.resolve();

  private constructor(settings: JournalSettings, run: string, segment: Segment, closed: Closed[]) {
    this.#settings = settings;
    this.#run = run;
    this.#segment = segment;
    this.#closed = closed;
  }

  /** Begins a run in the folder `path`, which is created if need be. */
  static async begin(settings: JournalSettings): Promise<Journal> {
    const closed = await closedSegments(settings.path);
    const run = join(settings.path, runName(Date.now()));
    await mkdir(run, { recursive: true, mode: 0o700 });
    const segment = await Segment.create(segmentPath(run, 1));
    await syncFolder(run);
    await syncFolder(settings.path);
    return new Journal(settings, run, segment, closed);
  }

  /** Writes a batch down as it was sealed; once, however often it is sent. */
  async sealed(batch: Batch): Promise<void> {
    const lane = laneOf(batch);
    if (batch.seq <= (this.#sealed.get(lane) ?? 0)) return;
    await this.#append({ kind: 'sealed', atMs: Date.now(), batch });
    if (batch.seq === (this.#sealed.get(lane) ?? 0) + 1) this.#sealed.set(lane, batch.seq);
  }

  /** Writes down what was decided of a batch. */
  decided(batch: Batch): Promise<void> {
    return this.#append({ kind: 'decided', atMs: Date.now(), batch });
  }

  /** Removes what is not needed any more. */
  tidy(): Promise<void> {
    return this.#keepUp(() => this.#drop());
  }

  /** Ends the run. What it wrote stays. */
  async close(): Promise<void> {
    await this.#upkeep;
    await this.#segment.close();
  }

  async #append(record: JournalRecord): Promise<void> {
    const { path, onEvent } = this.#settings;
    try {
      await this.#room().append(this.#frame(record));
    } catch (cause) {
      onEvent({ type: 'journal-fault', error: cause });
      throw new TallystickError('STORE_UNAVAILABLE', `the journal in ${path} cannot be written: ${(cause as Error).message}`, { cause });
    }
  }

  #frame(record: JournalRecord): Buffer {
    const { batch } = record;
    this.#segment.lastSeqs.set(laneOf(batch), batch.seq);
    return frameOf(toText(record));
  }

  /** The segment to write to. A full or broken one is replaced meanwhile; until then it takes what comes. */
  #room(): Segment {
    const segment = this.#segment;
    if (segment.bytes >= this.#settings.maxSegmentBytes || segment.isBroken) void this.#keepUp(() => this.#rotate(segment));
    return segment;
  }

  #keepUp(step: () => Promise<void>): Promise<void> {
    this.#upkeep = this.#upkeep.then(step).catch((error: unknown) => this.#settings.onEvent({ type: 'journal-fault', error }));
    return this.#upkeep;
  }

  async #rotate(full: Segment): Promise<void> {
    if (this.#segment !== full) return;
    const next = await Segment.create(segmentPath(this.#run, this.#number + 1));
    await syncFolder(this.#run);
    this.#number++;
    this.#segment = next;
    await full.close();
    this.#closed.push({ path: full.path, bytes: full.bytes, writtenAtMs: Date.now(), lastSeqs: () => Promise.resolve(full.lastSeqs) });
    await this.#backUp(full.path);
    await this.#drop();
  }

  async #backUp(path: string): Promise<void> {
    const { backup } = this.#settings;
    if (backup === undefined) return;
    const folder = join(backup, basename(dirname(path)));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await copyFile(path, join(folder, basename(path)));
  }

  async #drop(): Promise<void> {
    const kept: Closed[] = [];
    let bytes = 0;
    for (const segment of this.#closed.toReversed()) {
      const isOver = bytes + segment.bytes > this.#settings.maxBytes;
      if (!isOver && !(await this.#isDone(segment))) {
        bytes += segment.bytes;
        kept.push(segment);
        continue;
      }
      if (isOver) this.#settings.onEvent({ type: 'journal-dropped', path: segment.path, bytes: segment.bytes });
      await rm(segment.path, { force: true });
      // A run of which nothing is left; the others are not empty.
      await rmdir(dirname(segment.path)).catch(() => undefined);
    }
    this.#closed = kept.reverse();
  }

  /** Without a ledger, a segment is done when it is old. */
  async #isDone({ writtenAtMs, lastSeqs }: Closed): Promise<boolean> {
    const { coveredSeq, keepMs } = this.#settings;
    if (coveredSeq === undefined) return Date.now() - writtenAtMs > keepMs;
    for (const [lane, seq] of await lastSeqs()) {
      const cut = lane.indexOf('/');
      if ((await coveredSeq(Number(lane.slice(0, cut)), lane.slice(cut + 1))) < seq) return false;
    }
    return true;
  }
}

/** What earlier runs left. */
async function closedSegments(path: string): Promise<Closed[]> {
  const closed: Closed[] = [];
  for (const run of await runsOf(path)) {
    for (const segment of await segmentsOf(run)) {
      const { size, mtimeMs } = await stat(segment);
      closed.push({ path: segment, bytes: size, writtenAtMs: mtimeMs, lastSeqs: () => lastSeqsOf(segment) });
    }
  }
  return closed;
}

async function lastSeqsOf(segment: string): Promise<ReadonlyMap<string, number>> {
  const { records } = await readSegment(segment);
  return new Map(records.map(({ batch }) => [laneOf(batch), batch.seq]));
}
