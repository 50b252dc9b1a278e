/** What a store says: results of a batch, readings of a query. */
import type { ErrorCode } from '../errors.ts';
import type { Verdict } from './decision.ts';

/** What one operation came to: the result part of `(state, op, nowMs) → [result, state]`. */
export interface Result {
  /** The exact value of the counter right after the operation. */
  readonly value: number;
  /** The amount that was really added. */
  readonly delta: number;
  /** Set when the operation was refused: nothing happened. */
  readonly code?: ErrorCode;
  /** When the counter expires, by the store's clock. */
  readonly expiresAtMs?: number;
  /** The answer is that of an earlier operation with the same request id; nothing was counted now. */
  readonly replayed?: true;
  /** A counter that should expire was found without an expiry, and got one. */
  readonly repaired?: true;
  /** What was said to a take or a peek of `limits`; `delta` is what was granted of it. */
  readonly verdict?: Verdict;
}

/**
 * The result of one operation of a batch of which there is more to say than its value. An operation
 * without a note was applied in full and belongs to a counter that does not expire.
 */
export interface Note extends Result {
  /** Index of the operation in its batch. */
  readonly index: number;
}

/** The results of a batch, by index of its operations. */
export interface Answer {
  /** The store's clock, read once for the batch. */
  readonly atMs: number;
  /** The exact value of each operation's counter right after it. */
  readonly values: readonly number[];
  /** By rising index; only for operations of which there is more to say. */
  readonly notes: readonly Note[];
}

/** The replica has lost a suffix: it holds this source's batches only up to `behind`, and changed nothing. */
export interface Behind {
  readonly behind: number;
}

/** What a replica says to a batch. */
export type Reply = Answer | Behind;

/** Whether the replica asks for earlier batches. */
export function isBehind(reply: Reply): reply is Behind {
  return 'behind' in reply;
}

/** The state of one counter at a moment. */
export interface Reading {
  /** 0 when there is no live counter. */
  readonly value: number;
  /** Whether there is a live counter under the key. */
  readonly found: boolean;
  /** Time left to live, in milliseconds, at least 1; absent when it does not expire. */
  readonly ttlMs?: number;
}

/** The reading of a counter that is not there. */
export const ABSENT: Reading = Object.freeze({ value: 0, found: false });
