/** Checks of settings, each naming the field, what was expected and what came. */
import { describe, TallystickError, type ErrorCode } from '../errors.ts';

/** The refusal of a value. */
export function unexpected(field: string, expected: string, got: unknown, code: ErrorCode = 'INVALID_CONFIG'): TallystickError {
  return new TallystickError(code, `${field}: expected ${expected}, got ${describe(got)}`, { field });
}

/** @throws TallystickError `code`, when `value` is no object of named fields. */
export function checkObject(value: unknown, field: string, code: ErrorCode = 'INVALID_ARGUMENT'): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unexpected(field, 'an object', value, code);
}

/**
 * Returns `options`, when they have no other fields than these.
 *
 * @throws TallystickError `code`, naming the field.
 */
export function checkOptions<T extends object>(options: T, fields: readonly (keyof T & string)[], code: ErrorCode = 'INVALID_CONFIG'): T {
  checkObject(options, 'options', code);
  const stranger = Object.keys(options).find((name) => !(fields as readonly string[]).includes(name));
  if (stranger === undefined) return options;
  throw new TallystickError(code, `${stranger}: expected one of ${fields.join(', ')}, got an unknown option`, { field: stranger });
}

/** @throws TallystickError `INVALID_CONFIG`, when a setting is there and no whole number in its range. */
export function checkWhole(value: unknown, field: string, [least, most]: readonly [number, number]): void {
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most)) return;
  throw unexpected(field, `an integer from ${least} to ${most}`, value);
}

/** @throws TallystickError `INVALID_CONFIG`, when a setting is there and no function. */
export function checkFunction(value: unknown, field: string): void {
  if (value !== undefined && typeof value !== 'function') throw unexpected(field, 'a function', value);
}
