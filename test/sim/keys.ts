/** The counters of a simulated history. Each kind is held to the assertions that its amounts allow. */
import type { CounterOptions } from '../../packages/core/src/model/counter-type.ts';
import type { Random } from './random.ts';

/** How counters of a kind are declared, and what callers add to them. */
interface Kind {
  readonly declared?: CounterOptions;
  readonly amount: (random: Random) => number;
}

export const TTL_MS = 3_000;
/** Sums of such amounts are exact in a double far beyond the range of a counter. */
const HUGE = 2 ** 50;

export const kinds = {
  /** Only ones: every exact value is given to one caller. */
  unit: { amount: () => 1 },
  /** Both signs, which combine and cancel. */
  mixed: { amount: (random) => random.between(-5, 9) },
  /** Runs into its range, so that combined amounts are refused and asked singly. */
  huge: { amount: (random) => random.between(-3, 5) * HUGE },
  bounded: { declared: { min: 0, max: 25 }, amount: (random) => random.between(-6, 8) },
  expiring: { declared: { ttlMs: TTL_MS }, amount: (random) => random.between(1, 3) },
  batched: { declared: { type: 'batched' }, amount: (random) => random.between(1, 4) },
} satisfies Record<string, Kind>;

export type KindName = keyof typeof kinds;

export const kindOf = (key: string): KindName => key.slice(0, key.indexOf(':')) as KindName;

/** The declarations an application would write. */
export const DECLARATIONS: Readonly<Record<string, CounterOptions>> = Object.fromEntries(
  Object.entries(kinds as Record<string, Kind>).flatMap(([name, { declared }]) => (declared === undefined ? [] : [[`${name}:*`, declared]])),
);

export function amountFor(key: string, random: Random): number {
  return kinds[kindOf(key)].amount(random);
}
