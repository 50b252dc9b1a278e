/**
 * What each algorithm promises, asked of any store through the library: whatever comes, however it comes. Each check
 * throws at the first answer that breaks a promise.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createTallystick, type Calendar, type Decision, type LimitOptions, type Store } from 'tallystick';
import type { ManualClock } from 'tallystick/testing';

const WINDOW_MS = 1000;

/** A calendar whose days are as short as the other windows. */
const seconds: Calendar = (_unit, _timeZone, atMs) => [-1, 0, 1, 2].map((i) => (Math.floor(atMs / WINDOW_MS) + i) * WINDOW_MS);

/** An algorithm as it is declared, and the most units that it grants in any span of the window's length. */
export interface Shape {
  readonly name: string;
  readonly options: (limit: number) => LimitOptions;
  readonly peak: (limit: number) => number;
}

export const SHAPES: readonly Shape[] = [
  {
    name: 'fixed window from the first take',
    options: (limit) => ({ algorithm: 'fixed-window', limit, windowMs: WINDOW_MS }),
    peak: (limit) => 2 * limit,
  },
  {
    name: 'fixed window by the clock',
    options: (limit) => ({ algorithm: 'fixed-window', limit, windowMs: WINDOW_MS, align: 'clock' }),
    peak: (limit) => 2 * limit,
  },
  {
    name: 'sliding window, conservative',
    options: (limit) => ({ algorithm: 'sliding-window', limit, windowMs: WINDOW_MS, slices: 7 }),
    peak: (limit) => limit,
  },
  {
    name: 'sliding window, interpolated',
    options: (limit) => ({ algorithm: 'sliding-window', limit, windowMs: WINDOW_MS, slices: 7, mode: 'interpolated' }),
    peak: (limit) => Math.max(limit, 2 * limit - 1),
  },
  { name: 'sliding log', options: (limit) => ({ algorithm: 'sliding-log', limit, windowMs: WINDOW_MS }), peak: (limit) => limit },
  { name: 'token bucket', options: (limit) => ({ algorithm: 'token-bucket', limit, windowMs: WINDOW_MS }), peak: (limit) => 2 * limit },
  { name: 'calendar', options: (limit) => ({ algorithm: 'calendar', unit: 'day', limit }), peak: (limit) => 2 * limit },
  { name: 'concurrency', options: (limit) => ({ algorithm: 'concurrency', limit, leaseMs: WINDOW_MS }), peak: (limit) => limit },
];

/** A store that is asked, and its clock. */
export interface Asked {
  readonly store: Store;
  readonly clock: ManualClock;
}

interface Grant {
  readonly atMs: number;
  readonly units: number;
}

/** The most units granted in any span of the window's length. */
function peakOf(grants: readonly Grant[]): number {
  const spans = grants.map(({ atMs }) => grants.filter((other) => other.atMs <= atMs && other.atMs > atMs - WINDOW_MS));
  return Math.max(0, ...spans.map((span) => span.reduce((sum, { units }) => sum + units, 0)));
}

function checkAnswer({ allowed, remaining, retryAfterMs }: Decision, limit: number, cost: number): void {
  assert.ok(Number.isSafeInteger(remaining) && remaining >= 0 && remaining <= limit, `${remaining} left of ${limit}`);
  if (allowed) assert.equal(retryAfterMs, 0);
  else if (cost > limit) assert.equal(retryAfterMs, null);
  else assert.ok(retryAfterMs !== null && retryAfterMs > 0, `${retryAfterMs} ms to wait`);
}

/** Milliseconds between takes: bursts, steady streams, and around the borders of windows and slices. */
const gaps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 }), fc.constantFrom(142, 143, 999, 1000, 1001, 1143)), { minLength: 1, maxLength: 40 });

const traces = fc.record({ limit: fc.constantFrom(0, 1, 2, 3, 10), cost: fc.constantFrom(1, 1, 2), gaps, waits: fc.boolean() });
type Trace = typeof traces extends fc.Arbitrary<infer T> ? T : never;

let subjects = 0;

/** Takes along a trace; where it waits, each denial is followed by the wait it names, after which the same take is granted. */
async function follow({ store, clock }: Asked, { options, peak }: Shape, { limit, cost, gaps: given, waits }: Trace): Promise<void> {
  const { limits } = createTallystick({ store, calendar: seconds, limits: { r: options(limit) }, rememberDenialsMs: 0 });
  const subject = `trace:${subjects++}`;
  const grants: Grant[] = [];
  const take = async (): Promise<Decision> => {
    const decision = await limits.take(subject, 'r', { cost });
    checkAnswer(decision, limit, cost);
    if (decision.allowed) grants.push({ atMs: clock(), units: cost });
    return decision;
  };
  for (const gapMs of given) {
    clock.advance(gapMs);
    const { allowed, retryAfterMs } = await take();
    if (allowed || !waits || retryAfterMs === null) continue;
    clock.advance(retryAfterMs - 1);
    assert.equal((await limits.peek(subject, 'r', { cost })).allowed, false, 'a millisecond early');
    clock.advance(1);
    assert.equal((await take()).allowed, true, 'after the wait');
  }
  assert.ok(peakOf(grants) <= peak(limit), `${peakOf(grants)} of ${limit} in one window`);
}

/** Random traces, those of an attacker among them. */
export const checkTraces = (asked: Asked, shape: Shape, numRuns: number): Promise<void> =>
  fc.assert(fc.asyncProperty(traces, (trace) => follow(asked, shape, trace)), { numRuns });

/** Exactly `limit` of those who come at once are granted, in their order, combined or not. */
export async function checkEdge({ store }: Asked, { options }: Shape): Promise<void> {
  for (const limit of [0, 1, 2, 10]) {
    for (const rememberDenialsMs of [0, 1000]) {
      const { limits } = createTallystick({ store, calendar: seconds, limits: { r: options(limit) }, rememberDenialsMs });
      const subject = `edge:${subjects++}`;
      const together = await Promise.all(Array.from({ length: limit + 3 }, () => limits.take(subject, 'r')));
      assert.deepEqual(together.map(({ allowed }) => allowed), together.map((_, i) => i < limit));
      assert.deepEqual(together.map(({ remaining }) => remaining), together.map((_, i) => Math.max(0, limit - 1 - i)));
      assert.equal((await limits.take(subject, 'r')).allowed, false);
    }
  }
}

/** A take of more than is left is denied and charges nothing, of this rule or of another one asked with it. */
export async function checkDenial({ store }: Asked, { options }: Shape): Promise<void> {
  const { limits } = createTallystick({ store, calendar: seconds, limits: { r: options(10), s: options(4) }, rememberDenialsMs: 0 });
  const subject = `denial:${subjects++}`;
  assert.equal((await limits.take(subject, ['r', 's'], { cost: 4 })).remaining, 0);
  for (const rules of ['r', ['r', 's'], ['s', 'r']]) assert.equal((await limits.take(subject, rules, { cost: 7 })).allowed, false);
  assert.equal((await limits.take(subject, ['r', 's'])).rule, 's');
  assert.equal((await limits.peek(subject, 'r')).remaining, 6);
}

/** Five windows of even load: no less than slices / (slices + 1) of the limit is granted, and no more than the limit. */
export async function checkUniform({ store, clock }: Asked, { options }: Shape): Promise<void> {
  const limit = 14;
  const { limits } = createTallystick({ store, calendar: seconds, limits: { r: options(limit) }, rememberDenialsMs: 0 });
  const subject = `uniform:${subjects++}`;
  let granted = 0;
  for (let i = 0; i < 5 * 50; i++) {
    clock.advance(WINDOW_MS / 50);
    if ((await limits.take(subject, 'r')).allowed) granted++;
  }
  assert.ok(granted >= Math.floor((5 * limit * 7) / 8) && granted <= 6 * limit, `${granted} granted`);
}
