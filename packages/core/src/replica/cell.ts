/**
 * A cell is what a replica keeps of one counter or of one request id, under an id of its own. Plain counts
 * live in columns instead ({@link CountTable}) and have their key for an id.
 */
import type { Kind, Query } from '../model/operation.ts';
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
}

/** Id of the cell of a counter. Neither kind nor variant has a colon, so no two counters share one. */
export function cellId({ key, terms }: Query): string {
  return terms === undefined ? `count::${key}` : `${terms.kind}:${strategies[terms.kind].variant(terms)}:${key}`;
}

/** Id of the cell of a request id, which belongs to its counter. */
export function requestCellId(query: Query, requestId: string): string {
  const counter = cellId(query);
  return `request:${counter.length}:${counter}${requestId}`;
}

/** When a cell may be dropped. */
export function cellExpiresAtMs({ kind, state }: Cell): number | undefined {
  return kind === 'request' ? (state as Remembered).expiresAtMs : strategies[kind].expiresAtMs(state);
}
