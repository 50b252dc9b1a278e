/**
 * The sequence rule: what a replica remembers of each source, and what it says to a batch that is not the
 * next one. Invariant: the record of a source changes in the same atomic step as the counters.
 */
import type { Answer, Behind, Reply } from '../model/answer.ts';
import { WINDOW } from '../model/batch.ts';

/** A source that has been silent for so long is forgotten. Far longer than any lane re-sends. */
export const SOURCE_RETENTION_MS = 24 * 3600 * 1000;

interface SourceRecord {
  last: number;
  /** Results of the last batches, batch `seq` at `seq % WINDOW`. */
  readonly answers: (Answer | undefined)[];
  seenMs: number;
}

export class Sources {
  readonly #records = new Map<string, SourceRecord>();

  get size(): number {
    return this.#records.size;
  }

  /** The reply to a batch that must not be applied; undefined when it is the next one. */
  reply(source: string, seq: number): Reply | undefined {
    const record = this.#records.get(source);
    const last = record?.last ?? 0;
    if (seq === last + 1) return undefined;
    if (seq > last) return { behind: last } satisfies Behind;
    const answer = record?.answers[seq % WINDOW];
    // Out of the window: its source has had the answer, or it could not have sent WINDOW batches since.
    return seq > last - WINDOW && answer !== undefined ? answer : { atMs: 0, values: [], notes: [] };
  }

  /** Remembers that batch `seq` was applied, and its results. */
  applied(source: string, seq: number, answer: Answer): void {
    let record = this.#records.get(source);
    if (record === undefined) {
      this.#forget(source, answer.atMs);
      record = { last: 0, answers: new Array<Answer | undefined>(WINDOW).fill(undefined), seenMs: 0 };
      this.#records.set(source, record);
    }
    record.last = seq;
    record.answers[seq % WINDOW] = answer;
    record.seenMs = answer.atMs;
  }

  /** Drops the sources that have been silent too long in the partition where `newcomer` (`partition/source`) appears. */
  #forget(newcomer: string, nowMs: number): void {
    const partition = newcomer.slice(0, newcomer.indexOf('/') + 1);
    for (const [source, record] of this.#records) {
      if (record.seenMs <= nowMs - SOURCE_RETENTION_MS && source.startsWith(partition)) this.#records.delete(source);
    }
  }
}
