/** What is wrong with a rules file: all of it at once, each by its place. */
import { unexpected } from '../checks.ts';

/** One thing that is wrong. */
export interface Problem {
  /** Where, as `domains[0].descriptors[2].limit.windowMs`; empty for the file itself. */
  readonly path: string;
  /** What was expected and what came. */
  readonly message: string;
}

/** Told at most: whoever has more mends these first. */
const MOST = 100;

export class Problems {
  readonly found: Problem[] = [];

  /** Notes that `got` is not what it should be. */
  add(path: string, expected: string, got: unknown): void {
    this.say(path, unexpected(undefined, expected, got).message);
  }

  say(path: string, message: string): void {
    if (this.found.length < MOST) this.found.push({ path, message });
  }
}

/** A problem in one line. */
export const inWords = ({ path, message }: Problem): string => (path === '' ? message : `${path}: ${message}`);

/** A field of `path`. */
export const within = (path: string, field: string): string => (path === '' ? field : `${path}.${field}`);
