/** Which counter type a key has: declared by a whole key or a beginning, looked up per call. */
import { TallystickError } from './errors.ts';
import { termsOf, typeOf, type CounterOptions, type CounterType } from './model/counter-type.ts';
import { checkKey } from './model/key.ts';
import type { Terms } from './model/operation.ts';

/** A counter type, checked, with its shared terms. */
export interface Declared {
  readonly type: CounterType;
  readonly terms: Terms | undefined;
}

const PLAIN: Declared = Object.freeze({ type: 'simple', terms: undefined });

/** Terms given call by call are shared too, so that they can be combined: the last distinct ones. */
const MOST_SHARED = 1000;

export function declare(options: CounterOptions): Declared {
  const terms = termsOf(options);
  return Object.freeze({ type: typeOf(options), terms: terms && Object.freeze(terms) });
}

export class Declarations {
  readonly #exact = new Map<string, Declared>();
  /** Longest first, so that the most particular one wins. */
  readonly #beginnings: (readonly [string, Declared])[] = [];
  readonly #given = new Map<string, Declared>();

  /** @throws TallystickError naming the pattern and the field at fault. */
  constructor(byPattern: Readonly<Record<string, CounterOptions>>) {
    for (const [pattern, options] of Object.entries(byPattern)) this.#declare(pattern, options);
    this.#beginnings.sort(([a], [b]) => b.length - a.length);
  }

  get isEmpty(): boolean {
    return this.#exact.size === 0 && this.#beginnings.length === 0;
  }

  /** What is declared for `key`; undefined when nothing is. */
  find(key: string): Declared | undefined {
    if (this.isEmpty || typeof key !== 'string') return undefined;
    return this.#exact.get(key) ?? this.#beginnings.find(([beginning]) => key.startsWith(beginning))?.[1];
  }

  /** What is declared for `key`, or a plain `simple` counter. */
  of(key: string): Declared {
    return this.find(key) ?? PLAIN;
  }

  /** The declaration that options of one call stand for. @throws TallystickError as `termsOf`. */
  given(options: CounterOptions): Declared {
    const { type = 'simple', min, max, ttlMs, windowMs, slices } = options;
    const name = `${type}|${min}|${max}|${ttlMs}|${windowMs}|${slices}`;
    const known = this.#given.get(name);
    if (known !== undefined) return known;
    const declared = declare(options);
    if (this.#given.size >= MOST_SHARED) this.#given.clear();
    this.#given.set(name, declared);
    return declared;
  }

  #declare(pattern: string, options: CounterOptions): void {
    try {
      const declared = declare(options);
      if (!pattern.endsWith('*')) this.#exact.set(checkKey(pattern), declared);
      else this.#beginnings.push([pattern.slice(0, -1), declared]);
    } catch (error) {
      if (!(error instanceof TallystickError)) throw error;
      const place = `counters[${JSON.stringify(pattern)}]`;
      throw new TallystickError('INVALID_CONFIG', `${place}.${error.message}`, { field: `${place}.${error.field ?? 'key'}`, cause: error });
    }
  }
}
