/** What a client's error says of a call. All but a missing script is the same to a lane: it sends again. */
import { describe, TallystickError } from '../../errors.ts';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : describe(error));

/** Whether a call failed because the server does not know the script: nothing was done. */
export const isScriptMissing = (error: unknown): boolean => error instanceof TallystickError && messageOf(error.cause).startsWith('NOSCRIPT');

/** The error of a call whose outcome is unknown, or that the server refused for now (READONLY, LOADING, OOM …). */
export function unavailable(error: unknown): TallystickError {
  return new TallystickError('STORE_UNAVAILABLE', `Redis: ${messageOf(error)}`, { cause: error });
}

/** The error of a call that was not answered in time. */
export function timedOut(timeoutMs: number): TallystickError {
  return new TallystickError('STORE_UNAVAILABLE', `Redis did not answer within ${timeoutMs} ms`);
}

/** The error of a store that was closed. */
export const closed = (): TallystickError => new TallystickError('CLOSED', 'the Redis store is closed');

/** The error of a partition without data, which those of the ledger are restored to first. */
export const notRestored = (partition: number): TallystickError =>
  new TallystickError('STORE_UNAVAILABLE', `Redis: partition ${partition} is empty, and closed until it is restored from the ledger`);

/** The error of data that was created with another number of partitions. */
export function otherPartitions(partitions: number, found: number): TallystickError {
  const message = `partitions: expected ${found}, with which the data was created, got ${partitions}`;
  return new TallystickError('PARTITIONS_MISMATCH', message, { field: 'partitions' });
}
