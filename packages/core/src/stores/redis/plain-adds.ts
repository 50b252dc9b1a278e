/**
 * Plain adds as apply.lua takes them: one MessagePack array of keys and amounts in turn, all as strings, which
 * Lua's host takes apart faster than as many ARGV. A key is written and hashed in one pass: a string that is
 * put together out of pieces is walked several times before it is on its way.
 */
import { isKey, MAX_KEY_BYTES } from '../../model/key.ts';
import { ASCII_END, folded, hashBytes, HASH_MULTIPLIER } from './buckets.ts';

/** Room for the tag and length of the whole array. */
const HEAD_BYTES = 5;
/** More than one key and one amount ever take. */
const PAIR_BYTES = MAX_KEY_BYTES + 32;
const ZERO = 0x30;
const MINUS = 0x2d;

/** Written anew for each batch, and copied out at its end. */
let scratch = Buffer.allocUnsafe(1 << 16);

export class PlainAdds {
  #at = HEAD_BYTES;
  #items = 0;

  /** Writes an add and returns the hash of its key; undefined, and nothing is written, when it is no key. */
  add(key: string, delta: number): number | undefined {
    if (this.#at + PAIR_BYTES > scratch.length) scratch = Buffer.concat([scratch], scratch.length * 2);
    const hash = this.#key(key);
    if (hash === undefined) return undefined;
    this.#amount(delta);
    this.#items += 2;
    return hash;
  }

  /** Writes that another operation has its turn here. */
  skip(): void {
    if (this.#at + PAIR_BYTES > scratch.length) scratch = Buffer.concat([scratch], scratch.length * 2);
    scratch[this.#at++] = 0xa0;
    scratch[this.#at++] = 0xa0;
    this.#items += 2;
  }

  /** All that was written, in memory of its own. */
  finish(): Buffer {
    scratch[0] = 0xdd;
    scratch.writeUInt32BE(this.#items, 1);
    return Buffer.from(scratch.subarray(0, this.#at));
  }

  #key(key: string): number | undefined {
    const { length } = key;
    if (length === 0 || length > MAX_KEY_BYTES) return undefined;
    const from = length < 32 ? this.#at + 1 : this.#at + 3;
    let hash = 0;
    for (let i = 0; i < length; i++) {
      const unit = key.charCodeAt(i);
      if (unit >= ASCII_END) return this.#wideKey(key);
      scratch[from + i] = unit;
      hash = (Math.imul(hash, HASH_MULTIPLIER) + unit) | 0;
    }
    this.#head(length);
    this.#at = from + length;
    return folded(hash);
  }

  #wideKey(key: string): number | undefined {
    if (!isKey(key)) return undefined;
    const bytes = Buffer.from(key);
    this.#head(bytes.length);
    this.#at += bytes.length < 32 ? 1 : 3;
    bytes.copy(scratch, this.#at);
    this.#at += bytes.length;
    return folded(hashBytes(bytes));
  }

  /** Tag and length of a string, without moving on. */
  #head(bytes: number): void {
    if (bytes < 32) scratch[this.#at] = 0xa0 | bytes;
    else {
      scratch[this.#at] = 0xda;
      scratch.writeUInt16BE(bytes, this.#at + 1);
    }
  }

  #amount(delta: number): void {
    if (delta > 0 && delta < 10) {
      scratch[this.#at++] = 0xa1;
      scratch[this.#at++] = ZERO + delta;
      return;
    }
    const digits = String(Math.abs(delta));
    const negative = delta < 0 ? 1 : 0;
    scratch[this.#at++] = 0xa0 | (digits.length + negative);
    if (negative) scratch[this.#at++] = MINUS;
    for (let i = 0; i < digits.length; i++) scratch[this.#at++] = digits.charCodeAt(i);
  }
}
