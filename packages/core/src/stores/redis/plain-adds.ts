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

const FIRST_BYTES = 1 << 14;
/** An array without items. */
const NOTHING = Buffer.from([0x90]);

/** Writes one batch after the other, each into the same memory, and copies it out at its end. */
export class PlainAdds {
  #scratch = Buffer.allocUnsafe(FIRST_BYTES);
  #at = HEAD_BYTES;
  #items = 0;

  /** Writes an add and returns the hash of its key; undefined, and nothing is written, when it is no key. */
  add(key: string, delta: number): number | undefined {
    this.#makeRoom();
    const hash = this.#key(key);
    if (hash !== undefined) this.#amount(delta);
    return hash;
  }

  /** Writes an add to a slot, given as BITFIELD takes it. */
  addToSlot(slot: string, delta: number): void {
    this.#makeRoom();
    this.#short(slot);
    this.#amount(delta);
  }

  /** Writes an add as the outbox has it: its key, which is one, and its amount as an integer. */
  addEntry(key: string, delta: number): void {
    this.#makeRoom();
    this.#key(key);
    this.#integer(delta);
  }

  /** Writes a text of less than 32 ASCII characters, as what follows is about. */
  put(text: string): void {
    this.#makeRoom();
    this.#items++;
    this.#short(text);
  }

  /** Puts a whole number in, from 0 on. */
  putNumber(number: number): void {
    this.#makeRoom();
    this.#items++;
    if (number < 0x80) {
      this.#scratch[this.#at++] = number;
    } else {
      this.#scratch[this.#at++] = 0xcb;
      this.#at = this.#scratch.writeDoubleBE(number, this.#at);
    }
  }

  /** Takes back all that was written since {@link finish}. */
  discard(): void {
    this.#at = HEAD_BYTES;
    this.#items = 0;
  }

  /** All that was written, in memory of its own. What is written next begins another array. */
  finish(): Buffer {
    if (this.#items === 0) return NOTHING;
    this.#scratch[0] = 0xdd;
    this.#scratch.writeUInt32BE(this.#items, 1);
    const written = Buffer.from(this.#scratch.subarray(0, this.#at));
    this.discard();
    return written;
  }

  #makeRoom(): void {
    if (this.#at + PAIR_BYTES > this.#scratch.length) this.#scratch = Buffer.concat([this.#scratch], this.#scratch.length * 2);
  }

  #key(key: string): number | undefined {
    const { length } = key;
    if (length === 0 || length > MAX_KEY_BYTES) return undefined;
    const from = length < 32 ? this.#at + 1 : this.#at + 3;
    let hash = 0;
    for (let i = 0; i < length; i++) {
      const unit = key.charCodeAt(i);
      if (unit >= ASCII_END) return this.#wideKey(key);
      this.#scratch[from + i] = unit;
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
    bytes.copy(this.#scratch, this.#at);
    this.#at += bytes.length;
    return folded(hashBytes(bytes));
  }

  /** Tag and length of a string, without moving on. */
  #head(bytes: number): void {
    if (bytes < 32) this.#scratch[this.#at] = 0xa0 | bytes;
    else {
      this.#scratch[this.#at] = 0xda;
      this.#scratch.writeUInt16BE(bytes, this.#at + 1);
    }
  }

  #amount(delta: number): void {
    this.#items += 2;
    if (delta > 0 && delta < 10) {
      this.#scratch[this.#at++] = 0xa1;
      this.#scratch[this.#at++] = ZERO + delta;
    } else {
      this.#short(String(delta));
    }
  }

  #integer(value: number): void {
    this.#items += 2;
    if (value >= 0 && value < 0x80) {
      this.#scratch[this.#at++] = value;
    } else if (value === (value | 0)) {
      this.#scratch[this.#at++] = 0xd2;
      this.#at = this.#scratch.writeInt32BE(value, this.#at);
    } else {
      this.#scratch[this.#at++] = 0xd3;
      this.#at = this.#scratch.writeBigInt64BE(BigInt(value), this.#at);
    }
  }

  /** A string of less than 32 ASCII characters. */
  #short(text: string): void {
    this.#scratch[this.#at++] = 0xa0 | text.length;
    for (let i = 0; i < text.length; i++) this.#scratch[this.#at++] = text.charCodeAt(i);
  }
}
