/**
 * HyperLogLog (Flajolet et al. 2007): 2^14 registers, each the highest rank of any member that fell on it.
 * The standard error is 1.04 / √2^14 = 0.81 %. The estimator is that of Ertl 2017 (arXiv:1702.01284,
 * algorithm 6), which needs no empirical correction from zero to 2^50 members. Hash, ranks and estimator
 * are those of Redis, so the same members give the same number as PFADD and PFCOUNT.
 */
import { MAX_KEY_BYTES } from '../model/key.ts';
import { murmur64 } from './murmur.ts';

const INDEX_BITS = 14;
const SEED = 0xadc83b19;
/** 1 / (2 ln 2). */
const ALPHA = 0.7213475204444817;

/** Number of registers. */
export const REGISTERS = 2 ** INDEX_BITS;
/** The highest rank: the other 50 bits of the hash are all zero. */
export const MAX_RANK = 64 - INDEX_BITS + 1;

const encoder = new TextEncoder();
const bytes = new Uint8Array(MAX_KEY_BYTES);

/** Zero bits below the lowest one; `bits` is not 0. */
const trailingZeros = (bits: number): number => 31 - Math.clz32(bits & -bits);

/** On which register a member of at most `MAX_KEY_BYTES` falls, and with which rank, 1 to `MAX_RANK`. */
export function placeOf(member: string): { readonly register: number; readonly rank: number } {
  const { written } = encoder.encodeInto(member, bytes);
  const { hi, lo } = murmur64(bytes, written, SEED);
  const register = lo & (REGISTERS - 1);
  const rest = lo >>> INDEX_BITS;
  if (rest !== 0) return { register, rank: 1 + trailingZeros(rest) };
  return { register, rank: hi === 0 ? MAX_RANK : 33 - INDEX_BITS + trailingZeros(hi) };
}

function sigma(x: number): number {
  if (x === 1) return Infinity;
  let sum = x;
  for (let power = x, weight = 1, before = NaN; before !== sum; weight *= 2) {
    power *= power;
    before = sum;
    sum += power * weight;
  }
  return sum;
}

function tau(x: number): number {
  if (x === 0 || x === 1) return 0;
  let sum = 1 - x;
  for (let root = x, weight = 0.5, before = NaN; before !== sum; weight /= 2) {
    root = Math.sqrt(root);
    before = sum;
    sum -= (1 - root) ** 2 * weight;
  }
  return sum / 3;
}

/** The number of members, from how many registers have each rank, 0 to `MAX_RANK`. */
export function estimate(histogram: readonly number[]): number {
  const count = (rank: number): number => histogram[rank] ?? 0;
  let z = REGISTERS * tau(1 - count(MAX_RANK) / REGISTERS);
  for (let rank = MAX_RANK - 1; rank >= 1; rank--) z = (z + count(rank)) / 2;
  z += REGISTERS * sigma(count(0) / REGISTERS);
  return Math.round((ALPHA * REGISTERS * REGISTERS) / z);
}
