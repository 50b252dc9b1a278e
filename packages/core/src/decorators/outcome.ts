/**
 * Follows what a method returned until it is known how the call ended, without touching the result's value,
 * identity or laziness:
 *
 * - a promise of the language: a side handler;
 * - any other thenable: its `then` is watched, not called. Query builders run when, and as often as, `then`
 *   is called, so calling it here would run their query once more;
 * - a generator, sync or async: its steps are watched, on the object itself;
 * - anything else: the call has ended.
 */
import { isGeneratorObject, isPromise } from 'node:util/types';
import type { AnyFunction } from './replacement.ts';

/** Told how one call ended, once. Nothing here throws. */
export interface Outcome {
  /** It returned, or what it returned was fulfilled or iterated to its end or early `return()`. */
  returned(value: unknown): void;
  /** It threw, or what it returned rejected, or threw while it was iterated. */
  threw(): void;
  /** How it ends can't be known. */
  lost(error: unknown): void;
}

type Steps = Record<(typeof STEPS)[number], AnyFunction>;

const STEPS = ['next', 'return', 'throw'] as const;

/** Tells `outcome` how the call that returned `result` ends. */
export function follow(result: unknown, outcome: Outcome): void {
  if ((typeof result !== 'object' && typeof result !== 'function') || result === null) {
    outcome.returned(result);
    return;
  }
  try {
    followObject(result, outcome);
  } catch (error) {
    outcome.lost(error);
  }
}

function followObject(result: object, outcome: Outcome): void {
  if (isGeneratorObject(result)) {
    followersOf(result, (followers) => watchSteps(result as unknown as Steps, followers)).add(outcome);
    return;
  }
  const { then } = result as { readonly then?: unknown };
  if (!isFunction(then)) outcome.returned(result);
  else if (isPromise(result) && hasItsOwnWay(result, then)) followPromise(result, outcome);
  else followersOf(result, (followers) => watchThen(result, then, followers)).add(outcome);
}

/** Whether the language settles this promise by itself: `await` does not look at its `then`, or `then` is the language's own. */
function hasItsOwnWay(promise: Promise<unknown>, then: AnyFunction): boolean {
  return promise.constructor === Promise || then === languageThen();
}

function followPromise(promise: Promise<unknown>, outcome: Outcome): void {
  Reflect.apply(languageThen(), promise, [(value: unknown) => outcome.returned(value), () => outcome.threw()]);
}

/** Looked up each time: tracing tools replace it. */
const languageThen = (): AnyFunction => Reflect.get(Promise.prototype, 'then') as AnyFunction;

/** The calls that returned the same object and have not ended. */
class Followers {
  #waiting: Outcome[] = [];

  add(outcome: Outcome): void {
    this.#waiting.push(outcome);
  }

  returned(value: unknown): void {
    for (const outcome of this.#take()) outcome.returned(value);
  }

  threw(): void {
    for (const outcome of this.#take()) outcome.threw();
  }

  #take(): Outcome[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }
}

/** An object that is returned again and again is watched once, or each call would add a layer to it. */
const watched = new WeakMap<object, Followers>();

function followersOf(object: object, watch: (followers: Followers) => void): Followers {
  const known = watched.get(object);
  if (known !== undefined) return known;
  const followers = new Followers();
  watch(followers);
  watched.set(object, followers);
  return followers;
}

function watchThen(thenable: object, then: AnyFunction, followers: Followers): void {
  define(thenable, 'then', function (this: unknown, onFulfilled?: unknown, onRejected?: unknown, ...rest: unknown[]): unknown {
    const fulfilled = (value: unknown, ...more: unknown[]): unknown => {
      followers.returned(value);
      return isFunction(onFulfilled) ? onFulfilled(value, ...more) : value;
    };
    const rejected = (reason: unknown, ...more: unknown[]): unknown => {
      followers.threw();
      if (isFunction(onRejected)) return onRejected(reason, ...more);
      throw reason;
    };
    return Reflect.apply(then, this, [fulfilled, rejected, ...rest]);
  });
}

function watchSteps(generator: Steps, followers: Followers): void {
  // A generator that is asked for a step from within its own step throws, and has not ended by that.
  let running = false;
  for (const name of STEPS) {
    const step = generator[name];
    define(generator, name, function (this: unknown, ...args: unknown[]): unknown {
      const nested = running;
      running = true;
      try {
        return watchStep(Reflect.apply(step, this, args), followers);
      } catch (error) {
        if (!nested) followers.threw();
        throw error;
      } finally {
        running = nested;
      }
    });
  }
}

function watchStep(step: unknown, followers: Followers): unknown {
  const ended = (result: unknown): void => {
    const { done, value } = result as IteratorResult<unknown, unknown>;
    if (done === true) followers.returned(value);
  };
  if (isPromise(step)) void step.then(ended, () => followers.threw());
  else ended(step);
  return step;
}

const isFunction = (value: unknown): value is AnyFunction => typeof value === 'function';

/** As a method of a class stands on its prototype: not listed, but replaceable. */
function define(object: object, name: string, value: AnyFunction): void {
  Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
}
