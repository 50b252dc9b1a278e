/**
 * `token-bucket`: a bucket of `burst` units that fills by `limit` units every `windowMs`; the same as GCRA
 * (ITU-T I.371), whose theoretical arrival time is here a debt.
 *
 * Promise: in any span of t milliseconds at most `burst + limit × t / windowMs` units, rounded down, whatever the attack;
 * under uniform load `limit` units every `windowMs`. The debt is a whole number of unit-milliseconds (one unit is
 * `windowMs` of them, one millisecond pays `limit`), so nothing is rounded and the rate does not drift.
 */
import type { BucketRule } from '../../model/limit.ts';
import type { Meter } from './meter.ts';

/** State of a `token-bucket`. */
export interface TokenBucket {
  /** Unit-milliseconds missing in the bucket at `atMs`. */
  debt: number;
  atMs: number;
}

const paidBy = (debt: number, limit: number, ms: number): number => (ms >= debt / limit ? debt : ms * limit);
const debtOf = ({ debt, atMs }: TokenBucket, { limit }: BucketRule, nowMs: number): number =>
  limit === 0 ? debt : debt - paidBy(debt, limit, Math.max(0, nowMs - atMs));

const lastsMs = (debt: number, { limit, windowMs }: BucketRule): number => (limit === 0 ? windowMs : Math.ceil(debt / limit));

/** A bucket is never emptier than empty: a penalty, however high, lasts until it is full again and no longer. */
const mostDebt = ({ burst, windowMs }: BucketRule): number => burst * windowMs;

function owe(state: TokenBucket, debt: number, atMs: number): void {
  state.debt = debt;
  state.atMs = atMs;
}

/** The specification of `token-bucket`. */
export const tokenBucket: Meter<BucketRule, TokenBucket> = {
  open: () => ({ debt: 0, atMs: 0 }),
  room: (state, rule, nowMs) => Math.max(0, Math.floor((rule.burst * rule.windowMs - debtOf(state, rule, nowMs)) / rule.windowMs)),
  capacity: ({ burst, limit }) => (limit === 0 ? 0 : burst),
  fitsAtMs(state, rule, units, nowMs) {
    const excess = debtOf(state, rule, nowMs) - (rule.burst - units) * rule.windowMs;
    return excess <= 0 ? nowMs : nowMs + Math.ceil(excess / rule.limit);
  },
  /** What is charged late counts from its own time on; where the state is newer, by what is left of it since. */
  charge(state, rule, { units, atMs }) {
    const fromMs = Math.max(state.atMs, atMs);
    const paid = rule.limit === 0 ? 0 : paidBy(units * rule.windowMs, rule.limit, fromMs - atMs);
    owe(state, Math.min(mostDebt(rule), debtOf(state, rule, fromMs) + units * rule.windowMs - paid), fromMs);
  },
  refund(state, rule, { units, atMs }) {
    const fromMs = Math.max(state.atMs, atMs);
    owe(state, Math.max(0, debtOf(state, rule, fromMs) - units * rule.windowMs), fromMs);
  },
  expiresAtMs: ({ debt, atMs }, rule) => (debt === 0 ? 0 : atMs + lastsMs(debt, rule)),
};
