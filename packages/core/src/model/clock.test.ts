import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { steadyClock } from './clock.ts';

describe('steadyClock', () => {
  it('goes at the pace of the raw clock and never back, wherever that is set (T07)', () => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.array(fc.integer({ min: -90_000_000, max: 90_000_000 })), (startMs, steps) => {
        let rawMs = startMs;
        const clock = steadyClock(() => rawMs);
        let beforeMs = clock();
        for (const step of steps) {
          rawMs += step;
          const nowMs = clock();
          assert.equal(nowMs - beforeMs, Math.max(0, step));
          beforeMs = nowMs;
        }
      }),
    );
  });

  it('goes on after a time it is given from before', () => {
    let rawMs = 1000;
    const clock = steadyClock(() => rawMs, 5000);
    assert.equal(clock(), 5000);
    rawMs += 10;
    assert.equal(clock(), 5010);
    assert.equal(steadyClock(() => 9000, 5000)(), 9000);
  });

  it('gives whole milliseconds', () => {
    assert.equal(steadyClock(() => 12.9)(), 12);
  });
});
