/**
 * A method that counts its calls. The method decides everything about the call; what counting comes to
 * reaches nobody but `onError`.
 */
import type { AddOptions } from '../counters.ts';
import { checkAmount } from '../model/amount.ts';
import type { CountSettings } from './options.ts';
import { follow, type Outcome } from './outcome.ts';
import { replacementOf, type AnyFunction } from './replacement.ts';

/** `original`, counted as `settings` say. */
export function countedMethod(settings: CountSettings, original: AnyFunction, name: string | symbol): AnyFunction {
  return replacementOf(original, (self, args) => {
    const counting = new Counting(settings, name, self);
    counting.prepare(args);
    let result: unknown;
    try {
      result = Reflect.apply(original, self, args);
    } catch (error) {
      counting.threw();
      throw error;
    }
    follow(result, counting);
    return result;
  });
}

/** The counting of one call. */
class Counting implements Outcome {
  readonly #settings: CountSettings;
  readonly #name: string | symbol;
  readonly #self: unknown;
  #key: string | undefined;
  #member: string | undefined;
  #delta = 1;
  /** Why there is no key, no member or no amount; told only if the call turns out to be one that counts. */
  #fault: { readonly error: unknown } | undefined;

  constructor(settings: CountSettings, name: string | symbol, self: unknown) {
    this.#settings = settings;
    this.#name = name;
    this.#self = self;
  }

  /** Reads the arguments while they are as they came. */
  prepare(args: readonly unknown[]): void {
    const { keyOf, memberOf, deltaOf } = this.#settings;
    try {
      this.#key = keyOf(this.#self, args);
      this.#member = memberOf?.(this.#self, args);
      this.#delta = typeof deltaOf === 'number' ? deltaOf : checkAmount(Reflect.apply(deltaOf, this.#self, args));
    } catch (error) {
      this.#fault = { error };
    }
  }

  returned(result: unknown): void {
    if (this.#settings.onReturn) this.#count(result);
  }

  threw(): void {
    if (this.#settings.onThrow) this.#count(undefined);
  }

  lost(error: unknown): void {
    this.#report(error);
  }

  #count(result: unknown): void {
    const { deltaOfResult } = this.#settings;
    if (this.#fault !== undefined) {
      this.#report(this.#fault.error);
      return;
    }
    try {
      if (deltaOfResult !== undefined) this.#delta = checkAmount(Reflect.apply(deltaOfResult, this.#self, [result]));
      this.#add(this.#key as string);
    } catch (error) {
      this.#report(error);
    }
  }

  /**
   * `tally` where the type is known to be `batched`: no promise is made and the store is not asked for an
   * estimate. `add` for all others, as only it honours what is declared for the key; nobody waits for it.
   */
  #add(key: string): void {
    const { countersOf, tallied } = this.#settings;
    const counters = countersOf(this.#self);
    const answer = tallied && 'tally' in counters ? counters.tally(key, this.#delta) : counters.add(key, this.#delta, this.#addOptions());
    if (answer !== undefined) this.#hear(answer as PromiseLike<unknown>);
  }

  #addOptions(): AddOptions | undefined {
    const { counter } = this.#settings;
    return this.#member === undefined ? counter : { ...counter, member: this.#member };
  }

  #hear(answer: PromiseLike<unknown>): void {
    answer.then(undefined, (error: unknown) => {
      this.#report(error);
    });
  }

  #report(error: unknown): void {
    try {
      const told = this.#settings.onError?.(error, { method: this.#name, key: this.#key });
      // An async `onError` that fails must not become an unhandled rejection.
      if (told instanceof Promise) told.catch(() => undefined);
    } catch {
      // What counting comes to must not reach the call.
    }
  }
}
