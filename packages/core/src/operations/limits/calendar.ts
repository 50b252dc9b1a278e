/**
 * `calendar`: `limit` units in each window of a calendar, such as a day in Berlin.
 *
 * Promise: never more than `limit` units in one window. Across the border of two windows an attacker gets at most
 * 2 × `limit`. A window is as long as its calendar says: a day has 23 or 25 hours where clocks are put forward or back.
 *
 * Where windows begin comes with the rule, because a store knows no calendar; which of them it is, the store's clock
 * says. A take at a time that lies in none of them is refused and asked again with others ({@link isOutside}).
 */
import type { CalendarRule, LimitRule } from '../../model/limit.ts';
import type { Meter } from './meter.ts';

/** State of a `calendar`: the newest window that something was taken in. */
export interface CalendarWindow {
  startMs: number;
  endMs: number;
  used: number;
}

/** Which window a time lies in; undefined for none of those that are known. */
function windowAt({ edges }: CalendarRule, atMs: number): readonly [startMs: number, endMs: number] | undefined {
  const next = edges.findIndex((edgeMs) => edgeMs > atMs);
  return next > 0 ? [edges[next - 1] as number, edges[next] as number] : undefined;
}

/** Whether any of the rules is a calendar that does not reach to `nowMs`. */
export const isOutside = (rules: readonly LimitRule[], nowMs: number): boolean =>
  rules.some((rule) => rule.algorithm === 'calendar' && windowAt(rule, nowMs) === undefined);

const usedOf = ({ endMs, used }: CalendarWindow, nowMs: number): number => (nowMs < endMs ? used : 0);

/** The specification of `calendar`. */
export const calendar: Meter<CalendarRule, CalendarWindow> = {
  open: () => ({ startMs: 0, endMs: 0, used: 0 }),
  room: (state, { limit }, nowMs) => Math.max(0, limit - usedOf(state, nowMs)),
  capacity: ({ limit }) => limit,
  fitsAtMs: (state, { limit }, units, nowMs) => (usedOf(state, nowMs) + units <= limit ? nowMs : state.endMs),
  charge(state, rule, { units, atMs }, nowMs) {
    if (nowMs >= state.endMs) {
      const window = windowAt(rule, atMs);
      if (window === undefined || window[1] <= nowMs) return;
      [state.startMs, state.endMs] = window;
      state.used = 0;
    }
    if (atMs >= state.startMs) state.used += units;
  },
  refund(state, _, { units, atMs }, nowMs) {
    if (nowMs < state.endMs && atMs >= state.startMs) state.used = Math.max(0, state.used - units);
  },
  expiresAtMs: ({ used, endMs }) => (used === 0 ? 0 : endMs),
};
