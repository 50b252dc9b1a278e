import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkAmount, checkDurationMs, inRange, MAX_VALUE } from './amount.ts';

const BAD = [1.5, NaN, Infinity, -Infinity, 2 ** 53, -(2 ** 53), 1e21, null, true, '', ' 1 ', '5abc', '0x10', '1e3', [], {}, 1n, undefined];

describe('checkAmount', () => {
  it('takes every integer within ±(2^53 − 1), and −0 as 0', () => {
    for (const amount of [0, 1, -3, MAX_VALUE, -MAX_VALUE]) assert.equal(checkAmount(amount), amount);
    assert.ok(Object.is(checkAmount(-0), 0));
  });

  it('refuses everything else, naming the field and what came (N09)', () => {
    for (const amount of BAD) {
      assert.throws(() => checkAmount(amount, 'items'), { code: 'INVALID_AMOUNT', field: 'items', message: /items: expected an integer/ });
    }
    assert.throws(() => checkAmount('5abc'), /delta: .*got "5abc"/);
  });
});

describe('inRange', () => {
  it('is never fooled by a sum of two safe integers that was rounded', () => {
    const amount = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(MAX_VALUE, -MAX_VALUE, MAX_VALUE - 1, 1, -1));
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        const exact = BigInt(a) + BigInt(b);
        const limit = BigInt(MAX_VALUE);
        assert.equal(inRange(a + b), exact <= limit && exact >= -limit);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('checkDurationMs', () => {
  it('takes whole milliseconds, also far beyond the 2^31 of timers (T06)', () => {
    for (const duration of [1, 2_147_483_648, 30 * 86_400_000, 1e12, MAX_VALUE]) assert.equal(checkDurationMs(duration, 'ttlMs'), duration);
  });

  it('refuses everything else, naming the field, the least and what came', () => {
    for (const duration of [...BAD, 0, -1]) {
      assert.throws(() => checkDurationMs(duration, 'ttlMs'), { code: 'INVALID_ARGUMENT', field: 'ttlMs' });
    }
    assert.throws(() => checkDurationMs(999, 'windowMs', 1000), /windowMs: .*at least 1000, got 999/);
  });
});
