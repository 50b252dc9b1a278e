/** Keeps the data on disk: commits batches, folds, trims, recovers. One connection, in the worker. */
import type Sqlite from 'better-sqlite3';
import { WINDOW } from '../../model/batch.ts';
import { CellRows } from './cell-rows.ts';
import { gone, type Database } from './database.ts';
import { Dirty } from './dirty.ts';
import { LogRows } from './log-rows.ts';
import type { CellIds, Loaded, Opened, RememberedAnswer, WorkerSettings } from './protocol.ts';
import { answerOf, type LogRecord } from './record.ts';

/** The most cells written and rows dropped in one transaction of idle time: a few milliseconds. */
const IDLE_STEP = 500;
/** The same at close, when nobody can come. */
const CLOSE_STEP = 10_000;

/** Rows of the log looked at by a trim, for each batch of a commit. */
const TRIMS_PER_BATCH = 4;

/** Size of the write-ahead log, in pages of 4 KiB, at which it is copied into the database. */
const CHECKPOINT_PAGES = 1000;

export class Keeper {
  readonly #database: Database;
  readonly #rows: CellRows;
  readonly #log: LogRows;
  readonly #dirty: Dirty;
  readonly #inTransaction: Sqlite.Transaction<(step: () => void) => void>;
  #position = 0;
  #folded: number;
  #nowMs: number;
  /** Whether there may be rows that have expired. */
  #mayExpire = false;

  constructor(database: Database, { requestRetentionMs, folding }: WorkerSettings) {
    const { sqlite } = database;
    this.#database = database;
    this.#rows = new CellRows(sqlite);
    this.#log = new LogRows(sqlite);
    this.#dirty = new Dirty(this.#rows, requestRetentionMs, folding);
    this.#inTransaction = sqlite.transaction((step: () => void) => step());
    this.#folded = database.getMeta('folded');
    this.#nowMs = database.getMeta('clock_ms');
    this.#position = this.#folded;
    this.#log.folded = this.#folded;
    sqlite.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  }

  /** Reads the log: applies again what is not folded, and collects what the sequence rule remembers. */
  recover(): Opened {
    const lastRecords = new Map<string, LogRecord[]>();
    let replayed = 0;
    for (const record of this.#log.read()) {
      this.#position = Math.max(this.#position, record.position);
      this.#nowMs = Math.max(this.#nowMs, record.atMs);
      keepLast(lastRecords, record);
      if (record.position <= this.#folded) continue;
      this.#dirty.absorb(record);
      replayed++;
    }
    return {
      type: 'opened',
      position: this.#position,
      clockMs: this.#nowMs,
      isEmpty: this.#rows.isEmpty && this.#dirty.isClean,
      replayed,
      answers: [...lastRecords.values()].flat().toSorted((a, b) => a.position - b.position).map(rememberedOf),
    };
  }

  /** Makes batches durable, all of them or none, in one sync to disk. */
  commit(records: readonly LogRecord[]): void {
    this.#inTransaction(() => {
      for (const record of records) {
        this.#log.append(record);
        this.#nowMs = Math.max(this.#nowMs, record.atMs);
      }
      this.#tidy(this.#dirty.due, records.length * TRIMS_PER_BATCH);
    });
  }

  /** Takes in what committed batches did. Apart from `commit`, so that nobody waits for it. */
  absorb(records: readonly LogRecord[]): void {
    for (const record of records) {
      this.#dirty.absorb(record);
      this.#position = record.position;
    }
    if (this.#dirty.fullness >= 1 && this.#dirty.isOldDone) this.#dirty.takeTurns(this.#position);
  }

  load({ counts, cells }: CellIds): Loaded {
    const found = counts.map((key) => this.#dirty.count(key));
    return {
      type: 'loaded',
      values: found.map((count) => count?.value ?? NaN),
      expiriesMs: found.map((count) => count?.expiresAtMs ?? 0),
      cells: cells.map((id) => this.#dirty.cell(id)?.cell),
    };
  }

  /**
   * Notes the time: what has expired by now can go.
   *
   * @throws TallystickError `STORE_UNAVAILABLE` when the file is not in its place any more.
   */
  tick(nowMs: number): void {
    if (!this.#database.isInPlace()) throw gone(this.#database.sqlite.name);
    this.#pass(nowMs);
  }

  #pass(nowMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, nowMs);
    this.#mayExpire = true;
  }

  /** Uses a moment in which nobody waits for a bounded piece of work; returns whether there is more to do. */
  idle(step = IDLE_STEP): boolean {
    const isFolded = this.#folded === this.#position;
    if (!isFolded && this.#dirty.isOldDone) this.#dirty.takeTurns(this.#position);
    if (isFolded && this.#log.isTrimmed && !this.#mayExpire) return false;
    this.#inTransaction(() => this.#tidy(step, step));
    return true;
  }

  /** Writes everything to its table and leaves one file. */
  close(nowMs: number): void {
    this.#pass(nowMs);
    this.#database.setMeta('clock_ms', this.#nowMs);
    while (this.idle(CLOSE_STEP));
    this.#database.sqlite.pragma('wal_checkpoint(TRUNCATE)');
    this.#database.sqlite.close();
  }

  /** A bounded part of what is to be done beside committing, in a transaction. */
  #tidy(folds: number, trims: number): void {
    this.#dirty.fold(folds, this.#nowMs);
    if (this.#dirty.isOldDone && this.#dirty.oldPosition > this.#folded) this.#setFolded(this.#dirty.oldPosition);
    this.#log.trim(trims, this.#nowMs);
    if (this.#mayExpire) this.#dropExpired(folds + trims);
  }

  #setFolded(position: number): void {
    this.#database.setMeta('folded', position);
    this.#database.setMeta('clock_ms', this.#nowMs);
    this.#folded = position;
    this.#log.folded = position;
  }

  /** Rows are dropped because it is so late: the clock must not be found earlier after a crash. */
  #dropExpired(limit: number): void {
    const dropped = this.#rows.dropExpired(this.#nowMs, limit);
    if (dropped > 0) this.#database.setMeta('clock_ms', this.#nowMs);
    if (dropped < limit) this.#mayExpire = false;
  }
}

/** Keeps the last records of each source, which are the remembered ones. */
function keepLast(all: Map<string, LogRecord[]>, record: LogRecord): void {
  const source = `${record.partition}/${record.source}`;
  const kept = all.get(source) ?? [];
  if (kept.length === 0) all.set(source, kept);
  kept.push(record);
  if (kept.length > WINDOW) kept.shift();
}

function rememberedOf(record: LogRecord): RememberedAnswer {
  const { partition, source, seq } = record;
  return { partition, source, seq, answer: answerOf(record) };
}
