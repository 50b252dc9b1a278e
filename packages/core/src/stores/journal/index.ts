/**
 * The journal: what a process has acknowledged is on its own disk, whatever becomes of the store.
 *
 * @packageDocumentation
 */
import type { Store } from '../../store.ts';
import { openJournaledStore } from './journaled-store.ts';
import type { JournalOptions } from './options.ts';

export type { JournalEvent, JournalOptions } from './options.ts';
export { replayJournal, type ReplayOptions, type ReplayReport } from './replay.ts';

/**
 * Opens a journal before a store that may lose what it has answered, such as `redisStore`. An answer is given when
 * the batch is in the store and on disk here. Whatever earlier runs had written down and the store does not have is
 * sent again first: a crash of this process, then, loses nothing that was sealed, though the store was away.
 *
 * @throws TallystickError `INVALID_CONFIG` (naming the field), `DATA_CORRUPT` when a journal is damaged in the
 * middle, `STORE_UNAVAILABLE`, or the error of a folder that cannot be made.
 * @example
 * const store = await journaledStore({ store: await redisStore({ client }), path: 'data/journal' })
 * const tallystick = createTallystick({ store })
 */
export function journaledStore(options: JournalOptions): Promise<Store> {
  return openJournaledStore(options);
}
