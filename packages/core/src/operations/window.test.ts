import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MAX_VALUE } from '../model/amount.ts';
import type { Operation, WindowTerms } from '../model/operation.ts';
import { window, type Window } from './window.ts';

const minute: WindowTerms = { kind: 'window', windowMs: 60_000, slices: 60 };
const op = (delta: number, terms = minute, atMs?: number): Operation => ({
  key: 'k',
  delta,
  terms,
  ...(atMs !== undefined && { effect: { atMs } }),
});

const event = fc.record({ pauseMs: fc.nat(800), amount: fc.nat(3), lateMs: fc.nat(1500), late: fc.boolean() });
const history = fc.array(event, { maxLength: 40 });
const shape = fc.record({ windowMs: fc.integer({ min: 1000, max: 1500 }), slices: fc.integer({ min: 1, max: 13 }) });

describe('window', () => {
  it('keeps its bound: true(W) ≤ value ≤ true(W + W / slices), whatever the window and the slices', () => {
    fc.assert(
      fc.property(shape, history, fc.nat(2500), ({ windowMs, slices }, steps, restMs) => {
        const terms = { kind: 'window', windowMs, slices } as const;
        const counted: { atMs: number; amount: number }[] = [];
        const within = (nowMs: number, spanMs: number): number =>
          counted.reduce((sum, { atMs, amount }) => (nowMs - atMs < spanMs ? sum + amount : sum), 0);
        const check = (value: number, nowMs: number): void => {
          assert.ok(value >= within(nowMs, windowMs), `${value} is less than the true count of the window`);
          assert.ok(value <= within(nowMs, windowMs + windowMs / slices), `${value} is more than that of a slice more`);
        };
        let state: Window | undefined;
        let nowMs = 10_000;
        for (const { pauseMs, amount, lateMs, late } of steps) {
          nowMs += pauseMs;
          const atMs = late ? nowMs - lateMs : nowMs;
          counted.push({ atMs, amount });
          const [result, next] = window.apply(state, op(amount, terms, late ? atMs : undefined), nowMs);
          check(result.value, nowMs);
          state = next;
        }
        nowMs += restMs;
        check(state === undefined ? 0 : (window.read(state, nowMs) ?? 0), nowMs);
      }),
      { numRuns: 1000 },
    );
  });

  it('counts hits on both sides of a boundary together (T09)', () => {
    let state: Window | undefined;
    for (let i = 0; i < 5; i++) state = window.apply(state, op(1), 59_900)[1];
    for (let i = 0; i < 5; i++) state = window.apply(state, op(1), 60_100)[1];
    assert.equal(window.read(state!, 60_100), 10);
  });

  it('needs the same memory for any traffic', () => {
    let state: Window | undefined;
    for (let i = 0; i < 10_000; i++) state = window.apply(state, op(1), i * 37)[1];
    assert.equal(state!.counts.length, 61);
  });

  it('expires when nothing counts any more, and not before', () => {
    const [, state] = window.apply(undefined, op(1), 1500);
    const expiresAtMs = window.expiresAtMs(state!)!;
    assert.equal(window.read(state!, expiresAtMs - 1), 1);
    assert.equal(window.read(state!, expiresAtMs), undefined);
    const [, empty] = window.apply(state, op(0), expiresAtMs);
    assert.ok(window.expiresAtMs(empty!)! <= expiresAtMs, 'a question does not keep an empty window alive');
  });

  it('refuses amounts below 0 and totals beyond the range, unchanged, and creates nothing for 0', () => {
    const [, state] = window.apply(undefined, op(MAX_VALUE), 5);
    assert.deepEqual(window.apply(state, op(1), 6)[0], { value: MAX_VALUE, delta: 0, code: 'OUT_OF_RANGE' });
    assert.deepEqual(window.apply(undefined, op(-1), 6), [{ value: 0, delta: 0, code: 'INVALID_AMOUNT' }, undefined]);
    assert.deepEqual(window.apply(undefined, op(0), 6), [{ value: 0, delta: 0 }, undefined]);
  });
});
