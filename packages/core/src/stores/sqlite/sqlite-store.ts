/**
 * The store on disk: SQLite, in this process alone, durable when it answers.
 *
 *   application's thread                          worker thread (all SQL)
 *   ┌───────────────────────────────┐  commit    ┌──────────────────────────────────────────┐
 *   │ engine: order, answers        │ ─────────► │ keeper: one transaction, one sync for    │
 *   │ residents: cells in memory,   │ ◄───────── │   all batches that wait                  │
 *   │   decided by the replica      │  committed │ log (table batch): effects and answers   │
 *   └───────────────────────────────┘  load/-ed  │ dirty: cells changed since they were     │
 *                                                │   written ──fold──► tables count, cell   │
 *                                                └──────────────────────────────────────────┘
 *
 * - A batch is decided in memory, by the same replica as in the memory store, and costs one row of the
 *   log: hence the rate. It is answered once that row is on disk (`synchronous = FULL`).
 * - The log says of every operation its effect, never its conditions, and the counter's value right after
 *   it. So recovery sets counts to what they were, in order; a crash in the middle of folding does no harm,
 *   for whatever the tables hold, the last row of the log that names a count says its value. Kinds without
 *   such an after-image (windows, sets) are decided again from the state of the position in their row.
 * - Folding writes changed cells to their tables piece by piece, with the commits that come anyway and
 *   when nothing else is to do, and in the order of keys, so that a page is written once for all counters
 *   on it. Two generations take turns: see `dirty.ts`. Rows of the log go when they are folded, except
 *   the last WINDOW of each source, which are the remembered results.
 * - The worker has the state of every cell. Memory here is a cache of bounded size: see `residents.ts`.
 *   A cell that is cold is loaded first, in one request for all cells of a batch.
 * - After any fault (disk full, I/O error, worker dead) the engine is thrown away, whoever waits is rejected
 *   with STORE_UNAVAILABLE, and the next call opens the data again. What was rejected may have been applied;
 *   sent again under its identity, it gets its exact results.
 * - The lock is SQLite's own exclusive lock, which the system releases when the process dies.
 *
 * What was not done: a single cell (a set of a million members) is written in one piece; the log is not a
 * file of its own, though a bare append would be faster still, because one file and one transaction are
 * what makes it provable.
 */
import { resolve } from 'node:path';
import { TallystickError } from '../../errors.ts';
import type { Reading, Reply } from '../../model/answer.ts';
import type { Batch } from '../../model/batch.ts';
import { checkFunction, checkOptions, checkWhole, unexpected } from '../../model/check.ts';
import { steadyClock, type Clock } from '../../model/clock.ts';
import type { Query } from '../../model/operation.ts';
import { REQUEST_RETENTION_MS, type ReplicaOptions } from '../../replica/replica.ts';
import type { Store } from '../../store.ts';
import { Engine } from './engine.ts';
import { Link } from './link.ts';
import type { FoldingLimits } from './protocol.ts';
import type { StartWorker } from './start-worker.ts';

/** Settings of {@link sqliteStore}. */
export interface SqliteStoreOptions extends ReplicaOptions {
  /** The database file; it and its folder are created when missing. SQLite keeps a `-wal` file beside it. */
  readonly path: string;
  /** Milliseconds since the epoch; it may be set back, the store's time will not run back. Default `Date.now`. */
  readonly clock?: Clock;
  /** Number of partitions, 1 to 1,024, fixed when the data is created. Default 1: in one process more gain nothing. */
  readonly partitions?: number;
  /** Counters kept in memory, about; at least 1,000. Others are loaded when used. Default 1,000,000. */
  readonly maxResident?: number;
  /** Told of what an operator should know. Default: nobody. */
  readonly onEvent?: (event: SqliteStoreEvent) => void;
}

/** What an operator should know of a SQLite store. */
export type SqliteStoreEvent =
  /** The data was opened; so many batches of the log were applied again, after a stop without close. */
  | { readonly type: 'opened'; readonly replayed: number }
  /** The store stopped at a fault; the next call opens the data again. */
  | { readonly type: 'fault'; readonly error: TallystickError };

/** Settings that only tests change. */
export interface Internals {
  readonly startWorker?: StartWorker;
  readonly folding?: FoldingLimits;
  /** Upper bound on the size of the database, in pages. */
  readonly maxPages?: number;
}

const FOLDING: FoldingLimits = { maxCells: 200_000, maxLogBytes: 32 * 1024 * 1024 };

type Settings = Required<Omit<SqliteStoreOptions, 'onEvent'>> & { readonly onEvent: (event: SqliteStoreEvent) => void };

const KNOWN = ['path', 'clock', 'partitions', 'maxResident', 'requestRetentionMs', 'onEvent'] as const;

const DEFAULTS = {
  clock: Date.now,
  partitions: 1,
  requestRetentionMs: REQUEST_RETENTION_MS,
  maxResident: 1_000_000,
  onEvent: (): void => undefined,
} satisfies Omit<Settings, 'path'>;

function settingsOf(options: SqliteStoreOptions): Settings {
  const { path, clock, partitions, maxResident, requestRetentionMs, onEvent } = checkOptions(options, KNOWN);
  if ((path as unknown) === ':memory:') throw unexpected('path', 'the name of a file (for counters in memory: memoryStore())', path);
  if (typeof path !== 'string' || path === '' || path.includes('\0')) throw unexpected('path', 'the name of a file', path);
  checkFunction(clock, 'clock');
  checkWhole(partitions, 'partitions', [1, 1024]);
  checkWhole(maxResident, 'maxResident', [1000, Number.MAX_SAFE_INTEGER]);
  checkWhole(requestRetentionMs, 'requestRetentionMs', [1, Number.MAX_SAFE_INTEGER]);
  checkFunction(onEvent, 'onEvent');
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { ...DEFAULTS, ...given, path: resolve(path) };
}

class SqliteStore implements Store {
  readonly partitions: number;
  readonly #settings: Settings;
  readonly #internals: Internals;
  readonly #clock: Clock;
  /** The engine at work, if any. */
  #engine: Engine | undefined;
  #opening: Promise<Engine> | undefined;
  #releasing: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #timeMs = 0;
  #wasOpen = false;

  constructor(settings: Settings, internals: Internals) {
    this.partitions = settings.partitions;
    this.#settings = settings;
    this.#internals = internals;
    this.#clock = steadyClock(settings.clock);
  }

  apply(batch: Batch): Promise<Reply> {
    if (this.#closing !== undefined) return Promise.reject(closed());
    if (this.#engine !== undefined) return this.#engine.apply(batch);
    return this.#reopen().then((engine) => engine.apply(batch));
  }

  read(_partition: number, queries: readonly Query[]): Promise<readonly Reading[]> {
    if (this.#closing !== undefined) return Promise.reject(closed());
    if (this.#engine !== undefined) return this.#engine.read(queries);
    return this.#reopen().then((engine) => engine.read(queries));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Opens the data, once for all who ask meanwhile. */
  open(): Promise<Engine> {
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** After a fault: until the data can be opened again, callers are told to come later. */
  async #reopen(): Promise<Engine> {
    try {
      return await this.open();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new TallystickError('STORE_UNAVAILABLE', `the data cannot be opened again yet: ${reason}`, { cause });
    }
  }

  async #open(): Promise<Engine> {
    const { path, partitions, requestRetentionMs, maxResident, onEvent } = this.#settings;
    const { startWorker, folding = FOLDING, maxPages } = this.#internals;
    await this.#releasing;
    const nowMs = this.#clock();
    const [link, opened] = await Link.open({ path, partitions, requestRetentionMs, nowMs, folding, maxPages, mustExist: this.#wasOpen }, startWorker);
    const clock = steadyClock(this.#clock, Math.max(opened.clockMs, this.#timeMs));
    const engine = new Engine(link, opened, { clock, requestRetentionMs, maxResident, onFault: (error) => this.#lost(error) });
    this.#engine = engine;
    this.#wasOpen = true;
    onEvent({ type: 'opened', replayed: opened.replayed });
    return engine;
  }

  #lost(error: TallystickError): void {
    const engine = this.#engine;
    if (engine === undefined) return;
    this.#engine = undefined;
    this.#timeMs = engine.clock();
    this.#releasing = engine.close();
    this.#settings.onEvent({ type: 'fault', error });
  }

  async #close(): Promise<void> {
    const opening = this.#opening;
    const engine = opening === undefined ? this.#engine : await opening.catch(() => undefined);
    await engine?.close();
    await this.#releasing;
  }
}

const closed = (): TallystickError => new TallystickError('CLOSED', 'the SQLite store is closed');

/** As {@link sqliteStore}, with the settings that only tests change. */
export async function openSqliteStore(options: SqliteStoreOptions, internals: Internals = {}): Promise<Store> {
  const store = new SqliteStore(settingsOf(options), internals);
  await store.open();
  return store;
}
