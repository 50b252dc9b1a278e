/** Reading fields of a rules file: what is not as it should be becomes a problem, and reading goes on. */
import { within, type Problems } from './problems.ts';

/** What a part of the file is read with. */
export interface Place {
  readonly path: string;
  readonly problems: Problems;
}

/** A part of the file, with its fields. */
export type Fields = Readonly<Record<string, unknown>>;

/** The place of a field or an item (`[3]`). */
export function at({ path, problems }: Place, name: string): Place {
  return { path: name.startsWith('[') ? path + name : within(path, name), problems };
}

/** `value` as an object with no other fields than `known`; undefined, and a problem, when it is none. */
export function fieldsOf(value: unknown, place: Place, known: readonly string[]): Fields | undefined {
  const fields = objectOf(value, place);
  for (const name of Object.keys(fields ?? {})) {
    if (!known.includes(name)) at(place, name).problems.say(within(place.path, name), `no such field; known are ${known.join(', ')}`);
  }
  return fields;
}

/** `value` as an object. */
export function objectOf(value: unknown, { path, problems }: Place): Fields | undefined {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  problems.add(path, 'an object', value);
  return undefined;
}

/** `value` as a list of at least one item; empty when it is not there. */
export function listOf(value: unknown, { path, problems }: Place): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.length > 0) return value;
  problems.add(path, 'a list of at least one item', value);
  return [];
}

/** `value` as a well-formed text of 1 to 128 characters. */
export function textOf(value: unknown, { path, problems }: Place): string | undefined {
  if (typeof value === 'string' && value.length >= 1 && value.length <= 128 && value.isWellFormed()) return value;
  problems.add(path, 'a text of 1 to 128 characters', value);
  return undefined;
}

/** `value` as one of `names`; `fallback` when it is not there. */
export function choiceOf<Name extends string | boolean>(value: unknown, { path, problems }: Place, names: readonly Name[], fallback: Name): Name {
  if (value === undefined) return fallback;
  const found = names.find((name) => name === value);
  if (found === undefined) problems.add(path, names.map(String).join(' or '), value);
  return found ?? fallback;
}

/** `value` as a whole number from `least` to `most`; `fallback` when it is not there. */
export function wholeOf(value: unknown, { path, problems }: Place, [least, most]: readonly [number, number], fallback: number): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  problems.add(path, `an integer from ${least} to ${most}`, value);
  return fallback;
}
