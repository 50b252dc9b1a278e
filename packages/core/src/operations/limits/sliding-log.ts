/**
 * `sliding-log`: `limit` units in the last `windowMs`, each with its time.
 *
 * Promise: never more than `limit` units in any span of `windowMs`, and under any load never less than what such a
 * limit allows. One record a millisecond; only granted units are kept, so there are at most `limit` records.
 */
import type { LogRule } from '../../model/limit.ts';
import type { Meter } from './meter.ts';

/** State of a `sliding-log`: parallel columns, by rising time. */
export interface SlidingLog {
  times: number[];
  units: number[];
}

function usedOf({ times, units }: SlidingLog, { windowMs }: LogRule, nowMs: number): number {
  let used = 0;
  for (let i = times.length - 1; i >= 0 && (times[i] as number) + windowMs > nowMs; i--) used += units[i] as number;
  return used;
}

function forget(state: SlidingLog, { windowMs }: LogRule, nowMs: number): void {
  const gone = state.times.findIndex((atMs) => atMs + windowMs > nowMs);
  const from = gone < 0 ? state.times.length : gone;
  if (from === 0) return;
  state.times = state.times.slice(from);
  state.units = state.units.slice(from);
}

/** The specification of `sliding-log`. */
export const slidingLog: Meter<LogRule, SlidingLog> = {
  open: () => ({ times: [], units: [] }),
  room: (state, rule, nowMs) => Math.max(0, rule.limit - usedOf(state, rule, nowMs)),
  capacity: ({ limit }) => limit,
  fitsAtMs(state, rule, units, nowMs) {
    let used = usedOf(state, rule, nowMs);
    let fitsMs = nowMs;
    for (let i = 0; used + units > rule.limit && i < state.times.length; i++) {
      const endMs = (state.times[i] as number) + rule.windowMs;
      if (endMs <= nowMs) continue;
      used -= state.units[i] as number;
      fitsMs = endMs;
    }
    return fitsMs;
  },
  charge(state, rule, { units, atMs }, nowMs) {
    forget(state, rule, nowMs);
    if (atMs + rule.windowMs <= nowMs) return;
    const after = state.times.findLastIndex((time) => time <= atMs);
    if (after >= 0 && state.times[after] === atMs) {
      state.units[after] = (state.units[after] as number) + units;
    } else {
      state.times.splice(after + 1, 0, atMs);
      state.units.splice(after + 1, 0, units);
    }
  },
  refund(state, _rule, { units, atMs }) {
    let left = units;
    // Newest first from the time it was taken: what was taken in the same window and is not older.
    for (let i = state.times.findLastIndex((time) => time <= atMs); i >= 0 && left > 0; i--) {
      const back = Math.min(left, state.units[i] as number);
      state.units[i] = (state.units[i] as number) - back;
      left -= back;
    }
    state.times = state.times.filter((_, i) => (state.units[i] as number) > 0);
    state.units = state.units.filter((count) => count > 0);
  },
  expiresAtMs: ({ times }, { windowMs }) => (times.length === 0 ? 0 : (times.at(-1) as number) + windowMs),
};
