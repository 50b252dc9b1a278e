import type { Note } from '../model/answer.ts';
import type { Memo } from '../model/memo.ts';
import type { Operation, Terms } from '../model/operation.ts';

/**
 * One operation of a batch while it can still take in more amounts: the operation the store will see, and
 * what the lane needs to give each caller its own value afterwards.
 */
export class Entry implements Operation {
  readonly key: string;
  delta: number;
  readonly terms: Terms | undefined;
  readonly member: string | undefined;
  readonly requestId: string | undefined;
  readonly requestTtlMs: number | undefined;
  /** Set once amounts of both signs were combined: the sum of their magnitudes. */
  reach: number | undefined = undefined;
  readonly effect = undefined;
  readonly memo: Memo | undefined;
  /** How many callers wait for it; an entry that all have left is not sealed. */
  callers = 1;
  /** Once answered: the value before the next caller's amount. */
  running = 0;
  /** Once answered: what there is to say beside the value. */
  note: Note | undefined = undefined;

  constructor({ key, delta, terms, member, requestId, requestTtlMs }: Operation, memo?: Memo) {
    this.key = key;
    this.delta = delta;
    this.terms = terms;
    this.member = member;
    this.requestId = requestId;
    this.requestTtlMs = requestTtlMs;
    this.memo = memo;
  }
}

/** Whether amounts under these terms may be summed before they are applied. */
export function combines(terms: Terms | undefined): boolean {
  if (terms === undefined) return true;
  if (terms.kind === 'count') return terms.min === undefined && terms.max === undefined;
  // A lease has a name of its own. All callers under the same terms take the same cost.
  if (terms.kind === 'limits') return terms.action === 'take' && terms.rules.every(({ algorithm }) => algorithm !== 'concurrency');
  return terms.kind === 'log' || terms.kind === 'window';
}
