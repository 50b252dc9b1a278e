/** `@RateLimit`: asks whether a method may be called, before it is. */
import { describe, TallystickError } from '../errors.ts';
import type { Rules, TakeOptions } from '../limits.ts';
import { checkKey } from '../model/key.ts';
import type { Decision } from '../model/decision.ts';
import { methodDecorator } from './method-decorator.ts';
import { replacementOf, type AnyFunction } from './replacement.ts';
import { compileTemplate } from './template.ts';

/** What is asked: `tallystick.limits`, or the limits of a client. */
export interface CallLimits {
  /** As `take` of the library's limits. */
  take(subject: string, rules: Rules, options?: TakeOptions): Promise<Decision>;
}

/** A call that was not made. */
export interface DeniedCall {
  readonly method: string | symbol;
  readonly subject: string;
  readonly args: readonly unknown[];
}

/** Options of {@link RateLimit}. */
export interface RateLimitOptions<This, Args extends readonly unknown[], Result> {
  /** What is asked, or a function of the instance that gives it. */
  readonly limits: CallLimits | ((self: This) => CallLimits);
  /** Who calls: a template such as `login:{0}`, as the key of `@Count`, or a function of the arguments. */
  readonly subject: string | ((this: This, ...args: Args) => string);
  /** Names of declared rules, or rules in full. All or nothing. */
  readonly rules: Rules;
  /** Units of a call, at least 1, or a function of the arguments that gives them. Default 1. */
  readonly cost?: number | ((this: This, ...args: Args) => number);
  /**
   * What a denied call comes to: `throw` rejects with a `RATE_LIMITED` error whose cause is the decision; a function gives
   * the result in its place. Default `throw`.
   */
  readonly onDenied?: 'throw' | ((decision: Decision, call: DeniedCall) => Result | PromiseLike<Result>);
  /**
   * What a call comes to when nothing could be decided, because the store is away or the subject is none: `throw` rejects
   * with that error, `call` makes the call. Rules with `onOutage` decide in an outage themselves. Default `throw`.
   */
  readonly onError?: 'throw' | 'call';
}

/** A method decorator, standard or legacy, for async methods of classes that are `This`. */
/* eslint-disable @typescript-eslint/no-unnecessary-type-parameters -- inferred types fit a method and a
   descriptor, which is invariant, where the constraints themselves do not */
export interface RateLimitDecorator<This, Args extends readonly unknown[], Result> {
  /** As a standard (TC39) decorator. */
  <Params extends [...Args, ...unknown[]], Returned extends Result>(
    method: (...args: Params) => Promise<Returned>,
    context: ClassMethodDecoratorContext<This>,
  ): void;
  /** As a legacy (`experimentalDecorators`) decorator. */
  <Params extends [...Args, ...unknown[]], Returned extends Result>(
    target: This,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<(...args: Params) => Promise<Returned>>,
  ): void;
}
/* eslint-enable @typescript-eslint/no-unnecessary-type-parameters */

interface Settings {
  readonly limitsOf: (self: unknown) => CallLimits;
  readonly subjectOf: (self: unknown, args: readonly unknown[]) => string;
  readonly costOf: (self: unknown, args: readonly unknown[]) => number;
  readonly rules: Rules;
  readonly onDenied: AnyFunction | undefined;
  readonly calledOnError: boolean;
}

const KNOWN: readonly string[] = ['limits', 'subject', 'rules', 'cost', 'onDenied', 'onError'];

/**
 * Asks limits before each call of an async method; a call that is denied is not made.
 *
 * Works as a standard (TC39) and as a legacy (`experimentalDecorators`) decorator, on instance, static, private and
 * symbol-named methods that return promises. `this`, the arguments, the result, name, length, properties and metadata of
 * the method stay as they are. Options are checked at once, the rules at the first call.
 *
 * @throws TallystickError `INVALID_CONFIG`, naming the option, or when what is decorated is not a method.
 * @example
 * class Accounts {
 *   @RateLimit({ limits, subject: 'login:{0}', rules: 'login' })
 *   async login(name: string, password: string) { … } // rejects with RATE_LIMITED
 * }
 */
export function RateLimit<This = unknown, Args extends readonly unknown[] = [], Result = unknown>(
  options: RateLimitOptions<This, Args, Result>,
): RateLimitDecorator<NoInfer<This>, Args, Result> {
  const settings = checked(options);
  return methodDecorator('@RateLimit', (original, name) => limitedMethod(settings, original, name)) as RateLimitDecorator<This, Args, Result>;
}

function limitedMethod(settings: Settings, original: AnyFunction, name: string | symbol): AnyFunction {
  return replacementOf(original, async (self, args) => {
    const asked = await ask(settings, self, args);
    if (asked === undefined || asked.decision.allowed) return Reflect.apply(original, self, args);
    const { decision, subject } = asked;
    if (settings.onDenied !== undefined) return settings.onDenied(decision, { method: name, subject, args });
    throw new TallystickError('RATE_LIMITED', `${String(name)}: ${reasonOf(decision)}`, { cause: decision });
  });
}

/** Undefined when nothing could be decided, and the call is to be made all the same. */
async function ask({ limitsOf, subjectOf, costOf, rules, calledOnError }: Settings, self: unknown, args: readonly unknown[]): Promise<{ decision: Decision; subject: string } | undefined> {
  try {
    const [subject, cost] = [subjectOf(self, args), costOf(self, args)];
    return { subject, decision: await limitsOf(self).take(subject, rules, cost === 1 ? undefined : { cost }) };
  } catch (error) {
    if (calledOnError) return undefined;
    throw error;
  }
}

function reasonOf({ rule, limit, retryAfterMs }: Decision): string {
  const wait = retryAfterMs === null ? 'waiting does not help' : `try again in ${retryAfterMs} ms`;
  return rule === null ? `blocked, ${wait}` : `the limit ${rule} of ${limit} is reached, ${wait}`;
}

function checked(options: unknown): Settings {
  if (typeof options !== 'object' || options === null) throw invalid('options', 'an object', options);
  const unknown = Object.keys(options).find((field) => !KNOWN.includes(field));
  if (unknown !== undefined) throw invalid(unknown, `one of ${KNOWN.join(', ')}`, 'an unknown option');
  const { limits, subject, rules, cost = 1, onDenied = 'throw', onError = 'throw' } = options as Record<string, unknown>;
  if (typeof rules !== 'string' && (typeof rules !== 'object' || rules === null)) throw invalid('rules', 'a name, a rule or a list of them', rules);
  if (onDenied !== 'throw' && !isFunction(onDenied)) throw invalid('onDenied', "'throw' or a function", onDenied);
  if (onError !== 'throw' && onError !== 'call') throw invalid('onError', "'throw' or 'call'", onError);
  return {
    limitsOf: limitsOf(limits),
    subjectOf: subjectOf(subject),
    costOf: costOf(cost),
    rules: rules as Rules,
    onDenied: onDenied === 'throw' ? undefined : onDenied,
    calledOnError: onError === 'call',
  };
}

function limitsOf(limits: unknown): Settings['limitsOf'] {
  if (isFunction(limits)) return (self) => limits.call(undefined, self) as CallLimits;
  if (typeof limits === 'object' && limits !== null && 'take' in limits) return () => limits as CallLimits;
  throw invalid('limits', 'limits, or a function that gives them', limits);
}

function subjectOf(subject: unknown): Settings['subjectOf'] {
  if (isFunction(subject)) return (self, args) => checkKey(Reflect.apply(subject, self, args), 'subject');
  if (typeof subject !== 'string') throw invalid('subject', 'a template or a function', subject);
  const template = compileTemplate(subject, 'subject');
  return (_self, args) => checkKey(template(args), 'subject');
}

function costOf(cost: unknown): Settings['costOf'] {
  if (isFunction(cost)) return (self, args) => Reflect.apply(cost, self, args) as number;
  if (Number.isSafeInteger(cost) && (cost as number) >= 1) return () => cost as number;
  throw invalid('cost', 'an integer of at least 1, or a function', cost);
}

const isFunction = (value: unknown): value is AnyFunction => typeof value === 'function';

const invalid = (field: string, expected: string, got: unknown): TallystickError =>
  new TallystickError('INVALID_CONFIG', `${field}: expected ${expected}, got ${describe(got)}`, { field });
