import type { LimitRule } from '../../model/limit.ts';

/** Units that are taken or given back. */
export interface Charge {
  readonly units: number;
  /** When they are or were taken, at most the present. */
  readonly atMs: number;
  /** Name of the lease, where the rule has leases. */
  readonly lease?: string | undefined;
}

/**
 * How one algorithm counts. All of it is arithmetic on whole numbers; `nowMs` never runs back for one state.
 * Only `charge` and `refund` change the state, and they change it in place; the others may bring it up to date.
 */
export interface Meter<Rule extends LimitRule, State> {
  /** A state of which nothing is used. */
  readonly open: (rule: Rule) => State;
  /** The most units that can be taken now; never below 0. */
  readonly room: (state: State, rule: Rule, nowMs: number) => number;
  /** The first moment, from `nowMs` on, at which `units` fit if nothing more is taken. Asked only when they fit at some time. */
  readonly fitsAtMs: (state: State, rule: Rule, units: number, nowMs: number) => number;
  /** The most units that ever fit. */
  readonly capacity: (rule: Rule) => number;
  /** Takes units without asking. What was taken so long ago that it counts no more changes nothing. */
  readonly charge: (state: State, rule: Rule, charge: Charge, nowMs: number) => void;
  /** Gives units back to where they came from; never below 0. */
  readonly refund: (state: State, rule: Rule, charge: Charge, nowMs: number) => void;
  /** When nothing of the state counts any more. */
  readonly expiresAtMs: (state: State, rule: Rule) => number;
}

/** The first whole number in [low, high] at which `holds`, which holds at `high` and from its first on. */
export function firstAt(low: number, high: number, holds: (at: number) => boolean): number {
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
