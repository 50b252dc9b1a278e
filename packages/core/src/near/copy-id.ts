/** Under which name the copy of a counter is kept. */
import type { Query } from '../model/operation.ts';
import { cellId } from '../replica/cell.ts';

/** No key begins with these: they are halves of characters. */
const SUM = '\ud800';
const CELL = '\ud801';

/**
 * Different for all that can be asked for. Of a total it is the key itself, which costs nothing.
 *
 * @param isSum Whether the sum over all partitions is meant, not the counter in the key's own.
 */
export function copyId({ key, terms }: Query, isSum: boolean): string {
  if (isSum) return SUM + key;
  return terms === undefined || terms.kind === 'count' ? key : CELL + cellId({ key, terms });
}
