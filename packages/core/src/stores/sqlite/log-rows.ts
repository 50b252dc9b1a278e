/**
 * The table `batch`: the log, and at once the remembered results. A row is needed by recovery until it is
 * folded, and by the sequence rule while it is one of the last of a source that is not forgotten.
 * Runs in the worker.
 */
import type Sqlite from 'better-sqlite3';
import { WINDOW } from '../../model/batch.ts';
import { SOURCE_RETENTION_MS } from '../../replica/sources.ts';
import type { LogRecord } from './record.ts';

interface BatchRow {
  readonly position: number;
  readonly partition: number;
  readonly source: string;
  readonly seq: number;
  readonly at_ms: number;
  readonly deltas: string;
  readonly results: Uint8Array | string;
  readonly extras: string;
  readonly keys: string;
}

type BatchHead = Pick<BatchRow, 'position' | 'partition' | 'source' | 'seq' | 'at_ms'>;

export class LogRows {
  readonly #insert: Sqlite.Statement;
  readonly #all: Sqlite.Statement<[], BatchRow>;
  readonly #heads: Sqlite.Statement<[number, number, number], BatchHead>;
  readonly #drop: Sqlite.Statement<[number]>;
  /** The last seq of each source that has rows. */
  readonly #lastSeqs = new Map<string, number>();
  /** Up to here a trim has looked. */
  #looked = 0;
  #folded = 0;

  constructor(sqlite: Sqlite.Database) {
    this.#insert = sqlite.prepare('INSERT INTO batch VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#all = sqlite.prepare('SELECT * FROM batch ORDER BY position');
    this.#heads = sqlite.prepare(
      'SELECT position, partition, source, seq, at_ms FROM batch WHERE position > ? AND position <= ? ORDER BY position LIMIT ?',
    );
    this.#drop = sqlite.prepare('DELETE FROM batch WHERE position = ?');
  }

  append(record: LogRecord): void {
    const { position, partition, source, seq, atMs, deltas, results, extras, keys } = record;
    this.#insert.run(position, partition, source, seq, atMs, deltas, results, extras, keys);
    this.#lastSeqs.set(sourceOf(record), seq);
  }

  /** Every row there is, oldest first. To be read to the end before anything else. */
  *read(): Generator<LogRecord> {
    for (const row of this.#all.iterate()) {
      const record = recordOf(row);
      this.#lastSeqs.set(sourceOf(record), record.seq);
      yield record;
    }
  }

  /** Rows up to here are needed by recovery no more. */
  set folded(position: number) {
    this.#folded = position;
    this.#looked = 0;
  }

  /** Whether a trim has something to look at. */
  get isTrimmed(): boolean {
    return this.#looked >= this.#folded;
  }

  /** Looks at up to `limit` folded rows and drops those that nobody can ask for. */
  trim(limit: number, nowMs: number): void {
    if (this.isTrimmed) return;
    const heads = this.#heads.all(this.#looked, this.#folded, limit);
    for (const head of heads) this.#trimOne(head, nowMs);
    this.#looked = heads.length < limit ? this.#folded : heads.at(-1)!.position;
  }

  #trimOne(head: BatchHead, nowMs: number): void {
    const source = sourceOf(head);
    const last = this.#lastSeqs.get(source) ?? head.seq;
    const forgotten = head.at_ms <= nowMs - 2 * SOURCE_RETENTION_MS;
    if (head.seq > last - WINDOW && !forgotten) return;
    this.#drop.run(head.position);
    if (head.seq === last) this.#lastSeqs.delete(source);
  }
}

const sourceOf = ({ partition, source }: Pick<BatchRow, 'partition' | 'source'>): string => `${partition}/${source}`;

function recordOf({ at_ms: atMs, ...rest }: BatchRow): LogRecord {
  return { ...rest, atMs };
}
