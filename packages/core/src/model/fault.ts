/**
 * What a store checks of every operation, whoever sent it. The edge has checked more, and says more; this
 * is what keeps a store's own promises: exact integers, keys of 1 to 512 bytes, request ids that it forgets.
 */
import type { ErrorCode } from '../errors.ts';
import { isKey } from './key.ts';
import type { Operation } from './operation.ts';

/** Why an operation cannot be applied in any state, or undefined when it can. */
export function faultOf({ key, delta, member, requestTtlMs }: Operation): ErrorCode | undefined {
  if (!isKey(key) || (member !== undefined && !isKey(member))) return 'INVALID_KEY';
  if (requestTtlMs !== undefined && !(Number.isSafeInteger(requestTtlMs) && requestTtlMs >= 1)) return 'INVALID_ARGUMENT';
  return Number.isSafeInteger(delta) ? undefined : 'INVALID_AMOUNT';
}
