/** Whose units a rule counts: the domain and those entries of the descriptor that tell subjects apart. */
import { createHash } from 'node:crypto';
import { joinKey } from 'tallystick';
import type { Entry } from './tree.ts';

/** Longer ones, such as a path that somebody made long, are told apart by their digest: a limit can't be escaped by length. */
const MOST_CHARACTERS = 160;

/** The subject of `entries` in a domain; `by` names the entries that count, undefined: all. */
export function subjectOf(domain: string, entries: readonly Entry[], by: readonly string[] | undefined): string {
  const parts = ['rules', domain];
  for (const { key, value } of entries) if (by === undefined || by.includes(key)) parts.push(key, value);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return length <= MOST_CHARACTERS ? joinKey(...parts) : joinKey('rules', '', digestOf(parts));
}

/** A domain is never empty, so no short subject is a digest. */
const digestOf = (parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
