/** What the scripts answer: MessagePack, of which they use arrays, integers, strings and false. */
import type { ErrorCode } from '../../errors.ts';
import { ABSENT, type Answer, type Note, type Reading } from '../../model/answer.ts';
import { decodeRuled, decodeVerdict, type WireRules, type WireVerdict } from './wire-limits.ts';

type Packed = number | string | false | readonly Packed[];

const REPLAYED = 1;
const REPAIRED = 2;

/** Reads one value after the other. */
class Unpacker {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  next(): Packed {
    const tag = this.#bytes[this.#at++]!;
    if (tag < 0x80) return tag;
    if (tag >= 0xe0) return tag - 0x100;
    if (tag < 0xa0) return this.#array(tag & 0x0f);
    if (tag < 0xc0) return this.#text(tag & 0x1f);
    switch (tag) {
      case 0xc2: return false;
      case 0xd9: return this.#text(this.#unsigned(1));
      case 0xda: return this.#text(this.#unsigned(2));
      case 0xdc: return this.#array(this.#unsigned(2));
      case 0xdd: return this.#array(this.#unsigned(4));
      default: return this.#integer(tag);
    }
  }

  #integer(tag: number): number {
    if (tag >= 0xcc && tag <= 0xce) return this.#unsigned(1 << (tag - 0xcc));
    if (tag >= 0xd0 && tag <= 0xd2) return this.#signed(1 << (tag - 0xd0));
    const high = tag === 0xcf ? this.#unsigned(4) : this.#signed(4);
    return high * 2 ** 32 + this.#unsigned(4);
  }

  #unsigned(bytes: number): number {
    this.#at += bytes;
    return this.#bytes.readUIntBE(this.#at - bytes, bytes);
  }

  #signed(bytes: number): number {
    this.#at += bytes;
    return this.#bytes.readIntBE(this.#at - bytes, bytes);
  }

  #text(bytes: number): string {
    this.#at += bytes;
    return this.#bytes.toString('utf8', this.#at - bytes, this.#at);
  }

  #array(length: number): Packed[] {
    const items = new Array<Packed>(length);
    for (let i = 0; i < length; i++) items[i] = this.next();
    return items;
  }
}

type PackedNote = readonly [
  index: number, value: number, delta: number, code: ErrorCode | false, expiry: number | false, flags: number, verdict?: WireVerdict,
];

/** The answer that apply.lua packed; one without results when it was no longer remembered. */
export function decodeAnswer(packed: Buffer): Answer {
  if (packed.length === 0) return { atMs: 0, values: [], notes: [] };
  const [atMs, values, notes, rules] = new Unpacker(packed).next() as unknown as [number, number[], PackedNote[], WireRules?];
  if (rules !== undefined) return decodeRuled(atMs, values, rules);
  return { atMs, values, notes: notes.map(decodeNote) };
}

function decodeNote([index, value, delta, code, expiry, flags, verdict]: PackedNote): Note {
  return {
    index,
    value,
    delta,
    ...(code !== false && { code }),
    ...(expiry !== false && { expiresAtMs: expiry }),
    ...((flags & REPLAYED) !== 0 && { replayed: true }),
    ...((flags & REPAIRED) !== 0 && { repaired: true }),
    ...(verdict !== undefined && { verdict: decodeVerdict(verdict) }),
  };
}

/** The readings that read.lua packed. */
export function decodeReadings(packed: Buffer): Reading[] {
  const items = new Unpacker(packed).next() as Packed[];
  return Array.from({ length: items.length / 2 }, (_, i) => decodeReading(items[2 * i]!, items[2 * i + 1]!));
}

/** The totals that totals.lua packed, and of how many buckets they are. */
export function decodeTotals(packed: Buffer): { read: number; totals: [string, number][] } {
  const items = new Unpacker(packed).next() as Packed[];
  const totals = Array.from({ length: (items.length - 1) / 2 }, (_, i): [string, number] => [items[2 * i + 1] as string, items[2 * i + 2] as number]);
  return { read: items[0] as number, totals };
}

function decodeReading(value: Packed, leftMs: Packed): Reading {
  if (typeof value !== 'number') return ABSENT;
  return typeof leftMs === 'number' ? { value, found: true, ttlMs: leftMs } : { value, found: true };
}
