/** Where a subject stands: what is said to those who were granted, and to those who were not. */
import type { Denial, Standing } from '../../model/decision.ts';
import type { Open } from './cells.ts';
import { meterOf } from './meters.ts';

/** Units that can be taken now under this rule. */
export const roomOf = ({ rule, cell }: Open, nowMs: number): number => meterOf(rule).room(cell.state, rule, nowMs);

function standingOf(open: Open, nowMs: number): Standing {
  const { rule, cell } = open;
  const resetAtMs = meterOf(rule).capacity(rule) === 0 ? null : Math.max(nowMs, cell.expiresAtMs);
  return { rule: rule.name, limit: rule.limit, remaining: roomOf(open, nowMs), resetAtMs };
}

/** The standing with the rule that has the least room; of equals the first. */
export function tightest(opened: readonly Open[], nowMs: number): Standing {
  const least = opened.reduce((a, b) => (roomOf(b, nowMs) < roomOf(a, nowMs) ? b : a));
  return standingOf(least, nowMs);
}

/** When `units` fit under one rule; Infinity for never. */
function fitsAtMs({ rule, cell }: Open, units: number, nowMs: number): number {
  const meter = meterOf(rule);
  return meter.capacity(rule) < units ? Infinity : meter.fitsAtMs(cell.state, rule, units, nowMs);
}

/** The denial of `units` by the rule to wait for longest. All rules fit when that one does: room only grows with time. */
export function denial(opened: readonly Open[], units: number, nowMs: number): Denial {
  const short = opened.filter((open) => roomOf(open, nowMs) < units);
  const longest = short.reduce((a, b) => (fitsAtMs(b, units, nowMs) > fitsAtMs(a, units, nowMs) ? b : a));
  const retryAtMs = fitsAtMs(longest, units, nowMs);
  return { ...standingOf(longest, nowMs), retryAtMs: retryAtMs === Infinity ? null : retryAtMs };
}

/** The end of a block that nobody but `unblock` ends. */
export const FOR_EVER = Number.MAX_SAFE_INTEGER;

/** The denial of a blocked subject. */
export function blocked(untilMs: number): Denial {
  const endMs = untilMs === FOR_EVER ? null : untilMs;
  return { rule: null, limit: 0, remaining: 0, resetAtMs: endMs, retryAtMs: endMs };
}
