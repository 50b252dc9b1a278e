/**
 * `sliding-window`: `limit` units in the last `windowMs`, in `slices + 1` sub-counters aligned to the epoch.
 *
 * - `conservative` counts every slice that the window touches in full. Promise: never more than `limit` units in any
 *   span of `windowMs`, whatever the attack. Under uniform load at least `limit × slices / (slices + 1)` are granted.
 * - `interpolated` counts the oldest slice by the part of it that is still inside, rounded up, as if its units had
 *   come evenly (Cloudflare's counter, with any number of slices). Promise: under uniform load `limit`, up to one; an
 *   attacker who takes all at the end of a slice gets less than 2 × `limit` in a span of `windowMs`.
 */
import type { SlicesRule } from '../../model/limit.ts';
import { sliceOf } from '../window.ts';
import { firstAt, type Meter } from './meter.ts';

/** State of a `sliding-window`: a ring, slice number modulo its length. */
export interface SlidingWindow {
  readonly counts: number[];
  /** Number of the newest slice in the ring. */
  newest: number;
}

const numberOf = ({ windowMs, slices }: SlicesRule, atMs: number): number => sliceOf(atMs, windowMs, slices);
const endOf = ({ windowMs, slices }: SlicesRule, slice: number): number => Math.ceil(((slice + slices + 1) * windowMs) / slices);

/** What counts of the oldest slice that the window touches. */
function oldestPart(count: number, { windowMs, slices, mode }: SlicesRule, nowMs: number): number {
  if (mode === 'conservative') return count;
  const passed = nowMs * slices - sliceOf(nowMs, windowMs, slices) * windowMs;
  return Math.ceil((count * (windowMs - passed)) / windowMs);
}

function usedOf({ counts, newest }: SlidingWindow, rule: SlicesRule, nowMs: number): number {
  const size = rule.slices + 1;
  const oldest = numberOf(rule, nowMs) - rule.slices;
  let used = 0;
  for (let slice = Math.max(oldest, newest - rule.slices, 0); slice <= newest; slice++) {
    const count = counts[slice % size] as number;
    used += slice === oldest ? oldestPart(count, rule, nowMs) : count;
  }
  return used;
}

function advance(state: SlidingWindow, rule: SlicesRule, slice: number): void {
  const size = rule.slices + 1;
  for (let passed = Math.max(state.newest + 1, slice - rule.slices); passed <= slice; passed++) state.counts[passed % size] = 0;
  state.newest = Math.max(state.newest, slice);
}

/** The newest slice with anything in it. */
function lastUsed({ counts, newest }: SlidingWindow): number | undefined {
  for (let slice = newest; slice > newest - counts.length && slice >= 0; slice--) if ((counts[slice % counts.length] as number) > 0) return slice;
  return undefined;
}

/** The specification of `sliding-window`. */
export const slidingWindow: Meter<SlicesRule, SlidingWindow> = {
  open: ({ slices }) => ({ counts: new Array<number>(slices + 1).fill(0), newest: 0 }),
  room: (state, rule, nowMs) => Math.max(0, rule.limit - usedOf(state, rule, nowMs)),
  capacity: ({ limit }) => limit,
  fitsAtMs(state, rule, units, nowMs) {
    const lastMs = Math.max(nowMs, endOf(rule, state.newest));
    return firstAt(nowMs, lastMs, (atMs) => usedOf(state, rule, atMs) + units <= rule.limit);
  },
  charge(state, rule, { units, atMs }, nowMs) {
    advance(state, rule, numberOf(rule, nowMs));
    const slice = numberOf(rule, atMs);
    const at = slice % (rule.slices + 1);
    if (slice >= state.newest - rule.slices) state.counts[at] = (state.counts[at] as number) + units;
  },
  refund(state, rule, { units, atMs }) {
    const slice = numberOf(rule, atMs);
    const at = slice % (rule.slices + 1);
    if (slice <= state.newest && slice >= state.newest - rule.slices) state.counts[at] = Math.max(0, (state.counts[at] as number) - units);
  },
  expiresAtMs(state, rule) {
    const last = lastUsed(state);
    return last === undefined ? 0 : endOf(rule, last);
  },
};
