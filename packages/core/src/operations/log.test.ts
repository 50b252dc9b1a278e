import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MAX_VALUE } from '../model/amount.ts';
import type { Operation } from '../model/operation.ts';
import { log, MAX_LOG_RECORDS, type Log } from './log.ts';

const WINDOW_MS = 100;
const op = (delta: number, atMs?: number): Operation => ({
  key: 'k',
  delta,
  terms: { kind: 'log', windowMs: WINDOW_MS },
  ...(atMs !== undefined && { effect: { atMs } }),
});

interface Event {
  readonly pauseMs: number;
  readonly amount: number;
  /** How long before an effect was decided; undefined for an operation. */
  readonly lateMs: number | undefined;
}

const events = fc.array(
  fc.record({
    pauseMs: fc.integer({ min: 0, max: 60 }),
    amount: fc.integer({ min: 0, max: 3 }),
    lateMs: fc.option(fc.integer({ min: -20, max: 150 }), { nil: undefined }),
  }),
  { maxLength: 40 },
);

describe('log', () => {
  it('counts exactly the events with now − t < windowMs, also those whose effects come late', () => {
    fc.assert(
      fc.property(events, fc.nat(250), (history: readonly Event[], restMs) => {
        const counted: { atMs: number; amount: number }[] = [];
        const within = (nowMs: number): number => counted.reduce((sum, e) => (nowMs - e.atMs < WINDOW_MS ? sum + e.amount : sum), 0);
        let state: Log | undefined;
        let nowMs = 1000;
        for (const { pauseMs, amount, lateMs } of history) {
          nowMs += pauseMs;
          const atMs = nowMs - (lateMs ?? 0);
          if (nowMs - atMs < WINDOW_MS) counted.push({ atMs, amount });
          const [result, next] = log.apply(state, op(amount, lateMs === undefined ? undefined : atMs), nowMs);
          assert.equal(result.value, within(nowMs));
          state = next;
        }
        const left = within(nowMs + restMs);
        assert.equal(state === undefined ? 0 : (log.read(state, nowMs + restMs) ?? 0), left);
      }),
      { numRuns: 500 },
    );
  });

  it('counts all events of one millisecond (T12), and keeps one record of them', () => {
    let state: Log | undefined;
    for (let i = 0; i < 100; i++) state = log.apply(state, op(1), 5)[1];
    assert.equal(log.read(state!, 5), 100);
    assert.equal(state!.atMs.length, 1);
  });

  it('no longer counts an event exactly windowMs after it (T11)', () => {
    const [, state] = log.apply(undefined, op(3), 50);
    assert.equal(log.expiresAtMs(state!), 150);
    assert.equal(log.read(state!, 149), 3);
    assert.equal(log.read(state!, 150), undefined);
    assert.equal(log.apply(state, op(1), 150)[0].value, 1);
  });

  it('keeps no more records than the window has milliseconds, however many events there are', () => {
    let state: Log | undefined;
    for (let t = 0; t < 5000; t++) state = log.apply(state, op(1), t)[1];
    assert.ok(state!.atMs.length <= 2 * WINDOW_MS, String(state!.atMs.length));
  });

  it('refuses amounts below 0 and totals beyond the range, unchanged, and creates nothing for 0', () => {
    const [, state] = log.apply(undefined, op(MAX_VALUE), 5);
    assert.deepEqual(log.apply(state, op(1), 6)[0], { value: MAX_VALUE, delta: 0, code: 'OUT_OF_RANGE' });
    assert.deepEqual(log.apply(undefined, op(-1), 6), [{ value: 0, delta: 0, code: 'INVALID_AMOUNT' }, undefined]);
    assert.deepEqual(log.apply(undefined, op(0), 6), [{ value: 0, delta: 0 }, undefined]);
  });

  it('refuses more records than it may keep', () => {
    const terms = { kind: 'log', windowMs: 10 * MAX_LOG_RECORDS } as const;
    const atMs = Array.from({ length: MAX_LOG_RECORDS }, (_, i) => i);
    const full: Log = { windowMs: terms.windowMs, atMs, amounts: atMs.map(() => 1), head: 0, total: MAX_LOG_RECORDS };
    const [same, state] = log.apply(full, { key: 'k', delta: 1, terms }, MAX_LOG_RECORDS - 1);
    assert.equal(same.value, MAX_LOG_RECORDS + 1);
    assert.deepEqual(log.apply(state, { key: 'k', delta: 1, terms }, MAX_LOG_RECORDS)[0], {
      value: MAX_LOG_RECORDS + 1,
      delta: 0,
      code: 'STATE_TOO_LARGE',
    });
  });
});
