/**
 * Writes protobuf messages. All messages are written into one buffer that grows to the largest of them and
 * is used again, so writing allocates nothing but the result. A field with its default value is not
 * written, as proto3 prescribes for fields without presence.
 */

/** Wire type of a varint, as in the low three bits of a tag. */
export const VARINT = 0;
/** Wire type of a string or message: its length, then its bytes. */
export const BYTES = 2;

const FIRST_CAPACITY = 4096;
/** Above this, a message's buffer is given back after it. */
const KEPT_CAPACITY = 1 << 20;
/** Most bytes of a tag or a varint. */
const MAX_VARINT_BYTES = 10;
const TWO_32 = 2 ** 32;
/** Up to here a loop over characters is faster than a call into the runtime. */
const SHORT_CHARACTERS = 48;

export class Writer {
  #buffer = Buffer.allocUnsafe(FIRST_CAPACITY);
  #pos = 0;

  /** How many bytes the message has so far. */
  get length(): number {
    return this.#pos;
  }

  /** Returns the message and starts the next one. */
  finish(): Buffer {
    const message = Buffer.from(this.#buffer.subarray(0, this.#pos));
    this.reset();
    return message;
  }

  /** Drops what was written. */
  reset(): void {
    this.#pos = 0;
    if (this.#buffer.length > KEPT_CAPACITY) this.#buffer = Buffer.allocUnsafe(FIRST_CAPACITY);
  }

  /** An unsigned number below 2^32, or an enum. */
  uint32(field: number, value: number): void {
    if (value !== 0) this.#presentUint32(field, value);
  }

  /** The same for a field with presence. */
  optionalUint32(field: number, value: number | undefined): void {
    if (value !== undefined) this.#presentUint32(field, value);
  }

  bool(field: number, value: boolean): void {
    if (value) this.#presentUint32(field, 1);
  }

  /** A whole number within ±(2^53 − 1). */
  int64(field: number, value: number): void {
    if (value !== 0) this.optionalInt64(field, value);
  }

  /** The same for a field with presence. */
  optionalInt64(field: number, value: number | undefined): void {
    if (value === undefined) return;
    this.#reserve(2 * MAX_VARINT_BYTES);
    this.#varint(field << 3);
    if (value >= 0 && value < TWO_32) this.#varint(value);
    else this.#varint64(value);
  }

  string(field: number, value: string): void {
    if (value !== '') this.optionalString(field, value);
  }

  /** The same for a field with presence. */
  optionalString(field: number, value: string | undefined): void {
    if (value === undefined) return;
    this.#reserve(2 * MAX_VARINT_BYTES + value.length * 3);
    this.#varint((field << 3) | BYTES);
    if (value.length > SHORT_CHARACTERS || !this.#ascii(value)) this.#text(value);
  }

  /** A message within this one, written by `write`. */
  message<Message>(field: number, message: Message, write: (writer: Writer, message: Message) => void): void {
    this.#reserve(MAX_VARINT_BYTES);
    this.#varint((field << 3) | BYTES);
    const start = ++this.#pos;
    write(this, message);
    const length = this.#pos - start;
    if (length > 0x7f) this.#widen(start, length);
    else this.#buffer[start - 1] = length;
  }

  /** Messages of a repeated field. */
  repeated<Message>(field: number, messages: readonly Message[], write: (writer: Writer, message: Message) => void): void {
    for (const message of messages) this.message(field, message, write);
  }

  #presentUint32(field: number, value: number): void {
    this.#reserve(2 * MAX_VARINT_BYTES);
    this.#varint(field << 3);
    this.#varint(value);
  }

  /** Writes a short string whose characters are all one byte; undoes and returns false when one is not. */
  #ascii(value: string): boolean {
    const buffer = this.#buffer;
    const start = this.#pos;
    let pos = start + 1;
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i);
      if (unit > 0x7f) return false;
      buffer[pos++] = unit;
    }
    buffer[start] = value.length;
    this.#pos = pos;
    return true;
  }

  #text(value: string): void {
    this.#varint(Buffer.byteLength(value));
    this.#pos += this.#buffer.write(value, this.#pos);
  }

  /** Makes room for a length of more than one byte before a message that was written after one. */
  #widen(start: number, length: number): void {
    const extra = length < 1 << 14 ? 1 : length < 1 << 21 ? 2 : length < 1 << 28 ? 3 : 4;
    this.#reserve(extra);
    this.#buffer.copyWithin(start + extra, start, start + length);
    this.#pos = start - 1;
    this.#varint(length);
    this.#pos += length;
  }

  /** A number below 2^32, seven bits a byte, the lowest first. */
  #varint(value: number): void {
    const buffer = this.#buffer;
    let pos = this.#pos;
    let rest = value;
    while (rest > 0x7f) {
      buffer[pos++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    buffer[pos++] = rest;
    this.#pos = pos;
  }

  /** A whole number of either sign as 64 bits of two's complement, in two halves of 32. */
  #varint64(value: number): void {
    const buffer = this.#buffer;
    let pos = this.#pos;
    let high = Math.floor(value / TWO_32) >>> 0;
    let low = value >>> 0;
    while (high !== 0 || low > 0x7f) {
      buffer[pos++] = (low & 0x7f) | 0x80;
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    buffer[pos++] = low;
    this.#pos = pos;
  }

  #reserve(bytes: number): void {
    const needed = this.#pos + bytes;
    if (needed <= this.#buffer.length) return;
    const wide = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(wide, 0, 0, this.#pos);
    this.#buffer = wide;
  }
}
