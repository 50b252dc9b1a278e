/** What the scripts are told of limits: terms once a batch, by the first operation that has them; verdicts as arrays. */
import type { Denial, Standing, Verdict } from '../../model/decision.ts';
import type { LimitRule, LimitsTerms } from '../../model/limit.ts';

/** A rule, as meters.lua knows it. */
interface WireRule {
  readonly name: string;
  readonly id: string;
  readonly limit: number;
  readonly algorithm: LimitRule['algorithm'];
  readonly window?: number;
  readonly clock?: boolean;
  readonly slices?: number;
  readonly interpolated?: boolean;
  readonly burst?: number;
  readonly lease?: number;
}

/** Terms, as limits.lua knows them. */
export interface WireTerms {
  readonly action: LimitsTerms['action'];
  readonly cost: number;
  readonly rules: readonly WireRule[];
  readonly taken?: number;
  readonly block?: number;
}

/** Rule, limit, remaining and reset; of a denial also when to try again. False where there is none. */
export type WireStanding = readonly [rule: string | false, limit: number, remaining: number, resetAtMs: number | false, retryAtMs?: number | false];

/** When it was decided, what is said of what was granted, and what of what was denied. */
export type WireVerdict = readonly [atMs: number, granted: WireStanding | false, denied: WireStanding | false];

function encodeShape(rule: LimitRule): Partial<WireRule> {
  switch (rule.algorithm) {
    case 'fixed-window':
      return { window: rule.windowMs, clock: rule.align === 'clock' };
    case 'sliding-window':
      return { window: rule.windowMs, slices: rule.slices, interpolated: rule.mode === 'interpolated' };
    case 'sliding-log':
      return { window: rule.windowMs };
    case 'token-bucket':
      return { window: rule.windowMs, burst: rule.burst };
    case 'concurrency':
      return { lease: rule.leaseMs };
  }
}

/** A lone surrogate becomes U+FFFD, as everywhere in UTF-8: JSON would carry it to a script that can't read it. */
const encodeRule = (rule: LimitRule): WireRule =>
  ({ name: rule.name.toWellFormed(), id: rule.id.toWellFormed(), limit: rule.limit, algorithm: rule.algorithm, ...encodeShape(rule) });

export function encodeTerms({ action, cost, rules, takenAtMs, blockMs }: LimitsTerms): WireTerms {
  return {
    action, cost, rules: rules.map(encodeRule), ...(takenAtMs !== undefined && { taken: takenAtMs }), ...(blockMs !== undefined && { block: blockMs }),
  };
}

const encodeStanding = ({ rule, limit, remaining, resetAtMs }: Standing): WireStanding => [rule ?? false, limit, remaining, resetAtMs ?? false];
const encodeDenial = (denied: Denial): WireStanding => [...(encodeStanding(denied) as [string | false, number, number, number | false]), denied.retryAtMs ?? false];

export function encodeVerdict({ atMs, granted, denied }: Verdict): WireVerdict {
  return [atMs, granted === undefined ? false : encodeStanding(granted), denied === undefined ? false : encodeDenial(denied)];
}

const orNull = <T>(given: T | false | undefined): T | null => (given === false || given === undefined ? null : given);

function decodeStanding([rule, limit, remaining, resetAtMs]: WireStanding): Standing {
  return { rule: orNull(rule), limit, remaining, resetAtMs: orNull(resetAtMs) };
}

export function decodeVerdict([atMs, granted, denied]: WireVerdict): Verdict {
  return {
    atMs,
    ...(granted !== false && { granted: decodeStanding(granted) }),
    ...(denied !== false && { denied: { ...decodeStanding(denied), retryAtMs: orNull(denied[4]) } }),
  };
}
