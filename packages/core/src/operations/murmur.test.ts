import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { murmur64 } from './murmur.ts';

const MASK = (1n << 64n) - 1n;
const M = 0xc6a4a7935bd1e995n;
const fold = (word: bigint): bigint => word ^ (word >> 47n);
const times = (word: bigint): bigint => (word * M) & MASK;
const wordOf = (bytes: Uint8Array): bigint => bytes.reduceRight((word, byte) => (word << 8n) | BigInt(byte), 0n);

/** The published algorithm, word for word, in BigInt. */
function reference(bytes: Uint8Array, seed: bigint): bigint {
  let hash = seed ^ times(BigInt(bytes.length));
  const whole = bytes.length - (bytes.length % 8);
  for (let i = 0; i < whole; i += 8) {
    hash = times(hash ^ times(fold(times(wordOf(bytes.subarray(i, i + 8))))));
  }
  if (whole < bytes.length) hash = times(hash ^ wordOf(bytes.subarray(whole)));
  return fold(times(fold(hash)));
}

const asBigInt = ({ hi, lo }: { hi: number; lo: number }): bigint => (BigInt(hi >>> 0) << 32n) | BigInt(lo >>> 0);

describe('murmur64', () => {
  it('agrees with the published algorithm for any bytes and any seed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), fc.nat(0xffffffff), (bytes, seed) => {
        assert.equal(asBigInt(murmur64(bytes, bytes.length, seed)), reference(bytes, BigInt(seed)));
      }),
      { numRuns: 2000 },
    );
  });

  it('reads no byte beyond the length', () => {
    const bytes = new Uint8Array(20).fill(255);
    assert.equal(asBigInt(murmur64(bytes, 11, 7)), reference(bytes.subarray(0, 11), 7n));
  });
});
