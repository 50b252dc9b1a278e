import type { Result } from '../model/answer.ts';
import type { Operation, Terms } from '../model/operation.ts';

/**
 * How one kind of counter behaves: the specification every store is held to. All of it is arithmetic on
 * its arguments. `apply` takes over the state it is given (it may reuse its memory): after the call only
 * the returned state may be used. Undefined stands for a counter that is not there; returned, it says that
 * none was created, and what has expired may be left to expire.
 */
export interface Strategy<State> {
  /** `(state, op, nowMs) → [result, state]`. `nowMs` never runs back for one state. */
  readonly apply: (state: State | undefined, op: Operation, nowMs: number) => readonly [Result, State | undefined];
  /** The value at `nowMs`; undefined when the counter has expired by then. Changes nothing that can be seen. */
  readonly read: (state: State, nowMs: number) => number | undefined;
  /** When nothing of the state counts any more; undefined for never. */
  readonly expiresAtMs: (state: State) => number | undefined;
  /** What tells apart the counters of one key that have these terms: several windows may live at once. */
  readonly variant: (terms: Terms) => string;
}
