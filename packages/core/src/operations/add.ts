/**
 * `count`: a total that is added to, with optional floor, ceiling and lifetime.
 *
 * A bound limits movement towards it and never moves a value by itself: a decrease stops at `min`, or
 * stays where it is when the value is already lower. The lifetime is given once, at creation. An amount
 * of 0, asked or left over by a bound, is a read: it creates nothing and touches no expiry. (Amounts that
 * were combined and cancel each other are no such read: each of them was an add.)
 */
import { inRange, MAX_VALUE } from '../model/amount.ts';
import type { Result } from '../model/answer.ts';
import type { CountTerms, Effect, Operation } from '../model/operation.ts';
import type { Strategy } from './strategy.ts';

/** State of a `count`. */
export interface Count {
  readonly value: number;
  readonly expiresAtMs?: number;
}

type Step = readonly [Result, Count | undefined];

const isLive = (state: Count, nowMs: number): boolean => state.expiresAtMs === undefined || state.expiresAtMs > nowMs;

/** An amount that asks for nothing. */
const isRead = (op: Operation, delta: number): boolean => delta === 0 && op.reach === undefined;

/** The part of `delta` that the bounds leave when the value is `before`. */
function bounded(before: number, delta: number, terms: CountTerms | undefined): number {
  if (delta < 0 && terms?.min !== undefined) return Math.max(delta, Math.min(terms.min, before) - before);
  if (delta > 0 && terms?.max !== undefined) return Math.min(delta, Math.max(terms.max, before) - before);
  return delta;
}

function result(value: number, delta: number, expiresAtMs: number | undefined): Result {
  return expiresAtMs === undefined ? { value, delta } : { value, delta, expiresAtMs };
}

/** When a counter ends that is created now. */
function endOf(terms: CountTerms | undefined, nowMs: number): number | undefined {
  if (terms?.ttlMs === undefined) return undefined;
  const known = terms.ends?.find(([beforeMs]) => nowMs < beforeMs);
  return known === undefined ? Math.min(nowMs + terms.ttlMs, MAX_VALUE) : known[1];
}

const unchanged = (live: Count | undefined): Step => [result(live?.value ?? 0, 0, live?.expiresAtMs), live];

function refused(live: Count | undefined): Step {
  const [same, state] = unchanged(live);
  return [{ ...same, code: 'OUT_OF_RANGE' }, state];
}

/** Adds an effect decided earlier, unless the counter it belonged to is gone. */
function addEffect(live: Count | undefined, op: Operation, effect: Effect, nowMs: number): Step {
  const { expiresAtMs } = effect;
  const held = live?.expiresAtMs;
  const ends = effect.repaired === true && live !== undefined && held === undefined;
  const gone = expiresAtMs !== undefined && expiresAtMs <= nowMs && !ends;
  if (gone || isRead(op, op.delta)) return unchanged(live);
  if (expiresAtMs !== undefined && held !== undefined && held > expiresAtMs) return unchanged(live);
  const earlier = expiresAtMs !== undefined && held !== undefined && held < expiresAtMs;
  const value = (live === undefined || earlier ? 0 : live.value) + op.delta;
  if (!inRange(value)) return refused(live);
  const until = expiresAtMs ?? held;
  return [result(value, op.delta, until), until === undefined ? { value } : { value, expiresAtMs: until }];
}

function apply(state: Count | undefined, op: Operation, nowMs: number): Step {
  // A counter that had expired when the effect was decided is an earlier one, whatever this clock says.
  const atMs = Math.max(nowMs, op.effect?.atMs ?? nowMs);
  const live = state !== undefined && isLive(state, atMs) ? state : undefined;
  if (op.effect !== undefined) return addEffect(live, op, op.effect, nowMs);
  const terms = op.terms as CountTerms | undefined;
  const before = live?.value ?? 0;
  const delta = bounded(before, op.delta, terms);
  if (isRead(op, delta)) return unchanged(live);
  const value = before + delta;
  if (!inRange(value) || (op.reach !== undefined && !inRange(Math.abs(before) + op.reach))) return refused(live);

  const expiresAtMs = live?.expiresAtMs ?? endOf(terms, nowMs);
  if (expiresAtMs === undefined) return [{ value, delta }, { value }];
  const repaired = live !== undefined && live.expiresAtMs === undefined;
  return [repaired ? { value, delta, expiresAtMs, repaired } : { value, delta, expiresAtMs }, { value, expiresAtMs }];
}

/** The specification of `count`. */
export const add: Strategy<Count> = {
  apply,
  read: (state, nowMs) => (isLive(state, nowMs) ? state.value : undefined),
  expiresAtMs: (state) => state.expiresAtMs,
  variant: () => '',
};
