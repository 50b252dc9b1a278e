/** Options of `@Count`: their types, their check, and what they come to. */
import type { AddOptions, Counters } from '../counters.ts';
import { describe, TallystickError } from '../errors.ts';
import { checkAmount } from '../model/amount.ts';
import { termsOf, typeOf, type CounterOptions, type CounterType } from '../model/counter-type.ts';
import { checkKey } from '../model/key.ts';
import type { AnyFunction } from './replacement.ts';
import { compileTemplate } from './template.ts';

/** Which outcomes of a call count: `return` when it succeeds, `throw` when it fails, `settle` both. */
export type CountOn = 'return' | 'throw' | 'settle';

/** The call whose counting failed. */
export interface CountFailure {
  /** Name of the decorated method; `#name` for a private one. */
  readonly method: string | symbol;
  /** The counter's key, where it was known. */
  readonly key: string | undefined;
}

/** What counts the calls: counters of a tallystick, or those of a client, which have no `tally` and need none. */
export type CallCounters = Pick<Counters, 'add'> & Partial<Pick<Counters, 'tally'>>;

/**
 * Options of {@link Count}. `type`, `min`, `max`, `ttlMs`, `windowMs`, `slices`, `shards` and `onOutage` are those of `counters.add`
 * and replace what is declared for the key; without them the declaration holds.
 *
 * The functions get the method's arguments as they came, before defaults, and its `this`. They run before the
 * method, so that a method that changes its arguments does not change its key.
 */
export interface CountOptions<
  This = unknown,
  KeyArgs extends readonly unknown[] = readonly unknown[],
  DeltaArgs extends readonly unknown[] = readonly unknown[],
  MemberArgs extends readonly unknown[] = readonly unknown[],
  Result = unknown,
> extends CounterOptions {
  /** The counters to add to, or a function that gives them, called with the method's `this` when a call is counted. */
  readonly counters: CallCounters | ((self: This) => CallCounters);
  /**
   * The counter's key: a function of the method's arguments, or a template. In a template `{id}` is a property
   * of the first argument, `{0}` and `{1}` arguments by position, `{0.author.id}` a path; `{{` and `}}` are
   * plain braces. A value that is missing, empty, NaN or an object fails the counting: there is no key `undefined`.
   * Where several parts could run into each other, the separator is percent-encoded in all but the last.
   *
   * @example 'article:read:{id}'
   * @example (articleId: string) => `article:read:${articleId}`
   */
  readonly key: string | ((this: This, ...args: KeyArgs) => string);
  /** The amount, or a function of the method's arguments that gives it. Default 1. */
  readonly delta?: number | ((this: This, ...args: DeltaArgs) => number);
  /**
   * The amount as a function of what the call came to: the value returned, fulfilled or returned by the
   * generator. Only with `on: 'return'`, and instead of `delta`.
   *
   * @example (articles: string[]) => articles.length
   */
  readonly deltaOfResult?: (this: This, result: Result) => number;
  /** `unique`, `unique-approx`: who was seen, as a template or function like `key`. Required for those types. */
  readonly member?: string | ((this: This, ...args: MemberArgs) => string);
  /** Default `return`. */
  readonly on?: CountOn;
  /**
   * Told of every call that should have counted and could not be: a key without a value, a store that refused.
   * What it throws is dropped. Default: nobody is told. The call itself never fails or waits.
   */
  readonly onError?: (error: unknown, failure: CountFailure) => void;
}

/** Text of one call: a key or a member. @throws TallystickError, or whatever the application's function throws. */
export type TextOf = (self: unknown, args: readonly unknown[]) => string;

/** Counters as they are called here. An application may pass its own, so nothing is taken for granted about their answers. */
interface AnyCounters {
  add(key: string, delta: number, options: AddOptions | undefined): unknown;
  tally?(key: string, delta: number): unknown;
}

/** Options, checked and compiled. */
export interface CountSettings {
  readonly countersOf: (self: unknown) => AnyCounters;
  readonly keyOf: TextOf;
  readonly deltaOf: number | AnyFunction;
  readonly deltaOfResult: AnyFunction | undefined;
  readonly memberOf: TextOf | undefined;
  readonly counter: CounterOptions | undefined;
  /** Counted by `tally`. */
  readonly tallied: boolean;
  readonly onReturn: boolean;
  readonly onThrow: boolean;
  readonly onError: ((error: unknown, failure: CountFailure) => unknown) | undefined;
}

const OUTCOMES: ReadonlySet<unknown> = new Set(['return', 'throw', 'settle']);
const COUNTER_FIELDS = ['type', 'min', 'max', 'ttlMs', 'windowMs', 'slices', 'shards', 'onOutage'] as const;
const KNOWN: ReadonlySet<string> = new Set(['counters', 'key', 'delta', 'deltaOfResult', 'member', 'on', 'onError', ...COUNTER_FIELDS]);

/** Any options, as they are read here. */
export type AnyCountOptions = CountOptions<never, never, never, never, never>;

/**
 * Checks options and compiles their templates.
 *
 * @throws TallystickError `INVALID_CONFIG`, naming the option.
 */
export function checkCountOptions(options: AnyCountOptions): CountSettings {
  if (!isObject(options)) throw invalid('options', 'an object', describe(options));
  const unknown = Object.keys(options).find((field) => !KNOWN.has(field));
  if (unknown !== undefined) throw invalid(unknown, `one of ${[...KNOWN].join(', ')}`, 'an unknown option');
  const { key, on = 'return', onError } = options;
  if (!OUTCOMES.has(on)) throw invalid('on', 'return, throw or settle', describe(on));
  if (onError !== undefined && !isFunction(onError)) throw invalid('onError', 'a function', describe(onError));
  const counter = checkCounter(options);
  return {
    countersOf: checkCounters(options.counters),
    keyOf: checkText(key, 'key'),
    ...checkDeltas(options, on, counter.type),
    memberOf: checkMember(options.member, counter.type),
    counter: counter.given,
    tallied: counter.type === 'batched',
    onReturn: on !== 'throw',
    onThrow: on !== 'return',
    onError,
  };
}

function checkCounters(counters: unknown): CountSettings['countersOf'] {
  if (isFunction(counters)) return (self) => counters.call(undefined, self) as AnyCounters;
  if (isObject(counters) && 'add' in counters) return () => counters as unknown as AnyCounters;
  throw invalid('counters', 'counters, or a function that gives them', describe(counters));
}

function checkText(text: unknown, field: 'key' | 'member'): TextOf {
  if (isFunction(text)) return (self, args) => checkKey(Reflect.apply(text, self, args), field);
  if (typeof text !== 'string') throw invalid(field, 'a template or a function', describe(text));
  const template = compileTemplate(text, field);
  return (_self, args) => checkKey(template(args), field);
}

function checkMember(member: unknown, type: CounterType): TextOf | undefined {
  if (countsMembers(type)) return checkText(member, 'member');
  if (member !== undefined) throw invalid('member', `nothing: a ${type} counter has no members`, describe(member));
  return undefined;
}

function checkDeltas({ delta, deltaOfResult }: AnyCountOptions, on: CountOn, type: CounterType): Pick<CountSettings, 'deltaOf' | 'deltaOfResult'> {
  const given = delta !== undefined ? 'delta' : 'deltaOfResult';
  if (countsMembers(type) && (delta ?? deltaOfResult) !== undefined) throw invalid(given, `nothing: a ${type} counter counts members one by one`, 'a value');
  if (deltaOfResult === undefined) return { deltaOf: checkDelta(delta, type), deltaOfResult };
  if (!isFunction(deltaOfResult)) throw invalid('deltaOfResult', 'a function', describe(deltaOfResult));
  if (on !== 'return') throw invalid('deltaOfResult', `on: 'return', for a call that throws has no result`, `on: '${on}'`);
  if (delta !== undefined) throw invalid('deltaOfResult', 'either delta or deltaOfResult', 'both');
  return { deltaOf: 1, deltaOfResult };
}

function checkDelta(delta: unknown, type: CounterType): number | AnyFunction {
  if (delta === undefined) return 1;
  if (isFunction(delta)) return delta;
  const amount = configured(() => checkAmount(delta));
  if (amount < 0 && type.startsWith('sliding')) throw invalid('delta', 'at least 0: events cannot be taken out of a window', String(amount));
  return amount;
}

/** The counter options that were given, undefined when none were: then the declaration of the key holds. */
function checkCounter(options: AnyCountOptions): { readonly type: CounterType; readonly given: CounterOptions | undefined } {
  const entries = COUNTER_FIELDS.map((field) => [field, options[field]] as const).filter(([, value]) => value !== undefined);
  const given = Object.freeze(Object.fromEntries(entries)) as CounterOptions;
  configured(() => termsOf(given));
  if (given.type === 'batched' && given.ttlMs !== undefined) {
    throw invalid('ttlMs', 'nothing: the lifetime of a batched counter is declared for its key in createTallystick', String(given.ttlMs));
  }
  return { type: typeOf(given), given: entries.length === 0 ? undefined : given };
}

/** What `check` gives; its refusal is one of the configuration. */
function configured<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof TallystickError)) throw error;
    throw new TallystickError('INVALID_CONFIG', error.message, { ...(error.field !== undefined && { field: error.field }), cause: error });
  }
}

const countsMembers = (type: CounterType): boolean => type === 'unique' || type === 'unique-approx';
const isFunction = (value: unknown): value is AnyFunction => typeof value === 'function';
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function invalid(field: string, expected: string, got: string): TallystickError {
  return new TallystickError('INVALID_CONFIG', `${field}: expected ${expected}, got ${got}`, { field });
}
