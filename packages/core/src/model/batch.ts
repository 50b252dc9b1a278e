/**
 * A batch is identified by (source, partition, seq), sealed before it is sent and never changed after.
 * Every replica applies each batch exactly once, in order, per source.
 */
import type { Answer, Note } from './answer.ts';
import type { CountTerms, Effect, Operation } from './operation.ts';

/** A sealed batch. */
export interface Batch {
  /** One run of one process. */
  readonly source: string;
  readonly partition: number;
  /** 1, 2, 3 … within its source and partition. */
  readonly seq: number;
  readonly operations: readonly Operation[];
}

/** How many sealed batches a source may have unanswered at one partition, and a replica remembers. */
export const WINDOW = 8;

/** Terms without the conditions that were already decided. */
function decided(terms: Operation['terms']): Operation['terms'] {
  if (terms?.kind !== 'count') return terms;
  return terms.ttlMs === undefined ? undefined : ({ kind: 'count', ttlMs: terms.ttlMs } satisfies CountTerms);
}

const isSight = ({ terms }: Operation): boolean => terms?.kind === 'unique' || terms?.kind === 'sketch';

function answeredOf(op: Operation, note: Note | undefined, value: number): NonNullable<Effect['answered']> {
  return { value, delta: note?.delta ?? op.delta, ...(note?.verdict !== undefined && { verdict: note.verdict }) };
}

function effectOf(op: Operation, note: Note | undefined, answer: Answer, index: number): Operation | undefined {
  if (note?.code !== undefined) return undefined;
  if (op.effect !== undefined) return op;
  const { key, member, requestId, requestTtlMs, reach } = op;
  if (note?.replayed === true && requestTtlMs !== undefined) return undefined;
  // Seeing a member again adds nothing to the value, yet renews its time.
  const delta = isSight(op) ? op.delta : (note?.delta ?? op.delta);
  const expiresAtMs = note?.expiresAtMs;
  const effect: Effect = {
    atMs: answer.atMs,
    ...(requestId !== undefined && { answered: answeredOf(op, note, answer.values[index] ?? 0) }),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
    ...(note?.repaired === true && { repaired: true }),
  };
  return { key, delta, terms: decided(op.terms), member, requestId, requestTtlMs, reach, effect };
}

/**
 * The batch to send again once its results are known: the effects that were decided, not the conditions.
 * Operations that were refused have no effect and are left out. Those that were answered from a request id
 * are not: whoever counted them first may be gone; where the id is known they count nothing again. But where
 * an id has a lifetime of its own it may be forgotten by then, and only who counted it first sends it again.
 */
export function effectsOf(batch: Batch, answer: Answer): Batch {
  const operations: Operation[] = [];
  let next = 0;
  for (const [index, op] of batch.operations.entries()) {
    const note = answer.notes[next]?.index === index ? answer.notes[next++] : undefined;
    const effect = effectOf(op, note, answer, index);
    if (effect !== undefined) operations.push(effect);
  }
  return { ...batch, operations };
}
