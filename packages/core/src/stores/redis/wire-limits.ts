/** What the scripts are told of limits: terms once a batch, by the first operation that has them; verdicts as arrays. */
import type { Answer, Note } from '../../model/answer.ts';
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
  readonly edges?: readonly number[];
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
export type WireStanding = readonly [
  rule: string | false, limit: number, remaining: number, resetAtMs: number | false, retryAtMs?: number | false,
];

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
    case 'calendar':
      return { edges: rule.edges };
  }
}

/** A lone surrogate becomes U+FFFD, as everywhere in UTF-8: JSON would carry it to a script that can't read it. */
const encodeRule = (rule: LimitRule): WireRule =>
  ({ name: rule.name.toWellFormed(), id: rule.id.toWellFormed(), limit: rule.limit, algorithm: rule.algorithm, ...encodeShape(rule) });

export function encodeTerms({ action, cost, rules, takenAtMs, blockMs }: LimitsTerms): WireTerms {
  return {
    action, cost, rules: rules.map(encodeRule),
    ...(takenAtMs !== undefined && { taken: takenAtMs }),
    ...(blockMs !== undefined && { block: blockMs }),
  };
}

const encodeStanding = ({ rule, limit, remaining, resetAtMs }: Standing): WireStanding =>
  [rule ?? false, limit, remaining, resetAtMs ?? false];
const encodeDenial = ({ rule, limit, remaining, resetAtMs, retryAtMs }: Denial): WireStanding =>
  [rule ?? false, limit, remaining, resetAtMs ?? false, retryAtMs ?? false];

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

/** Name and limit of each rule, in turn. */
export type WireRules = readonly (string | number)[];

/** Reads what takes.lua ruled, one take after the other. */
class Rulings {
  readonly #atMs: number;
  readonly #ruled: readonly (number | false)[];
  readonly #rules: WireRules;
  #at = 0;

  constructor(atMs: number, ruled: readonly (number | false)[], rules: WireRules) {
    this.#atMs = atMs;
    this.#ruled = ruled;
    this.#rules = rules;
  }

  get hasMore(): boolean {
    return this.#at < this.#ruled.length;
  }

  next(index: number): Note {
    const value = this.#number();
    const delta = this.#number();
    const atMs = this.#atMs;
    if (delta === value) return { index, value, delta, verdict: { atMs, granted: this.#standing() } };
    if (delta === 0) return { index, value, delta, verdict: { atMs, denied: this.#denial() } };
    return { index, value, delta, verdict: { atMs, granted: this.#standing(), denied: this.#denial() } };
  }

  #number(): number {
    return this.#ruled[this.#at++] as number;
  }

  #moment(): number | null {
    const left = this.#ruled[this.#at++];
    return typeof left === 'number' ? this.#atMs + left : null;
  }

  #standing(): Standing {
    const rule = 2 * this.#number();
    const remaining = this.#number();
    const resetAtMs = this.#moment();
    if (rule === 0) return { rule: null, limit: 0, remaining, resetAtMs };
    return { rule: this.#rules[rule - 2] as string, limit: this.#rules[rule - 1] as number, remaining, resetAtMs };
  }

  #denial(): Denial {
    return { ...this.#standing(), retryAtMs: this.#moment() };
  }
}

/** The answer of takes.lua to one batch. */
export function decodeRuled(atMs: number, ruled: readonly (number | false)[], rules: WireRules): Answer {
  const rulings = new Rulings(atMs, ruled, rules);
  const notes: Note[] = [];
  while (rulings.hasMore) notes.push(rulings.next(notes.length));
  return { atMs, values: notes.map(({ value }) => value), notes };
}
