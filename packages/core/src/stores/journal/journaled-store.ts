/** A store whose batches are on this machine's disk before they are acknowledged. */
import { isBehind, type Answer, type Reading, type Reply } from '../../model/answer.ts';
import { effectsOf, type Batch } from '../../model/batch.ts';
import type { Operation, Query } from '../../model/operation.ts';
import type { Store } from '../../store.ts';
import { Journal } from './journal.ts';
import { settingsOf, type JournalOptions } from './options.ts';
import { replayJournal } from './replay.ts';

const TIDY_EVERY_MS = 60_000;

/** See `journaledStore`. */
export async function openJournaledStore(options: JournalOptions): Promise<Store> {
  const settings = settingsOf(options);
  const { store, path, onEvent } = settings;
  const { sent, lostBatches } = await replayJournal({ store, path, onTorn: (torn, bytes) => onEvent({ type: 'journal-torn', path: torn, bytes }) });
  if (sent > 0 || lostBatches > 0) onEvent({ type: 'journal-replayed', batches: sent, lostBatches });
  return new JournaledStore(store, await Journal.begin(settings));
}

class JournaledStore implements Store {
  readonly partitions: number;
  readonly mayLose: boolean;
  readonly isSpread: boolean;
  readonly #store: Store;
  readonly #journal: Journal;
  readonly #tidying: NodeJS.Timeout;
  #closing: Promise<void> | undefined;

  constructor(store: Store, journal: Journal) {
    this.#store = store;
    this.#journal = journal;
    this.partitions = store.partitions;
    this.mayLose = store.mayLose ?? false;
    this.isSpread = store.isSpread ?? false;
    this.#tidying = setInterval(() => void journal.tidy(), TIDY_EVERY_MS).unref();
  }

  /** Disk and store work at the same time; the answer is given when both have it. */
  async apply(batch: Batch): Promise<Reply> {
    const written = this.#journal.sealed(batch);
    const [reply] = await Promise.all([this.#store.apply(batch), written]);
    // Only then was anything decided that the batch does not say itself. Sent again, the batch would decide anew.
    if (!isBehind(reply) && isDecided(batch, reply)) void this.#journal.decided(effectsOf(batch, reply)).catch(() => undefined);
    return reply;
  }

  read(partition: number, queries: readonly Query[]): Promise<readonly Reading[]> {
    return this.#store.read(partition, queries);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    clearInterval(this.#tidying);
    await this.#store.close();
    await this.#journal.close();
  }
}

const isConditional = ({ terms, effect }: Operation): boolean => terms !== undefined && effect === undefined;

/** An answer that was remembered is about the operations as they were first sent, and has none when it is forgotten. */
function isDecided({ operations }: Batch, { notes, values }: Answer): boolean {
  return values.length === operations.length && (notes.length > 0 || operations.some(isConditional));
}
