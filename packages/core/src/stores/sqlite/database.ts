/** Opening the database file: the lock, the checks, the tables. Runs in the worker. */
import { existsSync, mkdirSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { TallystickError, type ErrorCode } from '../../errors.ts';
import type { Clock } from '../../model/clock.ts';

/** Version of the tables below. Data of another version is refused, never guessed at. */
const SCHEMA_VERSION = 1;

/** How long another process may take to let go of the file, as when one is restarted. */
const LOCK_WAIT_MS = 250;

const TABLES = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE batch (
    position INTEGER PRIMARY KEY,
    partition INTEGER NOT NULL,
    source TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    deltas TEXT NOT NULL,
    results BLOB NOT NULL,
    extras TEXT NOT NULL,
    keys TEXT NOT NULL
  );
  CREATE TABLE count (key TEXT PRIMARY KEY, value INTEGER NOT NULL, expires_ms INTEGER) WITHOUT ROWID;
  CREATE INDEX count_expiry ON count (expires_ms) WHERE expires_ms IS NOT NULL;
  CREATE TABLE cell (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    state BLOB NOT NULL,
    expires_ms INTEGER,
    position INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX cell_expiry ON cell (expires_ms) WHERE expires_ms IS NOT NULL;
`;

/** Numbers of the `meta` table. `folded`: see the log; `clock_ms`: rows were dropped by this time. */
export type MetaName = 'schema_version' | 'partitions' | 'created_ms' | 'folded' | 'clock_ms';

/** What {@link openDatabase} needs to know. */
export interface DatabaseOptions {
  /** Absolute. */
  readonly path: string;
  readonly partitions: number;
  /** Whether to refuse to create the file. */
  readonly mustExist: boolean;
  /** Upper bound on the size of the file, for tests of a full disk. */
  readonly maxPages?: number | undefined;
}

/** A database that is locked, checked and of the right schema. */
export interface Database {
  readonly sqlite: Sqlite.Database;
  readonly getMeta: (name: MetaName) => number;
  readonly setMeta: (name: MetaName, value: number) => void;
  /** Whether the file is still found under its name: else what is written will be read by nobody. */
  readonly isInPlace: () => boolean;
}

/**
 * Opens the file, or creates it, for this process alone.
 *
 * @throws TallystickError `DATA_IN_USE`, `DATA_CORRUPT`, `SCHEMA_MISMATCH`, `PARTITIONS_MISMATCH`,
 * `INVALID_CONFIG` or `STORE_UNAVAILABLE`.
 */
export async function openDatabase(options: DatabaseOptions, clock: Clock): Promise<Database> {
  const Driver = await loadDriver();
  let sqlite: Sqlite.Database | undefined;
  try {
    if (options.mustExist && !existsSync(options.path)) throw gone(options.path);
    makeFolder(dirname(options.path));
    sqlite = new Driver(options.path, { timeout: LOCK_WAIT_MS });
    return prepare(sqlite, options, clock);
  } catch (error) {
    sqlite?.close();
    throw asTallystickError(error, options.path);
  }
}

/** One folder at a time: Node's own recursion never ends where a folder, as in /proc, cannot be made. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

/** The error of a file that was removed or replaced while it was in use. */
export const gone = (path: string): TallystickError =>
  new TallystickError('STORE_UNAVAILABLE', `${path} was removed or replaced while in use: put it back, or restart to begin with what is there`);

async function loadDriver(): Promise<typeof Sqlite> {
  try {
    return (await import('better-sqlite3')).default;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `the SQLite store needs the package better-sqlite3 12, which cannot be loaded: npm install better-sqlite3@12 (${reason})`;
    throw new TallystickError('INVALID_CONFIG', message, { cause });
  }
}

function prepare(sqlite: Sqlite.Database, options: DatabaseOptions, clock: Clock): Database {
  lock(sqlite);
  const database = withMeta(sqlite, options.path);
  const isNew = sqlite.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  if (isNew) create(database, options, clock);
  else check(database, options);
  if (options.maxPages !== undefined) sqlite.pragma(`max_page_count = ${options.maxPages}`);
  return database;
}

/** Takes SQLite's own lock on the file for as long as it is open. The system lets go of it when we die. */
function lock(sqlite: Sqlite.Database): void {
  sqlite.pragma('locking_mode = EXCLUSIVE');
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = FULL');
  sqlite.pragma('cache_size = -32768');
  sqlite.exec('BEGIN EXCLUSIVE; COMMIT');
}

function withMeta(sqlite: Sqlite.Database, path: string): Database {
  const opened = statSync(path);
  return {
    sqlite,
    getMeta: (name) => (sqlite.prepare('SELECT value FROM meta WHERE name = ?').get(name) as { value: number }).value,
    setMeta: (name, value) => void sqlite.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(name, value),
    isInPlace: () => isSameFile(statSync(path, { throwIfNoEntry: false }), opened),
  };
}

const isSameFile = (found: Stats | undefined, opened: Stats): boolean => found?.ino === opened.ino && found.dev === opened.dev;

function create({ sqlite, setMeta }: Database, { partitions }: DatabaseOptions, clock: Clock): void {
  const nowMs = clock();
  sqlite.transaction(() => {
    sqlite.exec(TABLES);
    setMeta('schema_version', SCHEMA_VERSION);
    setMeta('partitions', partitions);
    setMeta('created_ms', nowMs);
    setMeta('folded', 0);
    setMeta('clock_ms', 0);
  })();
}

/** The whole file is read once: about a second for every million counters. */
function check({ sqlite, getMeta }: Database, { path, partitions }: DatabaseOptions): void {
  const [{ quick_check: verdict } = { quick_check: 'no answer' }] = sqlite.pragma('quick_check(1)') as { quick_check: string }[];
  if (verdict !== 'ok') throw new TallystickError('DATA_CORRUPT', `${path} failed its integrity check: ${verdict}`);
  const version = schemaVersionOf(sqlite);
  if (version === undefined) {
    throw new TallystickError('SCHEMA_MISMATCH', `${path} is a SQLite database, but not one of Tallystick: name another file`);
  }
  if (version !== SCHEMA_VERSION) {
    const message = `${path} has schema version ${version}; this program knows version ${SCHEMA_VERSION}: use the program that wrote it`;
    throw new TallystickError('SCHEMA_MISMATCH', message);
  }
  const created = getMeta('partitions');
  if (created === partitions) return;
  const message = `${path} was created with partitions ${created}, which cannot be changed; got ${partitions}`;
  throw new TallystickError('PARTITIONS_MISMATCH', message, { field: 'partitions' });
}

function schemaVersionOf(sqlite: Sqlite.Database): number | undefined {
  const columns = sqlite.pragma('table_info(meta)') as { name: string }[];
  if (columns.map(({ name }) => name).join() !== 'name,value') return undefined;
  return sqlite.prepare("SELECT value FROM meta WHERE name = 'schema_version'").pluck().get() as number | undefined;
}

/** What a fault of SQLite, of the file system or of what was read means to the user who opens the data. */
export function asTallystickError(error: unknown, path: string): TallystickError {
  if (error instanceof TallystickError) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  const [code, message] = meaningOf(cause, path);
  return new TallystickError(code, message, code === 'INVALID_CONFIG' ? { field: 'path', cause } : { cause });
}

const CANNOT_OPEN = ['SQLITE_CANTOPEN', 'SQLITE_READONLY', 'SQLITE_PERM', 'ENOENT', 'EACCES', 'EEXIST', 'ENOTDIR', 'EPERM', 'EROFS', 'ENAMETOOLONG'];

function meaningOf(cause: Error, path: string): readonly [ErrorCode, string] {
  const code = 'code' in cause ? String(cause.code) : '';
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return ['DATA_IN_USE', `${path} is held by another process or store: stop it or close it first, or name another file`];
  }
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB')) {
    return ['DATA_CORRUPT', `${path} is damaged or no database: restore it from a backup, or name another file (${cause.message})`];
  }
  if (CANNOT_OPEN.some((known) => code.startsWith(known))) {
    return ['INVALID_CONFIG', `path: expected a file that can be created and written, got ${path} (${cause.message})`];
  }
  if (code === '') return ['DATA_CORRUPT', `${path} holds what cannot be read: ${cause.message}`];
  return ['STORE_UNAVAILABLE', `${path} cannot be opened: ${cause.message}`];
}
