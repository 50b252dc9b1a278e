/**
 * A cell is what a replica keeps of one counter or of one request id, under an id of its own. Plain counts
 * live in columns instead ({@link CountTable}) and have their key for an id.
 */
import type { Result } from '../model/answer.ts';
import type { Verdict } from '../model/decision.ts';
import type { Kind, Operation, Query } from '../model/operation.ts';
import { strategies, type State } from '../operations/index.ts';

/** State of any kind but `count`, or the remembered answer to a request id. */
export interface Cell {
  readonly kind: Exclude<Kind, 'count'> | 'request';
  state: State;
}

/** The first answer to a request id. */
export interface Remembered {
  readonly value: number;
  readonly delta: number;
  readonly counterExpiresAtMs?: number;
  readonly expiresAtMs: number;
  readonly verdict?: Verdict;
}

/**
 * Id of the cell of a counter. Neither kind nor variant has a colon, so no two counters share one.
 *
 * Ids are joined: what is added up stays a tree of its parts in memory, which takes three times as much.
 */
export function cellId({ key, terms }: Query): string {
  return terms === undefined ? joined('count', '', key) : joined(terms.kind, strategies[terms.kind].variant(terms), key);
}

/** Id of the cell of a request id, which belongs to its counter. */
export function requestCellId(query: Query, requestId: string): string {
  const counter = cellId(query);
  return joined('request', counter.length, counter + requestId);
}

const joined = (...parts: readonly (string | number)[]): string => parts.join(':');

/** What is remembered of `result`, or of what was answered when the effect that it comes from was decided. */
export function rememberedOf(
  { effect, requestTtlMs = Infinity }: Pick<Operation, 'effect' | 'requestTtlMs'>,
  result: Result,
  nowMs: number,
  requestRetentionMs: number,
): Remembered {
  const { value, delta, verdict } = effect?.answered ?? result;
  const { expiresAtMs: counterExpiresAtMs } = effect ?? result;
  const expiresAtMs = (effect?.atMs ?? nowMs) + Math.min(requestTtlMs, requestRetentionMs);
  if (verdict !== undefined) return { value, delta, expiresAtMs, verdict };
  // Literals, not a spread: there are millions of them.
  return counterExpiresAtMs === undefined ? { value, delta, expiresAtMs } : { value, delta, counterExpiresAtMs, expiresAtMs };
}

/** When a cell may be dropped. */
export function cellExpiresAtMs({ kind, state }: Cell): number | undefined {
  return kind === 'request' ? (state as Remembered).expiresAtMs : strategies[kind].expiresAtMs(state);
}
