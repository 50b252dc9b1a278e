/**
 * Checks of a request's shape, whatever the transport. They throw `TallystickError`, naming the field by
 * its path (`items[3].delta`). What a key, an amount or a counter option may be is the library's to say and
 * is not checked here a second time; its errors are only given the path of the request they came in.
 */
import { TallystickError } from 'tallystick';

/** A request, or a part of one, with fields. */
export type Fields = Readonly<Record<string, unknown>>;

const SHOWN_CHARACTERS = 40;

/** Says what came, for an error message: short, and safe for any value whatever. */
function shown(value: unknown): string {
  if (typeof value === 'string') {
    return value.length > SHOWN_CHARACTERS ? `a string of ${value.length} characters` : JSON.stringify(value);
  }
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'bigint' ? `${value}n` : String(value);
}

/** The error for a field, or an unnamed item of a list, that is not what it should be. */
export function unexpected(field: string | undefined, expected: string, value: unknown): TallystickError {
  const message = `expected ${expected}, got ${shown(value)}`;
  return field === undefined
    ? new TallystickError('INVALID_ARGUMENT', message)
    : new TallystickError('INVALID_ARGUMENT', `${field}: ${message}`, { field });
}

function unknownField(name: string, known: ReadonlySet<string>): TallystickError {
  const message = `${shown(name)} is not a field here; known are ${[...known].join(', ')}`;
  return new TallystickError('UNKNOWN_FIELD', message, { field: name });
}

/**
 * Returns `value` when it is an object that has no other fields than `known`. An item of a list is named by
 * {@link checkEach} and has no name of its own.
 *
 * @throws TallystickError `INVALID_ARGUMENT` (field `name`) or `UNKNOWN_FIELD`.
 */
export function checkObject(value: unknown, known: ReadonlySet<string>, name?: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unexpected(name, 'an object', value);
  for (const field in value) if (!known.has(field)) throw unknownField(field, known);
  return value as Fields;
}

/**
 * Returns `value` when it can be a part of a key: its length is judged with the whole key.
 *
 * @throws TallystickError `INVALID_KEY`.
 */
export function checkKeyPart(value: unknown, field?: string): string {
  if (typeof value === 'string' && value !== '') return value;
  const { message } = unexpected(field, '1 to 512 bytes of well-formed UTF-8', value);
  throw new TallystickError('INVALID_KEY', message, field === undefined ? {} : { field });
}

/** Returns `value` when it is a well-formed string of 1 to `most` characters. */
export function checkText(value: unknown, field: string, most: number): string {
  if (typeof value === 'string' && value.length > 0 && value.length <= most && value.isWellFormed()) return value;
  throw unexpected(field, `a well-formed string of 1 to ${most} characters`, value);
}

/** Returns `value` when it is true or false; false when it is not there. */
export function checkFlag(value: unknown, field: string): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw unexpected(field, 'true or false', value);
}

/** Returns `value` when it is an integer from `least` to `most`. */
export function checkInteger(value: unknown, field: string, least: number, most: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  throw unexpected(field, `an integer from ${least} to ${most}`, value);
}

/**
 * Returns `value` when it is a list of at most `most` items.
 *
 * @throws TallystickError `INVALID_ARGUMENT` or `BATCH_TOO_LARGE`.
 */
export function checkList(value: unknown, field: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw unexpected(field, 'an array', value);
  if (value.length <= most) return value;
  throw new TallystickError('BATCH_TOO_LARGE', `${field}: expected at most ${most} items, got ${value.length}`, { field });
}

/** Runs `check` on every item; what it throws names the item's place in `list`. */
export function checkEach<Item>(list: string, items: readonly unknown[], check: (item: unknown) => Item): Item[] {
  return items.map((item, index) => {
    try {
      return check(item);
    } catch (error) {
      throw error instanceof TallystickError ? renamed(error.at(index), 'items', list) : error;
    }
  });
}

/**
 * The library's error in the words of the request: where its field and message begin with `from` they begin
 * with `to` instead. Anything else is returned as it is.
 */
export function renamed(error: unknown, from: string, to: string): unknown {
  if (!(error instanceof TallystickError) || error.field?.startsWith(from) !== true) return error;
  const { code, field, index, value, cause, message } = error;
  const begun = message.startsWith(from) ? to + message.slice(from.length) : message;
  return new TallystickError(code, begun, {
    field: to + field.slice(from.length),
    cause,
    ...(index !== undefined && { index }),
    ...(value !== undefined && { value }),
  });
}
