/** A limit that comes with a call, instead of the one in the file. */
import type { OutagePolicy, Rule } from './rule.ts';

/** So many units in each window. */
export interface Override {
  /** A whole number, at least 0. */
  readonly limit: number;
  readonly windowMs: number;
}

const NOTHING = new Map<string, never>();
const MOST_KEPT = 1000;
const kept = new Map<string, Rule>();

/** The rule of an override: the same object for the same figures, so that takes under it can be combined. */
export function overrideOf({ limit, windowMs }: Override, onOutage: OutagePolicy): Rule {
  const id = `${limit}/${windowMs}/${onOutage}`;
  const known = kept.get(id);
  if (known !== undefined) return known;
  if (kept.size >= MOST_KEPT) kept.clear();
  const figures = Object.freeze([Object.freeze({ name: 'override', algorithm: 'fixed-window', limit, windowMs } as const)]);
  const rule: Rule = { name: 'override', figures, perKey: NOTHING, perTier: NOTHING, by: undefined, isShadow: false, onOutage };
  kept.set(id, rule);
  return rule;
}
