/** The memos of a lane: one for each key that was asked for lately. */
import { checkKey } from '../model/key.ts';
import { Memo } from '../model/memo.ts';

/** Keys at which memory is given back: all are forgotten, and looked up anew. */
const MOST = 16_384;

export class Memos {
  #memos = new Map<string, Memo>();
  #batch = 0;

  /**
   * The memo of a key, which is checked when it is new here.
   *
   * @throws TallystickError `INVALID_KEY`.
   */
  of(key: string): Memo {
    const known = this.#memos.get(key);
    if (known !== undefined) return known;
    const memo = new Memo(checkKey(key));
    this.#memos.set(key, memo);
    return memo;
  }

  find(key: string): Memo | undefined {
    return this.#memos.get(key);
  }

  /** The number of a new batch. Only between batches may a memo be forgotten: an open one finds its entries by them. */
  nextBatch(): number {
    if (this.#memos.size > MOST) this.#memos = new Map();
    return ++this.#batch;
  }
}
