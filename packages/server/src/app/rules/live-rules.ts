/**
 * The rules that hold now. They come from a file that is looked at some times a second; a change is read once it has
 * stood still for a look, so that a file that is being written is not read by half. A bad file changes nothing but
 * what is said of it. Looking works on every file system and through a rename; being told does not.
 */
import { readFile, stat } from 'node:fs/promises';
import { createTallystick, memoryStore, TallystickError } from 'tallystick';
import { calendar } from 'tallystick/calendar';
import type { Log } from '../log.ts';
import { parseRules, type Parsed, type RulesVersion } from './parse.ts';
import { inWords, type Problem } from './problems.ts';

/** What is said of the rules. */
export interface RulesStatus {
  /** The file. */
  readonly file: string;
  /** Of the rules that hold: the first digits of the file's SHA-256. */
  readonly version: string;
  /** When they were loaded, in milliseconds since the epoch. */
  readonly loadedAtMs: number;
  /** How many rules there are, in how many domains. */
  readonly rules: number;
  readonly domains: readonly string[];
  /** Why the file, as it is now, does not hold; null when it does. */
  readonly lastError: RulesFault | null;
}

/** How often a changed file was read since the start. */
export interface Reloads {
  loaded: number;
  refused: number;
}

/** What was wrong with a file. */
export interface RulesFault {
  /** When it was seen, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly problems: readonly Problem[];
}

/** Settings of {@link LiveRules}. */
export interface LiveRulesOptions {
  readonly file: string;
  readonly log: Log;
}

const LOOK_EVERY_MS = 150;

export class LiveRules {
  readonly #options: LiveRulesOptions;
  #current: RulesVersion;
  #loadedAtMs = Date.now();
  #lastError: RulesFault | null = null;
  /** What the file looked like when it was read last, and at the last look. */
  #read: string;
  #seen: string;
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;
  readonly reloads: Reloads = { loaded: 0, refused: 0 };

  private constructor(options: LiveRulesOptions, first: RulesVersion, mark: string) {
    this.#options = options;
    this.#current = first;
    this.#read = this.#seen = mark;
    this.#timer = setInterval(() => void this.#lookOnce(), LOOK_EVERY_MS).unref();
  }

  /** @throws TallystickError `INVALID_CONFIG`, with all that is wrong, when the file is bad. */
  static async open(options: LiveRulesOptions): Promise<LiveRules> {
    const mark = await markOf(options.file);
    const parsed = await readRules(options.file);
    if ('problems' in parsed) throw badRules(options.file, parsed.problems);
    return new LiveRules(options, parsed, mark);
  }

  get current(): RulesVersion {
    return this.#current;
  }

  get status(): RulesStatus {
    const { version, rules } = this.#current;
    return { file: this.#options.file, version, loadedAtMs: this.#loadedAtMs, rules: rules.count, domains: [...rules.domains.keys()], lastError: this.#lastError };
  }

  /** Looks no more. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** One look at a time, however slow the file system. */
  async #lookOnce(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    await this.#look().finally(() => (this.#isLooking = false));
  }

  async #look(): Promise<void> {
    const mark = await markOf(this.#options.file);
    const stoodStill = mark === this.#seen;
    this.#seen = mark;
    if (mark === this.#read || !stoodStill) return;
    this.#read = mark;
    this.#take(await readRules(this.#options.file));
  }

  #take(parsed: Parsed): void {
    const { log, file } = this.#options;
    if ('problems' in parsed) {
      this.#lastError = { atMs: Date.now(), problems: parsed.problems };
      log.error({ file, version: this.#current.version, problems: parsed.problems.map(inWords) }, 'the rules file is bad; the rules before it hold');
      this.reloads.refused++;
      return;
    }
    this.#lastError = null;
    this.#current = parsed;
    this.#loadedAtMs = Date.now();
    log.info({ file, version: parsed.version, rules: parsed.rules.count }, 'the rules were loaded');
    this.reloads.loaded++;
  }
}

/** What tells one state of a file from another; the reason when there is none to be seen. */
async function markOf(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return `${ino}/${size}/${mtimeNs}/${ctimeNs}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

/** The rules in `file`, or all that is wrong with it. Never rejects for what a file may be. */
export async function readRules(file: string): Promise<Parsed> {
  // What limits may be is the library's to say; nothing is kept in this one.
  const library = createTallystick({ store: memoryStore(), calendar });
  try {
    return await parseRules(await readFile(file, 'utf8'), (rules) => library.limits.resolve(rules));
  } catch (error) {
    return { problems: [{ path: '', message: `the file can't be read: ${(error as Error).message}` }] };
  } finally {
    await library.close();
  }
}

function badRules(file: string, problems: readonly Problem[]): TallystickError {
  const lines = problems.map((problem) => `\n  ${inWords(problem)}`).join('');
  return new TallystickError('INVALID_CONFIG', `rules: ${file}: expected a rules file (docs/rules.md):${lines}`, { field: 'rules' });
}
