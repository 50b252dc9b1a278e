/** A store whose reads come in time or not at all: one deadline for all that is asked in one turn. */
import type { Store } from 'tallystick';
import { within } from './within.ts';

/**
 * `store`, with reads that wait no longer than `timeoutMs`.
 */
export function timelyStore(store: Store, timeoutMs: number): Store {
  const { partitions, mayLose = false, isSpread = false } = store;
  return {
    partitions,
    mayLose,
    isSpread,
    apply: (batch) => store.apply(batch),
    read: (partition, queries) => within(store.read(partition, queries), timeoutMs),
    close: () => store.close(),
  };
}
