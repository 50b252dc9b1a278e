/**
 * `window`: the count of events in the last `windowMs`, in constant memory.
 *
 * Time is cut into slices of `windowMs / slices`, aligned to the epoch; each slice has a sub-counter and
 * the value is the sum of the slices that the window (now − windowMs, now] touches. So the value is never
 * less than the true count of the last `windowMs`, and never more than that of the last
 * `windowMs + windowMs / slices`.
 */
import { inRange } from '../model/amount.ts';
import type { Result } from '../model/answer.ts';
import type { Operation, WindowTerms } from '../model/operation.ts';
import type { Strategy } from './strategy.ts';

/** State of a `window`: a ring of `slices + 1` sub-counters, slice number modulo its length. */
export interface Window {
  readonly windowMs: number;
  readonly slices: number;
  readonly counts: number[];
  /** Number of the newest slice in the ring. */
  newest: number;
  total: number;
}

/** Number of the slice that holds `atMs`. */
export const sliceOf = (atMs: number, windowMs: number, slices: number): number => Math.floor((atMs * slices) / windowMs);

function open(windowMs: number, slices: number): Window {
  return { windowMs, slices, counts: new Array<number>(slices + 1).fill(0), newest: 0, total: 0 };
}

/** Moves the ring on so that `slice` is in it; what falls out is no longer counted. */
function advance(state: Window, slice: number): void {
  if (slice <= state.newest) return;
  const size = state.slices + 1;
  if (slice - state.newest >= size) {
    state.counts.fill(0);
    state.total = 0;
  } else {
    for (let passed = state.newest + 1; passed <= slice; passed++) {
      state.total -= state.counts[passed % size] ?? 0;
      state.counts[passed % size] = 0;
    }
  }
  state.newest = slice;
}

function apply(given: Window | undefined, op: Operation, nowMs: number): readonly [Result, Window | undefined] {
  const { windowMs, slices } = op.terms as WindowTerms;
  const state = given ?? open(windowMs, slices);
  advance(state, sliceOf(nowMs, windowMs, slices));
  const slice = sliceOf(op.effect?.atMs ?? nowMs, windowMs, slices);
  if (op.delta === 0 || slice < state.newest - slices) return [{ value: state.total, delta: 0 }, given];
  if (op.delta < 0) return [{ value: state.total, delta: 0, code: 'INVALID_AMOUNT' }, given];
  if (!inRange(state.total + op.delta)) return [{ value: state.total, delta: 0, code: 'OUT_OF_RANGE' }, given];
  advance(state, slice);
  state.counts[slice % (slices + 1)] = (state.counts[slice % (slices + 1)] ?? 0) + op.delta;
  state.total += op.delta;
  return [{ value: state.total, delta: op.delta }, state];
}

function read(state: Window, nowMs: number): number | undefined {
  const size = state.slices + 1;
  const passed = sliceOf(nowMs, state.windowMs, state.slices) - state.newest;
  if (passed >= size) return undefined;
  let value = state.total;
  for (let i = 1; i <= passed; i++) value -= state.counts[(state.newest + i) % size] ?? 0;
  return value === 0 ? undefined : value;
}

/** The specification of `window`. */
export const window: Strategy<Window> = {
  apply,
  read,
  expiresAtMs: ({ total, newest, slices, windowMs }) => (total === 0 ? 0 : Math.ceil(((newest + slices + 1) * windowMs) / slices)),
  variant: (terms) => `${(terms as WindowTerms).windowMs}/${(terms as WindowTerms).slices}`,
};
