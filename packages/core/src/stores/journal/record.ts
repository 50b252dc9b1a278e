/**
 * Records of the journal: a batch as it was sealed, and, where its outcome had to be decided, what was decided.
 * As JSON: `[kind, atMs, source, partition, seq, operations]`, a plain add as `[key, delta]`.
 */
import { TallystickError } from '../../errors.ts';
import type { Batch } from '../../model/batch.ts';
import type { Operation } from '../../model/operation.ts';

/** A batch that was written down. */
export interface JournalRecord {
  /** `decided`: the operations are effects, to be sent instead of what was `sealed`. */
  readonly kind: 'sealed' | 'decided';
  /** When it was written, by this machine's clock. */
  readonly atMs: number;
  readonly batch: Batch;
}

type Packed = readonly [key: string, delta: number] | Operation;

function packed({ key, delta, terms, member, requestId, requestTtlMs, reach, effect }: Operation): Packed {
  const isPlain = terms === undefined && requestId === undefined && reach === undefined && effect === undefined;
  return isPlain ? [key, delta] : { key, delta, terms, member, requestId, requestTtlMs, reach, effect };
}

const isPlain = (operation: Packed): operation is readonly [string, number] => Array.isArray(operation);

/** A record as text. */
export function toText({ kind, atMs, batch: { source, partition, seq, operations } }: JournalRecord): string {
  return JSON.stringify([kind === 'decided' ? 1 : 0, atMs, source, partition, seq, operations.map(packed)]);
}

/** The record of a text. @throws TallystickError `DATA_CORRUPT`, naming the file. */
export function fromText(text: string, name: string): JournalRecord {
  try {
    const [kind, atMs, source, partition, seq, operations] = JSON.parse(text) as [0 | 1, number, string, number, number, Packed[]];
    const unpacked = operations.map((operation) => (isPlain(operation) ? { key: operation[0], delta: operation[1] } : operation));
    return { kind: kind === 1 ? 'decided' : 'sealed', atMs, batch: { source, partition, seq, operations: unpacked } };
  } catch (cause) {
    throw new TallystickError('DATA_CORRUPT', `${name}: a record is not one of this journal`, { cause });
  }
}

/** Names a source's queue for one partition. */
export const laneOf = ({ source, partition }: Batch): string => `${partition}/${source}`;
