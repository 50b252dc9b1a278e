/**
 * `concurrency`: `limit` units held at once, by leases.
 *
 * Promise: never more than `limit` units in leases that are neither released nor older than `leaseMs`. A holder that
 * dies gives its units back after `leaseMs`; one that works for longer than that is no longer counted.
 */
import type { LeaseRule } from '../../model/limit.ts';
import type { Meter } from './meter.ts';

/** One lease. */
interface Lease {
  readonly name: string;
  units: number;
  readonly untilMs: number;
}

/** State of a `concurrency`: leases by rising end. */
export interface Leases {
  leases: Lease[];
}

const alive = ({ leases }: Leases, nowMs: number): Lease[] => leases.filter(({ untilMs }) => untilMs > nowMs);
const usedOf = (state: Leases, nowMs: number): number => alive(state, nowMs).reduce((sum, { units }) => sum + units, 0);

/** The specification of `concurrency`. */
export const concurrency: Meter<LeaseRule, Leases> = {
  open: () => ({ leases: [] }),
  room: (state, { limit }, nowMs) => Math.max(0, limit - usedOf(state, nowMs)),
  capacity: ({ limit }) => limit,
  fitsAtMs(state, { limit }, units, nowMs) {
    let used = usedOf(state, nowMs);
    let fitsMs = nowMs;
    for (const lease of alive(state, nowMs)) {
      if (used + units <= limit) break;
      used -= lease.units;
      fitsMs = lease.untilMs;
    }
    return fitsMs;
  },
  charge(state, { leaseMs }, { units, atMs, lease = '' }, nowMs) {
    const all = [...state.leases, { name: lease, units, untilMs: atMs + leaseMs }];
    state.leases = alive({ leases: all }, nowMs).sort((a, b) => a.untilMs - b.untilMs);
  },
  /** A lease is given back as a whole, by its name. */
  refund(state, _rule, { lease }) {
    const at = state.leases.findLastIndex(({ name }) => name === lease);
    if (at >= 0) state.leases = state.leases.toSpliced(at, 1);
  },
  expiresAtMs: ({ leases }) => leases.at(-1)?.untilMs ?? 0,
};
