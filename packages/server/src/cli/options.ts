/** Reads options that several commands have. */
import { TallystickError } from 'tallystick';
import { UsageError } from './terminal.ts';

/** A whole number from 1 on. @throws UsageError that names the option. */
export function countOf(name: string, text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1) throw new UsageError(`${name}: expected an integer from 1 on, got ${JSON.stringify(text)}`);
  return value;
}

/** A setting that a command can't do without. @throws TallystickError `INVALID_CONFIG`, naming it. */
export function required<Value>(field: string, value: Value | undefined, expected: string): Value {
  if (value === undefined) throw new TallystickError('INVALID_CONFIG', `${field}: expected ${expected}, got nothing`, { field });
  return value;
}
