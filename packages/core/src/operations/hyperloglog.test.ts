import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { estimate, MAX_RANK, placeOf, REGISTERS } from './hyperloglog.ts';

/** Estimates of `members` distinct members, as read at each of `at`. */
function estimates(prefix: string, at: readonly number[]): number[] {
  const registers = new Uint8Array(REGISTERS);
  const found: number[] = [];
  for (let i = 0, next = 0; next < at.length; i++) {
    if (i === at[next]) {
      next++;
      const histogram = new Array<number>(MAX_RANK + 1).fill(0);
      for (const rank of registers) histogram[rank]! += 1;
      found.push(estimate(histogram));
    }
    const { register, rank } = placeOf(`${prefix}${i}`);
    registers[register] = Math.max(registers[register]!, rank);
  }
  return found;
}

describe('hyperloglog', () => {
  it('is 0 for nothing and exact for a handful', () => {
    assert.deepEqual(estimates('m', [0, 1, 2, 5, 10]), [0, 1, 2, 5, 10]);
  });

  it('errs by no more than the stated standard error, from hundreds to hundreds of thousands', () => {
    const sizes = [500, 5000, 50_000, 250_000];
    const rounds = 12;
    const squares = sizes.map(() => 0);
    for (let round = 0; round < rounds; round++) {
      for (const [i, value] of estimates(`user:${round}:`, sizes).entries()) {
        const error = value / sizes[i]! - 1;
        assert.ok(Math.abs(error) < 4 * 0.0081, `${value} of ${sizes[i]}`);
        squares[i]! += error * error;
      }
    }
    for (const [i, sum] of squares.entries()) {
      assert.ok(Math.sqrt(sum / rounds) < 1.5 * 0.0081, `root mean square error at ${sizes[i]}: ${Math.sqrt(sum / rounds)}`);
    }
  });

  it('spreads members over all registers with ranks that halve', () => {
    const seen = new Set<number>();
    const ranks = new Array<number>(MAX_RANK + 1).fill(0);
    for (let i = 0; i < 200_000; i++) {
      const { register, rank } = placeOf(`k${i}`);
      seen.add(register);
      ranks[rank]! += 1;
    }
    assert.equal(seen.size, REGISTERS);
    for (let rank = 1; rank <= 6; rank++) assert.ok(Math.abs(ranks[rank]! / (200_000 / 2 ** rank) - 1) < 0.1);
    assert.equal(ranks[0], 0);
  });

  it('tells the longest members apart, whatever their bytes', () => {
    const long = (last: string): string => '\u{1f600}'.repeat(127) + last;
    assert.notDeepEqual(placeOf(long('abcd')), placeOf(long('abce')));
    assert.notDeepEqual(placeOf('caf\u00e9'), placeOf('cafe\u0301'));
  });
});
