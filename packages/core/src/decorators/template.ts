/**
 * Text made of a call's arguments, written as a template: `article:read:{id}`.
 *
 * `{id}` is a property of the first argument, `{0}` and `{1}` are arguments by position, `{0.author.id}` is a
 * path; `{{` and `}}` are plain braces. A template is checked when it is compiled.
 *
 * Two different lists of values never give the same text. The last value stands as it is, so a template with
 * one part gives exactly what it looks like; in a value before another one, `%` and the character that begins
 * the text after it are percent-encoded. Hence the text between two parts is not empty and begins with
 * neither `%` (the encoding's own mark) nor a letter or digit (which the encoding is made of).
 */
import { describe, TallystickError } from '../errors.ts';
import { checkKey } from '../model/key.ts';

/** A compiled template. @throws TallystickError `INVALID_KEY` when a value is missing or is no identity. */
export type Template = (args: readonly unknown[]) => string;

/** One `{…}`. */
interface Part {
  /** As written. */
  readonly path: string;
  readonly position: number;
  /** Properties to follow from the argument on. */
  readonly names: readonly string[];
}

const TOKEN = /\{\{|\}\}|\{(?<path>[^{}]*)\}|[^{}]+|[{}]/gu;
const NAME = String.raw`[\p{L}_$][\p{L}\p{N}_$-]*`;
const PATH = new RegExp(String.raw`^(?:\d{1,3}|${NAME})(?:\.(?:\d+|${NAME}))*$`, 'u');
const SEPARATOR = /^[^\p{L}\p{N}%]/u;

/**
 * Compiles a template.
 *
 * @throws TallystickError `INVALID_CONFIG`, naming `field`.
 */
export function compileTemplate(template: string, field: string): Template {
  const { texts, parts } = parse(template, field);
  const separators = texts.slice(1, -1).map((text) => separatorOf(text, template, field));
  checkTexts(texts, template, field);
  return (args) => {
    let whole = texts[0] as string;
    for (const [i, part] of parts.entries()) whole += encode(textOf(part, args, field), separators[i]) + (texts[i + 1] as string);
    return whole;
  };
}

/** The plain texts around the parts, one more than there are parts. */
function parse(template: string, field: string): { texts: string[]; parts: Part[] } {
  const texts = [''];
  const parts: Part[] = [];
  for (const { 0: token, groups } of template.matchAll(TOKEN)) {
    const path = groups?.['path'];
    if (path !== undefined) {
      parts.push(parsePath(path, template, field));
      texts.push('');
    } else if (token === '{' || token === '}') {
      throw fault(template, field, `every { closed by a } (a plain brace is written {{ or }}), got a lone ${token}`);
    } else {
      texts.push(`${texts.pop() ?? ''}${token === '{{' || token === '}}' ? token.charAt(0) : token}`);
    }
  }
  return { texts, parts };
}

function parsePath(path: string, template: string, field: string): Part {
  if (!PATH.test(path)) throw fault(template, field, `{name}, {0} or {0.name}, got {${path}}`);
  const names = path.split('.');
  const isPosition = /^\d/.test(path);
  return { path, position: isPosition ? Number(names[0]) : 0, names: isPosition ? names.slice(1) : names };
}

function separatorOf(text: string, template: string, field: string): string {
  const separator = SEPARATOR.exec(text)?.[0];
  if (separator !== undefined) return separator;
  throw fault(template, field, `a separator such as : between two parts, got ${text === '' ? 'nothing' : describe(text)}`);
}

/** What cannot become a key with the shortest of values never will. */
function checkTexts(texts: readonly string[], template: string, field: string): void {
  try {
    checkKey(texts.join('x'), field);
  } catch (error) {
    throw fault(template, field, 'text that can become a key', error);
  }
}

/** `text` so that it contains no `separator`, and can be told from any other. */
function encode(text: string, separator: string | undefined): string {
  if (separator === undefined) return text;
  return text.replaceAll('%', '%25').replaceAll(separator, percentEncode(separator));
}

function percentEncode(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x80 ? `%${code.toString(16).toUpperCase().padStart(2, '0')}` : encodeURIComponent(character);
}

function textOf({ path, position, names }: Part, args: readonly unknown[], field: string): string {
  let value = args[position];
  for (const name of names) {
    value = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
  }
  if (isIdentity(value)) return String(value);
  throw new TallystickError('INVALID_KEY', `${field}: {${path}}: expected a non-empty string or a number, got ${describe(value)}`, { field });
}

/** Whether a value can tell one counter from another: nothing that would become `undefined` or `[object Object]`. */
function isIdentity(value: unknown): value is string | number | bigint | boolean {
  if (typeof value === 'string') return value !== '';
  return typeof value === 'number' ? Number.isFinite(value) : typeof value === 'bigint' || typeof value === 'boolean';
}

function fault(template: string, field: string, expected: string, cause?: unknown): TallystickError {
  return new TallystickError('INVALID_CONFIG', `${field}: template ${describe(template)}: expected ${expected}`, { field, cause });
}
