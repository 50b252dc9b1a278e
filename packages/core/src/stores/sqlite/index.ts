/**
 * Counters on disk: the store for one process that needs no outside service.
 *
 * @packageDocumentation
 */
import type { Store } from '../../store.ts';
import { openSqliteStore, type SqliteStoreOptions } from './sqlite-store.ts';

export type { SqliteStoreEvent, SqliteStoreOptions } from './sqlite-store.ts';

/**
 * Opens a store in a SQLite file, for this process alone. An answer is given when it is on disk: what was
 * answered survives `kill -9` and a power failure. The file is checked as a whole at open, which takes
 * about a second for every million counters. Needs the package `better-sqlite3`.
 *
 * @throws TallystickError `INVALID_CONFIG` (naming the field), `DATA_IN_USE` (another process or store
 * holds the file), `DATA_CORRUPT`, `SCHEMA_MISMATCH`, `PARTITIONS_MISMATCH` or `STORE_UNAVAILABLE`.
 * @example
 * const tallystick = createTallystick({ store: await sqliteStore({ path: 'data/counters.db' }) })
 * const { value } = await tallystick.counters.add('article:like:42')
 * await tallystick.close()
 */
export function sqliteStore(options: SqliteStoreOptions): Promise<Store> {
  return openSqliteStore(options);
}
