/**
 * `fixed-window`: `limit` units in each window.
 *
 * Promise: never more than `limit` units in one window. In a span of `windowMs` that lies across the border of two
 * windows an attacker gets at most 2 × `limit`; under uniform load it is `limit`. Windows of the alignment `first`
 * begin at a take, so that no border is known before.
 */
import type { FixedRule } from '../../model/limit.ts';
import type { Meter } from './meter.ts';

/** State of a `fixed-window`: the newest window that something was taken in. */
export interface FixedWindow {
  startMs: number;
  used: number;
}

const isOpen = (state: FixedWindow, { windowMs }: FixedRule, nowMs: number): boolean => nowMs < state.startMs + windowMs;
const usedOf = (state: FixedWindow, rule: FixedRule, nowMs: number): number => (isOpen(state, rule, nowMs) ? state.used : 0);
const startOf = ({ align, windowMs }: FixedRule, atMs: number): number => (align === 'first' ? atMs : atMs - (atMs % windowMs));

/** What is charged late had no window that is known here: less than a window ago counts, which is stricter, never looser. */
const mayBelong = ({ align, windowMs }: FixedRule, atMs: number, nowMs: number): boolean => align === 'first' && atMs + windowMs > nowMs;

/** The specification of `fixed-window`. */
export const fixedWindow: Meter<FixedRule, FixedWindow> = {
  open: ({ windowMs }) => ({ startMs: -windowMs, used: 0 }),
  room: (state, rule, nowMs) => Math.max(0, rule.limit - usedOf(state, rule, nowMs)),
  capacity: ({ limit }) => limit,
  fitsAtMs: (state, rule, units, nowMs) => (usedOf(state, rule, nowMs) + units <= rule.limit ? nowMs : state.startMs + rule.windowMs),
  charge(state, rule, { units, atMs }, nowMs) {
    if (!isOpen(state, rule, nowMs)) {
      const startMs = startOf(rule, atMs);
      if (startMs + rule.windowMs <= nowMs) return;
      state.startMs = startMs;
      state.used = 0;
    }
    if (atMs >= state.startMs || mayBelong(rule, atMs, nowMs)) state.used += units;
  },
  refund(state, rule, { units, atMs }, nowMs) {
    if (isOpen(state, rule, nowMs) && atMs >= state.startMs) state.used = Math.max(0, state.used - units);
  },
  expiresAtMs: (state, rule) => (state.used === 0 ? 0 : state.startMs + rule.windowMs),
};
