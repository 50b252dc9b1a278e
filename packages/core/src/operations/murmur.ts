/**
 * MurmurHash64A (Austin Appleby, public domain), as Redis uses it for PFADD: a sketch here and one there
 * that saw the same members hold the same registers. 64-bit words are kept as two 32-bit halves, because
 * BigInt arithmetic is about thirty times slower and allocates.
 */

/** 64 bits: `hi` and `lo` as signed 32-bit integers. */
export interface Word {
  hi: number;
  lo: number;
}

/** The multiplier 0xc6a4a7935bd1e995, and its low half in 16-bit digits. */
const M_HI = 0xc6a4a793 | 0;
const M_LO = 0x5bd1e995;
const DIGIT_1 = M_LO >>> 16;
const DIGIT_0 = M_LO & 0xffff;

/** word × M modulo 2^64. No intermediate reaches 2^32, so every one is exact. */
function multiply(word: Word): void {
  const { hi, lo } = word;
  const upper = lo >>> 16;
  const lower = lo & 0xffff;
  const low = lower * DIGIT_0;
  const middle = upper * DIGIT_0 + (low >>> 16);
  const middle2 = lower * DIGIT_1 + (middle & 0xffff);
  const high = upper * DIGIT_1 + (middle >>> 16) + (middle2 >>> 16);
  word.lo = (middle2 << 16) | (low & 0xffff);
  word.hi = (high + Math.imul(hi, M_LO) + Math.imul(lo, M_HI)) | 0;
}

/** word ^= word >>> 47. */
function fold(word: Word): void {
  word.lo ^= word.hi >>> 15;
}

/** Up to eight bytes from `from`, little endian. */
function wordAt(bytes: Uint8Array, from: number, to: number): Word {
  const word = { hi: 0, lo: 0 };
  for (let i = from; i < to; i++) {
    const byte = bytes[i] as number;
    if (i - from < 4) word.lo |= byte << (8 * (i - from));
    else word.hi |= byte << (8 * (i - from - 4));
  }
  return word;
}

/** The hash of the first `length` bytes. `seed` is a 32-bit number. */
export function murmur64(bytes: Uint8Array, length: number, seed: number): Word {
  const hash = { hi: 0, lo: length };
  multiply(hash);
  hash.lo ^= seed;
  const whole = length - (length % 8);
  for (let i = 0; i < whole; i += 8) {
    const word = wordAt(bytes, i, i + 8);
    multiply(word);
    fold(word);
    multiply(word);
    hash.hi ^= word.hi;
    hash.lo ^= word.lo;
    multiply(hash);
  }
  if (whole < length) {
    const rest = wordAt(bytes, whole, length);
    hash.hi ^= rest.hi;
    hash.lo ^= rest.lo;
    multiply(hash);
  }
  fold(hash);
  multiply(hash);
  fold(hash);
  return hash;
}
