/** Values and amounts are exact integers within ±(2^53 − 1) on every path. Nothing is ever rounded. */
import { describe, TallystickError } from '../errors.ts';

/** The largest value of a counter, 2^53 − 1; the smallest is its negative. */
export const MAX_VALUE = Number.MAX_SAFE_INTEGER;

/** Whether a sum of two safe integers is itself one. (A rounded sum is always outside the range.) */
export function inRange(value: number): boolean {
  return value <= MAX_VALUE && value >= -MAX_VALUE;
}

/**
 * Returns `amount` when it is an integer in range (−0 becomes 0).
 *
 * @throws TallystickError `INVALID_AMOUNT`, naming `field`.
 */
export function checkAmount(amount: unknown, field = 'delta'): number {
  if (Number.isSafeInteger(amount)) return (amount as number) + 0;
  throw new TallystickError('INVALID_AMOUNT', `${field}: expected an integer within ±(2^53 − 1), got ${describe(amount)}`, { field });
}

/**
 * Returns `duration` when it is a whole number of milliseconds between `least` and 2^53 − 1.
 *
 * @throws TallystickError `INVALID_ARGUMENT`, naming `field`.
 */
export function checkDurationMs(duration: unknown, field: string, least = 1): number {
  if (Number.isSafeInteger(duration) && (duration as number) >= least) return duration as number;
  const expected = `a whole number of milliseconds, at least ${least}`;
  throw new TallystickError('INVALID_ARGUMENT', `${field}: expected ${expected}, got ${describe(duration)}`, { field });
}
