/** The two sides of the rows on disk: our SQLite store, and better-sqlite3 by itself, in one folder. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createTallystick, type Counters } from 'tallystick';
import { sqliteStore } from 'tallystick/sqlite';
import { balance } from '../lib/account.ts';
import { scratchFolder } from '../lib/scratch.ts';

/** Our side: counters over a store in a new file. `close` checks that they hold `added` in sum. */
export async function ourCounters(): Promise<{ counters: Counters; close: (keys: readonly string[], added: number) => Promise<void> }> {
  const folder = scratchFolder();
  const tallystick = createTallystick({ store: await sqliteStore({ path: join(folder.path, 'counters.db') }) });
  const { counters } = tallystick;
  const close = async (keys: readonly string[], added: number): Promise<void> => {
    await balance(keys, added, async (key) => (await counters.get(key)).value);
    await tallystick.close();
    folder.remove();
  };
  return { counters, close };
}

/** The rival: a table of counters, upserts, each commit synced to disk. */
export function theirTable(): { upsertAll: (keys: readonly string[]) => void; close: (keys: readonly string[], added: number) => Promise<void> } {
  const folder = scratchFolder();
  const database = new Database(join(folder.path, 'rival.db'));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec('CREATE TABLE counter (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID');
  const upsert = database.prepare('INSERT INTO counter VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET value = value + 1');
  const valueOf = database.prepare('SELECT value FROM counter WHERE key = ?').pluck();
  const upsertAll = database.transaction((keys: readonly string[]) => {
    for (const key of keys) upsert.run(key);
  });
  const close = async (keys: readonly string[], added: number): Promise<void> => {
    await balance(keys, added, (key) => (valueOf.get(key) as number | undefined) ?? 0);
    database.close();
    folder.remove();
  };
  return { upsertAll, close };
}
