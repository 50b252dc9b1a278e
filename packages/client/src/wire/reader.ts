/**
 * Reads protobuf messages. What is not understood is treated as the specification says: unknown fields,
 * and known ones with another wire type, are skipped; of a field that comes twice the last one counts.
 * Bytes that are no message are refused with `MALFORMED`, and so are strings that are not UTF-8.
 */
import { isUtf8 } from 'node:buffer';
import { TallystickError } from 'tallystick';
import { BYTES, VARINT } from './writer.ts';

const FIXED64 = 1;
const GROUP = 3;
const GROUP_END = 4;
const FIXED32 = 5;
/** Groups within groups of unknown fields. */
const MAX_DEPTH = 100;
const TWO_32 = 2 ** 32;
/** Up to here a loop over bytes is faster than a call into the runtime. */
const SHORT_BYTES = 24;

/** A whole number: a bigint where it is outside ±(2^53 − 1), so that whoever checks it can say what came. */
export type Int64 = number | bigint;

export class Reader {
  readonly #bytes: Buffer;
  #pos = 0;
  #end: number;
  /** Halves of the varint read last. */
  #low = 0;
  #high = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#end = bytes.length;
  }

  /** The next tag, field number × 8 + wire type; 0 at the end of the message. */
  tag(): number {
    if (this.#pos === this.#end) return 0;
    const tag = this.uint32();
    if (tag >>> 3 === 0) throw malformed('a field has the number 0', this.#pos);
    return tag;
  }

  /** An unsigned number; of a larger one the low 32 bits, as the specification says. */
  uint32(): number {
    const byte = this.#bytes[this.#pos];
    if (byte !== undefined && byte < 0x80 && this.#pos < this.#end) {
      this.#pos++;
      return byte;
    }
    this.#varint();
    return this.#low;
  }

  bool(): boolean {
    this.#varint();
    return this.#low !== 0 || this.#high !== 0;
  }

  /** A signed number, exact. */
  int64(): Int64 {
    this.#varint();
    const high = this.#high | 0;
    const value = high * TWO_32 + this.#low;
    if (Number.isSafeInteger(value)) return value;
    return BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(this.#low));
  }

  /** A signed number that must be safe. @throws TallystickError `MALFORMED`. */
  safeInt64(): number {
    const value = this.int64();
    if (typeof value === 'number') return value;
    throw malformed(`${value} is outside ±(2^53 − 1)`, this.#pos);
  }

  string(): string {
    const start = this.#length();
    return this.#ascii(start, this.#pos) ?? this.#text(start, this.#pos);
  }

  /** A message within this one, read by `read`. */
  message<Message>(read: (reader: Reader) => Message): Message {
    const end = this.#end;
    const start = this.#length();
    this.#end = this.#pos;
    this.#pos = start;
    const message = read(this);
    this.#end = end;
    return message;
  }

  /** Leaves out the field of `tag`, whose value is next. */
  skip(tag: number, depth = 0): void {
    switch (tag & 7) {
      case VARINT:
        this.#varint();
        break;
      case FIXED64:
        this.#advance(8);
        break;
      case BYTES:
        this.#length();
        break;
      case GROUP:
        this.#skipGroup(tag, depth);
        break;
      case FIXED32:
        this.#advance(4);
        break;
      default:
        throw malformed(`there is no wire type ${tag & 7} here`, this.#pos);
    }
  }

  #skipGroup(tag: number, depth: number): void {
    if (depth === MAX_DEPTH) throw malformed('groups are nested too deeply', this.#pos);
    for (let inner = this.tag(); inner !== tag - GROUP + GROUP_END; inner = this.tag()) {
      if (inner === 0) throw malformed('a group does not end', this.#pos);
      this.skip(inner, depth + 1);
    }
  }

  /** A short string whose characters are all one byte; undefined for another. */
  #ascii(start: number, end: number): string | undefined {
    if (end - start > SHORT_BYTES) return undefined;
    let text = '';
    for (let i = start; i < end; i++) {
      const byte = this.#bytes[i] as number;
      if (byte > 0x7f) return undefined;
      text += String.fromCharCode(byte);
    }
    return text;
  }

  #text(start: number, end: number): string {
    if (!isUtf8(this.#bytes.subarray(start, end))) throw malformed('a string is not UTF-8', start);
    return this.#bytes.toString('utf8', start, end);
  }

  /** Reads a length and moves behind what has it; returns where that begins. */
  #length(): number {
    const length = this.uint32();
    const start = this.#pos;
    this.#advance(length);
    return start;
  }

  #advance(bytes: number): void {
    if (bytes > this.#end - this.#pos) throw malformed('it ends within a field', this.#end);
    this.#pos += bytes;
  }

  /** Reads up to ten bytes of seven bits into the two halves. */
  #varint(): void {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.#pos === this.#end) throw malformed('it ends within a number', this.#end);
      const byte = this.#bytes[this.#pos++] as number;
      const bits = byte & 0x7f;
      if (shift < 32) low |= bits << shift;
      if (shift === 28) high |= bits >>> 4;
      if (shift > 32) high |= shift < 64 ? bits << (shift - 32) : 0;
      if (byte < 0x80) {
        this.#low = low >>> 0;
        this.#high = high >>> 0;
        return;
      }
    }
    throw malformed('a number has more than ten bytes', this.#pos);
  }
}

const malformed = (why: string, at: number): TallystickError =>
  new TallystickError('MALFORMED', `the message is not valid protobuf: ${why}, at byte ${at}`);
