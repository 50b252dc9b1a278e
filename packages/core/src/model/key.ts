/**
 * A key is 1 to 512 bytes of well-formed UTF-8, compared byte by byte in every tier. Nothing is
 * normalised, folded or trimmed: `café` composed and decomposed are two keys, and so are `key` and `key `.
 */
import { describe, TallystickError } from '../errors.ts';

/** The most bytes a key may have in UTF-8. */
export const MAX_KEY_BYTES = 512;

/** No UTF-16 code unit takes more than three bytes in UTF-8, so a string this short needs no counting. */
const SURELY_SHORT = Math.floor(MAX_KEY_BYTES / 3);

/** Bytes of a well-formed string in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) bytes += unit > 0x7ff ? 2 : 1;
    if (unit >= 0xd800 && unit <= 0xdbff) {
      // A pair is two units and four bytes: both halves together add two.
      i++;
    }
  }
  return bytes;
}

/** Why `key` is not a key, or undefined when it is one. */
function faultOf(key: unknown): string | undefined {
  if (typeof key !== 'string') return `expected a string, got ${describe(key)}`;
  if (key.length === 0) return 'expected 1 to 512 bytes, got an empty string';
  if (!key.isWellFormed()) return 'expected well-formed Unicode, got a string with a lone surrogate';
  if (key.length <= SURELY_SHORT) return undefined;
  const bytes = key.length > MAX_KEY_BYTES ? key.length : utf8Length(key);
  return bytes <= MAX_KEY_BYTES ? undefined : `expected at most 512 bytes of UTF-8, got ${bytes} or more`;
}

/** Whether `key` is one. */
export const isKey = (key: unknown): key is string => faultOf(key) === undefined;

/**
 * Returns `key` when it is one.
 *
 * @throws TallystickError `INVALID_KEY`, naming `field`.
 */
export function checkKey(key: unknown, field = 'key'): string {
  const fault = faultOf(key);
  if (fault !== undefined) throw new TallystickError('INVALID_KEY', `${field}: ${fault}`, { field });
  return key as string;
}

/**
 * Joins parts to one key so that different parts, or another number of parts, never give the same key:
 * every part but the last is preceded by its length, the last by a colon alone (`1:a:bc`, against `2:ab:c`).
 * So keys whose parts differ only in the last begin alike.
 *
 * @throws TallystickError `INVALID_KEY` when a part is not a string or the whole is too long.
 * @example joinKey('203.0.113.7', '/login') // '11:203.0.113.7:/login'
 */
export function joinKey(...parts: readonly string[]): string {
  let key = '';
  for (const [i, part] of parts.entries()) {
    if (typeof part !== 'string') {
      const field = `parts[${i}]`;
      throw new TallystickError('INVALID_KEY', `${field}: expected a string, got ${describe(part)}`, { field });
    }
    key += i === parts.length - 1 ? `:${part}` : `${part.length}:${part}`;
  }
  return checkKey(key, 'parts');
}
