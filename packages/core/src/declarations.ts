/** Which counter type a key has: declared by a whole key or a beginning, looked up per call. */
import { TallystickError } from './errors.ts';
import { checkObject } from './model/check.ts';
import { outagePolicyOf, shardsOf, termsOf, typeOf, type CounterOptions, type CounterType, type CounterOnOutage } from './model/counter-type.ts';
import { checkKey } from './model/key.ts';
import type { Terms } from './model/operation.ts';

/** A counter type, checked, with its shared terms. */
export interface Declared {
  readonly type: CounterType;
  readonly terms: Terms | undefined;
  /** Of a `sharded` counter: over how many partitions its adds are spread. */
  readonly shards?: number;
  /** Undefined where none is named. */
  readonly onOutage?: CounterOnOutage;
}

/** What a key without declaration is. */
const PLAIN: Declared = Object.freeze({ type: 'simple', terms: undefined });

/** Terms given call by call are shared too, so that they can be combined: the last distinct ones. */
const MOST_SHARED = 1000;

export function declare(options: CounterOptions): Declared {
  const terms = termsOf(options);
  const shards = shardsOf(options);
  const onOutage = outagePolicyOf(options);
  const shared = terms && Object.freeze(terms);
  return Object.freeze({ type: typeOf(options), terms: shared, ...(shards !== undefined && { shards }), ...(onOutage !== undefined && { onOutage }) });
}

export class Declarations {
  readonly #exact = new Map<string, Declared>();
  /** Longest first, so that the most particular one wins. */
  readonly #beginnings: (readonly [string, Declared])[] = [];
  /** By their options. */
  readonly #given = new Map<string, Declared>();
  #last: { readonly options: CounterOptions; readonly declared: Declared } | undefined;

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

  /**
   * The declaration that the counter options of one call stand for; other fields are not looked at. Calls
   * come in runs of the same options, so the last ones are compared first.
   *
   * @throws TallystickError as `termsOf`.
   */
  given(options: CounterOptions): Declared {
    if (this.#last !== undefined && isSame(options, this.#last.options)) return this.#last.declared;
    const own = counterOptions(options);
    if (!Object.values(own).every(isNameable)) return declare(own);
    const name = JSON.stringify(own);
    const known = this.#given.get(name);
    const declared = known ?? declare(own);
    if (known === undefined) {
      if (this.#given.size >= MOST_SHARED) this.#given.clear();
      this.#given.set(name, declared);
    }
    this.#last = { options: own, declared };
    return declared;
  }

  #declare(pattern: string, options: CounterOptions): void {
    try {
      checkObject(options, 'options');
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

const FIELDS = ['type', 'min', 'max', 'ttlMs', 'ends', 'windowMs', 'slices', 'shards', 'onOutage'] as const;

/** Whether it is named apart by JSON: texts, numbers and lists of them are; a bigint would throw in it. */
const isNameable = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'string' || (Array.isArray(value) && value.every(isNameable));

/** The counter options among the fields of an object, in one order. */
function counterOptions(options: CounterOptions): CounterOptions {
  return Object.fromEntries(FIELDS.flatMap((field) => (options[field] === undefined ? [] : [[field, options[field]]])));
}

const isSame = (a: CounterOptions, b: CounterOptions): boolean =>
  a.type === b.type && a.ttlMs === b.ttlMs && a.min === b.min && a.max === b.max && a.windowMs === b.windowMs && a.slices === b.slices &&
  a.shards === b.shards && a.onOutage === b.onOutage && a.ends === b.ends;
