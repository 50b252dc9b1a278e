/** As much of MessagePack as records are made of: arrays, strings and integers within ±(2^53 − 1). */
import { isUtf8 } from 'node:buffer';

const WORD = 2 ** 32;
/** What a decoder puts in place of bytes that are no UTF-8. */
const REPLACEMENT = '\ufffd';

/** Reads one value after the other. Everything throws an `Error` that says what was expected and where. */
export class Unpacker {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Whether nothing is left. */
  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** The number of items of the array that begins here. */
  arrayLength(): number {
    const tag = this.#tag();
    if (tag >= 0x90 && tag <= 0x9f) return tag & 0x0f;
    if (tag === 0xdc) return this.#unsigned(2);
    if (tag === 0xdd) return this.#unsigned(4);
    throw this.#unexpected('an array', tag);
  }

  /** A string. */
  text(): string {
    const tag = this.#tag();
    if (tag >= 0xa0 && tag <= 0xbf) return this.#text(tag & 0x1f);
    if (tag >= 0xd9 && tag <= 0xdb) return this.#text(this.#unsigned(1 << (tag - 0xd9)));
    throw this.#unexpected('a string', tag);
  }

  /** An integer within ±(2^53 − 1). */
  integer(): number {
    const tag = this.#tag();
    if (tag < 0x80) return tag;
    if (tag >= 0xe0) return tag - 0x100;
    if (tag >= 0xcc && tag <= 0xce) return this.#unsigned(1 << (tag - 0xcc));
    if (tag >= 0xd0 && tag <= 0xd2) return this.#signed(1 << (tag - 0xd0));
    if (tag !== 0xcf && tag !== 0xd3) throw this.#unexpected('an integer', tag);
    const high = tag === 0xcf ? this.#unsigned(4) : this.#signed(4);
    const value = high * WORD + this.#unsigned(4);
    if (Number.isSafeInteger(value)) return value;
    throw new Error(`expected an integer within ±(2^53 − 1) at byte ${this.#at - 8}`);
  }

  #tag(): number {
    return this.#bytes[this.#take(1)] ?? 0;
  }

  /** Moves on by `length` bytes; returns where they begin. */
  #take(length: number): number {
    const from = this.#at;
    if (from + length > this.#bytes.length) throw new Error(`expected ${length} more bytes at byte ${from}, got ${this.#bytes.length - from}`);
    this.#at = from + length;
    return from;
  }

  #unsigned(length: number): number {
    return this.#bytes.readUIntBE(this.#take(length), length);
  }

  #signed(length: number): number {
    return this.#bytes.readIntBE(this.#take(length), length);
  }

  #text(length: number): string {
    const from = this.#take(length);
    const text = this.#bytes.toString('utf8', from, this.#at);
    if (text.includes(REPLACEMENT) && !isUtf8(this.#bytes.subarray(from, this.#at))) throw new Error(`expected UTF-8 at byte ${from}`);
    return text;
  }

  #unexpected(expected: string, tag: number): Error {
    return new Error(`expected ${expected} at byte ${this.#at - 1}, got 0x${tag.toString(16).padStart(2, '0')}`);
  }
}

const FIRST_CAPACITY = 256;

/** Writes one value after the other. */
export class Packer {
  #bytes = Buffer.allocUnsafe(FIRST_CAPACITY);
  #at = 0;

  array(length: number): void {
    if (length < 0x10) this.#tagged(0x90 | length, 0, 0);
    else if (length < 0x10000) this.#tagged(0xdc, length, 2);
    else this.#tagged(0xdd, length, 4);
  }

  text(text: string): void {
    const length = Buffer.byteLength(text);
    if (length < 0x20) this.#tagged(0xa0 | length, 0, 0);
    else if (length < 0x100) this.#tagged(0xd9, length, 1);
    else this.#tagged(0xda, length, 2);
    this.#reserve(length);
    this.#at += this.#bytes.write(text, this.#at);
  }

  /** An integer within ±(2^53 − 1), in as few bytes as it takes. */
  integer(value: number): void {
    if (value < 0) this.#negative(value);
    else if (value < 0x80) this.#tagged(value, 0, 0);
    else if (value < 0x100) this.#tagged(0xcc, value, 1);
    else if (value < 0x10000) this.#tagged(0xcd, value, 2);
    else if (value < WORD) this.#tagged(0xce, value, 4);
    else this.#long(0xcf, value);
  }

  /** What was written; the packer is empty then. */
  finish(): Buffer {
    const packed = Buffer.from(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
    return packed;
  }

  #negative(value: number): void {
    if (value >= -0x20) this.#tagged(value & 0xff, 0, 0);
    else if (value >= -0x80) this.#tagged(0xd0, value & 0xff, 1);
    else if (value >= -0x8000) this.#tagged(0xd1, value & 0xffff, 2);
    else if (value >= -0x80000000) this.#tagged(0xd2, value >>> 0, 4);
    else this.#long(0xd3, value);
  }

  #tagged(tag: number, value: number, length: number): void {
    this.#reserve(1 + length);
    this.#bytes[this.#at++] = tag;
    if (length > 0) this.#at = this.#bytes.writeUIntBE(value, this.#at, length);
  }

  #long(tag: number, value: number): void {
    const high = Math.floor(value / WORD);
    this.#tagged(tag, high >>> 0, 4);
    this.#reserve(4);
    this.#at = this.#bytes.writeUInt32BE(value - high * WORD, this.#at);
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(2 * (this.#at + length));
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }
}
