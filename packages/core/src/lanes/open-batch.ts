/**
 * Combining. Callers do not send commands: they put an amount into the open batch and wait. There is one
 * entry per key, so a hot key costs one operation however many callers there are; an operation that cannot
 * be summed (it has bounds, a member or a request id) keeps its place in the order as an entry of its own.
 */
import type { TallystickError } from '../errors.ts';
import { inRange } from '../model/amount.ts';
import type { Memo } from '../model/memo.ts';
import type { Operation } from '../model/operation.ts';
import { Callers } from './callers.ts';
import { combines, Entry } from './entry.ts';
import { Memos } from './memos.ts';

export class OpenBatch {
  readonly entries: Entry[] = [];
  readonly callers = new Callers();
  /** Tell of each key where its newest entry is, if that may still take in amounts. */
  readonly #memos: Memos;
  readonly #number: number;
  /** What this batch adds to each key, made when it is first asked for. */
  #sums: Map<string, number> | undefined;

  constructor(memos = new Memos()) {
    this.#memos = memos;
    this.#number = memos.nextBatch();
  }

  /** The entry that an amount under these terms would be added to, if there is one. */
  find(key: string, terms: Operation['terms']): Entry | undefined {
    const memo = this.#memos.find(key);
    return memo && this.#standing(memo, terms);
  }

  /** Takes an amount into an entry that {@link find} gave; false when the sum would leave the range. */
  combine(entry: Entry, delta: number): boolean {
    const mixed = entry.reach !== undefined || (delta < 0 ? entry.delta > 0 : entry.delta < 0);
    const reach = mixed ? (entry.reach ?? Math.abs(entry.delta)) + Math.abs(delta) : undefined;
    const sum = entry.delta + delta;
    if (!inRange(reach ?? sum)) return false;
    entry.reach = reach;
    entry.delta = sum;
    entry.callers++;
    this.#count(entry.key, delta);
    return true;
  }

  /**
   * Takes in a checked amount that nothing keeps from being combined, with one look at its memo. Its key is
   * checked when it is new to the lane.
   *
   * @throws TallystickError `INVALID_KEY`.
   */
  take(key: string, delta: number, terms: Operation['terms']): Entry {
    const memo = this.#memos.of(key);
    const entry = this.#standing(memo, terms);
    if (entry !== undefined && this.combine(entry, delta)) return entry;
    return this.#append({ key, delta, terms }, memo, !combines(terms));
  }

  /** Appends an operation as an entry of its own. `alone`: nothing will be combined into it. */
  append(op: Operation, alone: boolean): Entry {
    return this.#append(op, this.#memos.of(op.key), alone || op.requestId !== undefined || !combines(op.terms));
  }

  /** Refuses a caller, and takes its amount out again. */
  withdraw(place: number, error: TallystickError): void {
    const { key, delta } = this.callers.at(place);
    this.#count(key, -delta);
    const entry = this.callers.withdraw(place, error);
    if (entry.callers === 0 && this.find(entry.key, entry.terms) === entry) this.#memos.of(entry.key).batch = 0;
  }

  /** The operations to seal: entries that somebody still waits for. */
  sealed(): readonly Entry[] {
    return this.entries.every(isWanted) ? this.entries : this.entries.filter(isWanted);
  }

  /** What this batch adds to `key`, for an estimate. */
  pendingOf(key: string): number {
    this.#sums ??= sumsOf(this.entries);
    return this.#sums.get(key) ?? 0;
  }

  #standing(memo: Memo, terms: Operation['terms']): Entry | undefined {
    if (memo.batch !== this.#number) return undefined;
    const entry = this.entries[memo.place] as Entry;
    return entry.terms === terms ? entry : undefined;
  }

  #append(op: Operation, memo: Memo, alone: boolean): Entry {
    const entry = new Entry(op, memo);
    memo.batch = alone ? 0 : this.#number;
    memo.place = this.entries.push(entry) - 1;
    this.#count(op.key, op.delta);
    return entry;
  }

  #count(key: string, delta: number): void {
    if (this.#sums !== undefined) this.#sums.set(key, (this.#sums.get(key) ?? 0) + delta);
  }
}

function sumsOf(entries: readonly Entry[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { key, delta } of entries) sums.set(key, (sums.get(key) ?? 0) + delta);
  return sums;
}

const isWanted = (entry: Entry): boolean => entry.callers > 0;
