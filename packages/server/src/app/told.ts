/**
 * What callers are told of errors: the one table from what happens inside to what is shown outside. What is not in it is
 * a code of the error table that is meant for callers, and is told as it is.
 */
import { errorTable, TallystickError, type ErrorCode } from 'tallystick';

/** Codes that concern an operator alone, and the one a caller is told instead. The log has the error itself. */
export const TOLD_AS: Readonly<Partial<Record<ErrorCode, ErrorCode>>> = Object.freeze({
  DATA_IN_USE: 'INTERNAL',
  DATA_CORRUPT: 'INTERNAL',
  SCHEMA_MISMATCH: 'INTERNAL',
  PARTITIONS_MISMATCH: 'INTERNAL',
  INVALID_CONFIG: 'INTERNAL',
});

/**
 * The error to answer with. One that is not to be shown, and any that is no `TallystickError`, is its `cause`: for the
 * log. Of a store that is away a caller is not told what its driver said: it may name hosts and users.
 */
export function toldOf(error: unknown): TallystickError {
  if (!(error instanceof TallystickError)) return hidden('INTERNAL', error);
  const code = TOLD_AS[error.code];
  if (code !== undefined) return hidden(code, error);
  return error.code === 'STORE_UNAVAILABLE' && error.cause !== undefined ? hidden(error.code, error) : error;
}

const hidden = (code: ErrorCode, cause: unknown): TallystickError => new TallystickError(code, errorTable[code].meaning, { cause });
