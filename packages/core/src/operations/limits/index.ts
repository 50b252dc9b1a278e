/**
 * `limits`: whether a subject may, under one or several rules at once.
 *
 * A take is all or nothing, and a denial charges nothing. An operation may stand for several callers with the same
 * cost: as many of them are granted as fit under every rule, in their order. So a combined take says the same as
 * its callers one by one. The value of a result is what was asked; its delta is what was granted.
 */
import type { Result } from '../../model/answer.ts';
import type { Verdict } from '../../model/decision.ts';
import type { LimitsTerms } from '../../model/limit.ts';
import type { Operation } from '../../model/operation.ts';
import type { Strategy } from '../strategy.ts';
import { isOutside } from './calendar.ts';
import { change, openAll, type Limits, type Open } from './cells.ts';
import type { Charge } from './meter.ts';
import { meterOf } from './meters.ts';
import { blocked, denial, FOR_EVER, roomOf, tightest } from './verdict.ts';

type Outcome = readonly [Result, Limits | undefined];

const isBlocked = (given: Limits | undefined, nowMs: number): given is Limits => given !== undefined && given.blockedUntilMs > nowMs;

const charging = (charge: Charge, nowMs: number) => ({ rule, cell }: Open): void => { meterOf(rule).charge(cell.state, rule, charge, nowMs); };

function take(given: Limits | undefined, op: Operation, nowMs: number): Outcome {
  const { rules, cost } = op.terms as LimitsTerms;
  if (isBlocked(given, nowMs)) return [{ value: op.delta, delta: 0, verdict: { atMs: nowMs, denied: blocked(given.blockedUntilMs) } }, given];
  const opened = openAll(given, rules, nowMs);
  const room = opened.reduce((least, open) => Math.min(least, roomOf(open, nowMs)), op.delta);
  const granted = room - (room % cost);
  const state = granted === 0 ? given : change(given, opened, nowMs, charging({ units: granted, atMs: nowMs, lease: op.member }, nowMs));
  const verdict: Verdict = {
    atMs: nowMs,
    ...(granted > 0 && { granted: tightest(opened, nowMs) }),
    ...(granted < op.delta && { denied: denial(opened, cost, nowMs) }),
  };
  return [{ value: op.delta, delta: granted, verdict }, state];
}

function peek(given: Limits | undefined, op: Operation, nowMs: number): Outcome {
  const { rules, cost } = op.terms as LimitsTerms;
  const result = { value: op.delta, delta: 0 };
  if (isBlocked(given, nowMs)) return [{ ...result, verdict: { atMs: nowMs, denied: blocked(given.blockedUntilMs) } }, given];
  const opened = openAll(given, rules, nowMs);
  const fits = opened.every((open) => roomOf(open, nowMs) >= cost);
  return [{ ...result, verdict: { atMs: nowMs, ...(fits ? { granted: tightest(opened, nowMs) } : { denied: denial(opened, cost, nowMs) }) } }, given];
}

/** Charges without asking: a penalty, or what was granted before. */
function charge(given: Limits | undefined, op: Operation, nowMs: number): Outcome {
  const { rules, takenAtMs = op.effect?.atMs ?? nowMs } = op.terms as LimitsTerms;
  const atMs = Math.min(takenAtMs, nowMs);
  const opened = openAll(given, rules, nowMs);
  return [unsaid(op), change(given, opened, nowMs, charging({ units: op.delta, atMs, lease: op.member }, nowMs))];
}

function refund(given: Limits | undefined, op: Operation, nowMs: number): Outcome {
  if (given === undefined) return [unsaid(op), undefined];
  const { rules, takenAtMs = op.effect?.atMs ?? nowMs } = op.terms as LimitsTerms;
  const kept = openAll(given, rules, nowMs).filter(({ cell }) => given.rules.includes(cell));
  const back = { units: op.delta, atMs: Math.min(takenAtMs, nowMs), lease: op.member };
  return [unsaid(op), change(given, kept, nowMs, ({ rule, cell }) => { meterOf(rule).refund(cell.state, rule, back, nowMs); })];
}

function reset(given: Limits | undefined, op: Operation): Outcome {
  const { rules } = op.terms as LimitsTerms;
  if (given !== undefined) given.rules = rules.length === 0 ? [] : given.rules.filter(({ id }) => rules.every((rule) => rule.id !== id));
  return [unsaid(op), given];
}

function block(given: Limits | undefined, op: Operation, nowMs: number): Outcome {
  const { blockMs } = op.terms as LimitsTerms;
  const fromMs = Math.min(op.effect?.atMs ?? nowMs, nowMs);
  const blockedUntilMs = blockMs === undefined ? FOR_EVER : fromMs + blockMs;
  return [unsaid(op), { rules: given?.rules ?? [], blockedUntilMs }];
}

function unblock(given: Limits | undefined, op: Operation): Outcome {
  if (given !== undefined) given.blockedUntilMs = 0;
  return [unsaid(op), given];
}

/** The result of an operation that is not answered by a verdict. */
const unsaid = ({ delta }: Operation): Result => ({ value: delta, delta });

const ACTIONS = { take, peek, refund, penalize: charge, reset, block, unblock } satisfies Record<LimitsTerms['action'], unknown>;

function apply(given: Limits | undefined, op: Operation, nowMs: number): Outcome {
  const { action, cost, rules } = op.terms as LimitsTerms;
  const asks = action === 'take' || action === 'peek';
  if (asks && rules.length === 0) return [{ value: 0, delta: 0, code: 'INVALID_ARGUMENT' }, given];
  if (op.delta === 0) return [unsaid(op), given];
  if (op.delta < 0 || op.delta % cost !== 0) return [{ value: 0, delta: 0, code: 'INVALID_AMOUNT' }, given];
  // What was decided before is charged where it belongs, or counts no more.
  if (asks && op.effect === undefined && isOutside(rules, nowMs)) return [{ value: nowMs, delta: 0, code: 'OUT_OF_CALENDAR' }, given];
  return op.effect !== undefined && action === 'take' ? charge(given, op, nowMs) : ACTIONS[action](given, op, nowMs);
}

/** The last moment at which anything of it counts. */
const expiresAtMs = ({ rules, blockedUntilMs }: Limits): number => rules.reduce((last, cell) => Math.max(last, cell.expiresAtMs), blockedUntilMs);

/** The specification of `limits`. As a reading, a subject is the number of its rules that count anything. */
export const limits: Strategy<Limits> = {
  apply,
  read: (state, nowMs) => (expiresAtMs(state) <= nowMs ? undefined : state.rules.filter((cell) => cell.expiresAtMs > nowMs).length),
  expiresAtMs,
  variant: () => '',
};
