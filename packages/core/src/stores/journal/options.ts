/** Options of the journal. */
import { checkFunction, checkOptions, checkWhole, unexpected } from '../../model/check.ts';
import type { Store } from '../../store.ts';

/** What an operator should know of a journal. */
export type JournalEvent =
  /** The journal could not be written, copied or tidied. */
  | { readonly type: 'journal-fault'; readonly error: unknown }
  /** A segment had to go though it was still needed: the journal was larger than `maxBytes`. */
  | { readonly type: 'journal-dropped'; readonly path: string; readonly bytes: number }
  /** A crash cut off the end of a segment; what was there was never acknowledged. */
  | { readonly type: 'journal-torn'; readonly path: string; readonly bytes: number }
  /** What earlier runs had written down was sent again, as far as it was missing. */
  | { readonly type: 'journal-replayed'; readonly batches: number; readonly lostBatches: number };

/** Options of {@link journaledStore}. */
export interface JournalOptions {
  /** The store that batches are sent to. It is closed with the journal. */
  readonly store: Store;
  /** A folder on a disk of this machine; several processes may share it. Created if need be. */
  readonly path: string;
  /** A folder, best on another disk, that every full segment is copied to. Default: none. */
  readonly backup?: string;
  /** A segment is closed when it has so many bytes. Default 16 MiB. */
  readonly maxSegmentBytes?: number;
  /** Closed segments are removed after this time. Default 24 hours; without meaning where `coveredSeq` is given. */
  readonly keepMs?: number;
  /** The oldest closed segments are removed when there are more bytes than this. Default 256 MiB, which a start reads in some seconds. */
  readonly maxBytes?: number;
  /** The last seq of a source that the ledger has. Segments that it has altogether are removed. */
  readonly coveredSeq?: (partition: number, source: string) => Promise<number>;
  readonly onEvent?: (event: JournalEvent) => void;
}

export type JournalSettings = Required<Omit<JournalOptions, 'backup' | 'coveredSeq'>> & Pick<JournalOptions, 'backup' | 'coveredSeq'>;

const KNOWN = ['store', 'path', 'backup', 'maxSegmentBytes', 'keepMs', 'maxBytes', 'coveredSeq', 'onEvent'] as const;

const DEFAULTS = { maxSegmentBytes: 16 * 2 ** 20, keepMs: 24 * 3_600_000, maxBytes: 2 ** 28, onEvent: () => undefined };

/** @throws TallystickError `INVALID_CONFIG`, naming the option. */
export function settingsOf(options: JournalOptions): JournalSettings {
  const { store, path, backup, maxSegmentBytes, keepMs, maxBytes, coveredSeq, onEvent } = checkOptions(options, KNOWN);
  if (!isStore(store)) throw unexpected('store', 'a store', store);
  if (typeof path !== 'string' || path === '') throw unexpected('path', 'the path of a folder', path);
  if (backup !== undefined && (typeof backup !== 'string' || backup === '')) throw unexpected('backup', 'the path of a folder', backup);
  checkWhole(maxSegmentBytes, 'maxSegmentBytes', [4096, 2 ** 30]);
  checkWhole(keepMs, 'keepMs', [1, Number.MAX_SAFE_INTEGER]);
  checkWhole(maxBytes, 'maxBytes', [4096, Number.MAX_SAFE_INTEGER]);
  checkFunction(coveredSeq, 'coveredSeq');
  checkFunction(onEvent, 'onEvent');
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, ...(Object.fromEntries(given) as unknown as JournalOptions) };
}

const isStore = (store: unknown): boolean => typeof store === 'object' && store !== null && 'apply' in store;
