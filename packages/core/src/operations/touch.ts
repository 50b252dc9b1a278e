/**
 * `unique`: the exact number of distinct members seen in the last `windowMs`. Seeing a member again renews
 * its time.
 *
 * A map tells when each member was last seen; a list of the sights, oldest first, tells whom a purge has to
 * look at. A sight that was renewed stays in the list until it is purged, or until such sights outnumber
 * the members. (The map alone, in its own order, would do by meaning, but taking a JavaScript `Map` down
 * from its front walks over what was deleted before: 60 µs a touch at 300,000 members.)
 */
import type { Result } from '../model/answer.ts';
import type { Operation, UniqueTerms } from '../model/operation.ts';
import type { Strategy } from './strategy.ts';

/** The most members a set keeps; more is refused with `STATE_TOO_LARGE`. A `sketch` has no such limit. */
export const MAX_MEMBERS = 1_000_000;

/** State of a `unique`. Sights before `head` are purged. */
export interface Members {
  readonly windowMs: number;
  /** When each member was last seen. */
  readonly seenMs: Map<string, number>;
  /** Who was seen, and when: rising. Invariant: every member's last sight is at or after `head`. */
  sights: string[];
  sightsMs: number[];
  head: number;
}

function open(windowMs: number): Members {
  return { windowMs, seenMs: new Map(), sights: [], sightsMs: [], head: 0 };
}

function purge(state: Members, nowMs: number): void {
  const { seenMs, sights, sightsMs, windowMs } = state;
  for (; state.head < sights.length && (sightsMs[state.head] ?? 0) <= nowMs - windowMs; state.head++) {
    const member = sights[state.head] as string;
    if (seenMs.get(member) === sightsMs[state.head]) seenMs.delete(member);
  }
  if (state.head * 2 > sights.length) {
    sights.splice(0, state.head);
    sightsMs.splice(0, state.head);
    state.head = 0;
  }
}

/** Drops the sights that were renewed, once there are more of them than members. */
function compact(state: Members): void {
  const { seenMs, sights, sightsMs, head } = state;
  if (sights.length - head <= 2 * seenMs.size + 16) return;
  const isLast = (i: number): boolean => i >= head && seenMs.get(sights[i] as string) === sightsMs[i];
  state.sights = sights.filter((_, i) => isLast(i));
  state.sightsMs = sightsMs.filter((_, i) => isLast(i));
  state.head = 0;
}

/** Notes that `member` was seen at `atMs`, which is the newest moment except for effects that come late. */
function see(state: Members, member: string, atMs: number): void {
  const before = state.seenMs.get(member);
  if (before !== undefined && before >= atMs) return;
  state.seenMs.set(member, atMs);
  const { sights, sightsMs, head } = state;
  let place = sights.length;
  while (place > head && (sightsMs[place - 1] ?? 0) > atMs) place--;
  if (place === sights.length) {
    sights.push(member);
    sightsMs.push(atMs);
  } else {
    sights.splice(place, 0, member);
    sightsMs.splice(place, 0, atMs);
  }
  compact(state);
}

function apply(given: Members | undefined, op: Operation, nowMs: number): readonly [Result, Members | undefined] {
  const { windowMs } = op.terms as UniqueTerms;
  const state = given ?? open(windowMs);
  purge(state, nowMs);
  const value = state.seenMs.size;
  const atMs = op.effect?.atMs ?? nowMs;
  if (op.delta === 0 || atMs <= nowMs - windowMs) return [{ value, delta: 0 }, given];
  if (op.member === undefined || op.delta !== 1) return [{ value, delta: 0, code: 'INVALID_ARGUMENT' }, given];
  if (value >= MAX_MEMBERS && !state.seenMs.has(op.member)) return [{ value, delta: 0, code: 'STATE_TOO_LARGE' }, given];
  see(state, op.member, atMs);
  return [{ value: state.seenMs.size, delta: state.seenMs.size - value }, state];
}

function read(state: Members, nowMs: number): number | undefined {
  purge(state, nowMs);
  return state.seenMs.size === 0 ? undefined : state.seenMs.size;
}

/** The specification of `unique`. */
export const touch: Strategy<Members> = {
  apply,
  read,
  expiresAtMs: (state) => (state.sightsMs.at(-1) ?? 0) + state.windowMs,
  variant: (terms) => String((terms as UniqueTerms).windowMs),
};
