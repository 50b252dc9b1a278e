/** `@Count`: counts the calls of a method. */
import { countedMethod } from './counted-method.ts';
import { methodDecorator } from './method-decorator.ts';
import { checkCountOptions, type CountOptions } from './options.ts';

/** Arguments that begin with these. */
export type BeginningWith<Args extends readonly unknown[]> = [...Args, ...unknown[]];

/** What a method may return whose call comes to a `Result`. */
export type ComingTo<Result> =
  | Result
  | PromiseLike<Result>
  | Generator<unknown, Result, never>
  | AsyncGenerator<unknown, Result, never>;

/**
 * A method decorator, standard or legacy, for methods of classes that are `This`, take at least what the
 * functions of the options take, and come to a `Result`.
 */
/* eslint-disable @typescript-eslint/no-unnecessary-type-parameters -- inferred types fit a method and a
   descriptor, which is invariant, where the constraints themselves do not */
export interface CountDecorator<This, Args extends readonly unknown[], Result> {
  /** As a standard (TC39) decorator. */
  <Params extends Args, Returned extends ComingTo<Result>>(
    method: (...args: Params) => Returned,
    context: ClassMethodDecoratorContext<This>,
  ): void;
  /** As a legacy (`experimentalDecorators`) decorator. */
  <Params extends Args, Returned extends ComingTo<Result>>(
    target: This,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<(...args: Params) => Returned>,
  ): void;
}
/* eslint-enable @typescript-eslint/no-unnecessary-type-parameters */

/**
 * Counts the calls of a method: after it has returned, or its promise was fulfilled, or its generator ended.
 *
 * Works as a standard (TC39) and as a legacy (`experimentalDecorators`) decorator, on instance, static,
 * private, symbol-named, sync, async, generator and async generator methods. The method's result, `this`,
 * name, length, properties and metadata stay as they are; a call is never delayed or failed by its counting.
 * Options are checked at once.
 *
 * @throws TallystickError `INVALID_CONFIG`, naming the option, or when what is decorated is not a method.
 * @example
 * class Articles {
 *   @Count({ counters, key: 'article:read:{0}', type: 'batched' })
 *   async read(id: string) { return load(id) }
 *
 *   @Count({ counters, key: (user: User) => `login:failed:${user.id}`, on: 'throw' })
 *   login(user: User) { … }
 * }
 */
export function Count<
  This = unknown,
  KeyArgs extends readonly unknown[] = [],
  DeltaArgs extends readonly unknown[] = [],
  MemberArgs extends readonly unknown[] = [],
  Result = unknown,
>(
  options: CountOptions<This, KeyArgs, DeltaArgs, MemberArgs, Result>,
): CountDecorator<NoInfer<This>, BeginningWith<KeyArgs> & BeginningWith<DeltaArgs> & BeginningWith<MemberArgs>, Result> {
  const settings = checkCountOptions(options);
  return methodDecorator('@Count', (original, name) => countedMethod(settings, original, name));
}
