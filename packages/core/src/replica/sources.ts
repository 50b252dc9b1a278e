/**
 * The sequence rule: what a replica remembers of each source, and what it says to a batch that is not the
 * next one. Invariant: the record of a source changes in the same atomic step as the counters.
 *
 * Records are of two generations. After a day the young ones become the old ones, and the old ones, of sources
 * that had no batch since the turn before, are forgotten in one step. However far the clock jumps, a source
 * that had its last batch since the last turn is not forgotten by it.
 */
import type { Answer, Behind, Reply } from '../model/answer.ts';
import { WINDOW } from '../model/batch.ts';

/** How long a generation is young. A source that is silent for twice as long is forgotten: far longer than any lane re-sends. */
export const SOURCE_RETENTION_MS = 24 * 3600 * 1000;

interface SourceRecord {
  last: number;
  /** Results of the last batches, batch `seq` at `seq % WINDOW`. */
  readonly answers: (Answer | undefined)[];
}

export class Sources {
  #young = new Map<string, SourceRecord>();
  #old = new Map<string, SourceRecord>();
  #beganMs: number | undefined;

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** The reply to a batch that must not be applied; undefined when it is the next one. */
  reply(source: string, seq: number): Reply | undefined {
    const record = this.#young.get(source) ?? this.#old.get(source);
    const last = record?.last ?? 0;
    if (seq === last + 1) return undefined;
    if (seq > last) return { behind: last } satisfies Behind;
    const answer = record?.answers[seq % WINDOW];
    // Out of the window: its source has had the answer, or it could not have sent WINDOW batches since.
    return seq > last - WINDOW && answer !== undefined ? answer : { atMs: 0, values: [], notes: [] };
  }

  /** Remembers that batch `seq` was applied, and its results. */
  applied(source: string, seq: number, answer: Answer): void {
    const record = this.#young.get(source) ?? this.#makeYoung(source);
    record.last = seq;
    record.answers[seq % WINDOW] = answer;
    this.#beganMs ??= answer.atMs;
    if (answer.atMs - this.#beganMs >= SOURCE_RETENTION_MS) this.#turn(answer.atMs);
  }

  #makeYoung(source: string): SourceRecord {
    const record = this.#old.get(source) ?? { last: 0, answers: new Array<Answer | undefined>(WINDOW).fill(undefined) };
    this.#old.delete(source);
    this.#young.set(source, record);
    return record;
  }

  #turn(nowMs: number): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#beganMs = nowMs;
  }
}
