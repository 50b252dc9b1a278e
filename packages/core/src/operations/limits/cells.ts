/**
 * What is kept of a subject: the states of its rules, by the rules' ids, and until when it is blocked. One state
 * for all rules of a subject makes a take of several of them one step, and takes under different sets of rules
 * share what each rule has counted. A state that counts no more is as good as none.
 */
import type { LimitRule } from '../../model/limit.ts';
import { meterOf, type MeterState } from './meters.ts';

/** State of one rule. */
export interface RuleCell {
  readonly id: string;
  readonly state: MeterState;
  /** When nothing of it counts any more. */
  expiresAtMs: number;
}

/** State of a `limits`. */
export interface Limits {
  rules: RuleCell[];
  /** 0 when the subject is not blocked. */
  blockedUntilMs: number;
}

/** A rule of an operation and its state, perhaps a new one that is not kept yet. */
export interface Open {
  readonly rule: LimitRule;
  readonly cell: RuleCell;
}

/** The state of each rule, in the order of the rules. */
export function openAll(given: Limits | undefined, rules: readonly LimitRule[], nowMs: number): Open[] {
  return rules.map((rule) => {
    const kept = given?.rules.find(({ id, expiresAtMs }) => id === rule.id && expiresAtMs > nowMs);
    return { rule, cell: kept ?? { id: rule.id, state: meterOf(rule).open(rule), expiresAtMs: 0 } };
  });
}

/** Changes the states of the opened rules, and keeps what still counts. */
export function change(given: Limits | undefined, opened: readonly Open[], nowMs: number, by: (open: Open) => void): Limits {
  const kept: Limits = given ?? { rules: [], blockedUntilMs: 0 };
  for (const open of opened) {
    const { rule, cell } = open;
    by(open);
    cell.expiresAtMs = meterOf(rule).expiresAtMs(cell.state, rule);
    if (!kept.rules.includes(cell)) kept.rules.push(cell);
  }
  if (kept.rules.some(({ expiresAtMs }) => expiresAtMs <= nowMs)) kept.rules = kept.rules.filter(({ expiresAtMs }) => expiresAtMs > nowMs);
  return kept;
}
