/**
 * `unique`: the exact number of distinct members seen in the last `windowMs`. Seeing a member again renews
 * its time. Members are kept in the order of their last sight, so that a purge only looks at the oldest.
 */
import type { Result } from '../model/answer.ts';
import type { Operation, UniqueTerms } from '../model/operation.ts';
import type { Strategy } from './strategy.ts';

/** The most members a set keeps; more is refused with `STATE_TOO_LARGE`. A `sketch` has no such limit. */
export const MAX_MEMBERS = 1_000_000;

/** State of a `unique`: when each member was last seen, oldest first. */
export interface Members {
  readonly windowMs: number;
  seenMs: Map<string, number>;
  /** When any member was last seen. */
  newestMs: number;
}

function purge({ seenMs, windowMs }: Members, nowMs: number): void {
  for (const [member, atMs] of seenMs) {
    if (atMs > nowMs - windowMs) return;
    seenMs.delete(member);
  }
}

/** Notes that `member` was seen at `atMs`, keeping the order when an effect comes late. */
function see(state: Members, member: string, atMs: number, nowMs: number): void {
  const before = state.seenMs.get(member);
  if (before !== undefined && before >= atMs) return;
  state.seenMs.delete(member);
  state.seenMs.set(member, atMs);
  state.newestMs = Math.max(state.newestMs, atMs);
  if (atMs < nowMs) state.seenMs = new Map([...state.seenMs].sort((a, b) => a[1] - b[1]));
}

function apply(given: Members | undefined, op: Operation, nowMs: number): readonly [Result, Members | undefined] {
  const { windowMs } = op.terms as UniqueTerms;
  const state = given ?? { windowMs, seenMs: new Map<string, number>(), newestMs: 0 };
  purge(state, nowMs);
  const value = state.seenMs.size;
  const kept = value === 0 ? undefined : state;
  const atMs = op.effect?.atMs ?? nowMs;
  if (op.delta === 0 || atMs <= nowMs - windowMs) return [{ value, delta: 0 }, kept];
  if (op.member === undefined || op.delta !== 1) return [{ value, delta: 0, code: 'INVALID_ARGUMENT' }, kept];
  if (value >= MAX_MEMBERS && !state.seenMs.has(op.member)) return [{ value, delta: 0, code: 'STATE_TOO_LARGE' }, kept];
  see(state, op.member, atMs, nowMs);
  return [{ value: state.seenMs.size, delta: state.seenMs.size - value }, state];
}

function read(state: Members, nowMs: number): number | undefined {
  let value = state.seenMs.size;
  for (const atMs of state.seenMs.values()) {
    if (atMs > nowMs - state.windowMs) break;
    value--;
  }
  return value === 0 ? undefined : value;
}

/** The specification of `unique`. */
export const touch: Strategy<Members> = {
  apply,
  read,
  expiresAtMs: (state) => state.newestMs + state.windowMs,
  variant: (terms) => String((terms as UniqueTerms).windowMs),
};
