/** One function for both kinds of decorators: the standard (TC39) ones and TypeScript's legacy ones. */
import { TallystickError } from '../errors.ts';
import type { AnyFunction } from './replacement.ts';

/** Makes the method that stands in another's place. */
export type ReplaceMethod = (original: AnyFunction, name: string | symbol) => AnyFunction;

/** What both kinds call, with `(value, context)` or with `(target, name, descriptor)`. */
export type EitherDecorator = (first: unknown, second?: unknown, third?: unknown) => unknown;

/**
 * A method decorator of either kind, told apart by what it is called with.
 *
 * @param title - as it stands in messages, such as `@Count`
 */
export function methodDecorator(title: string, replace: ReplaceMethod): EitherDecorator {
  return (first, second, third) => {
    if (isContext(second)) return standard(title, replace, first, second);
    legacy(title, replace, second, third);
    return undefined;
  };
}

type Context = Pick<DecoratorContext, 'kind' | 'name'>;

function isContext(second: unknown): second is Context {
  return typeof second === 'object' && second !== null && 'kind' in second;
}

function standard(title: string, replace: ReplaceMethod, value: unknown, { kind, name = 'class' }: Context): AnyFunction {
  if (kind !== 'method' || typeof value !== 'function') throw notAMethod(title, kind, name);
  return replace(value as AnyFunction, name);
}

/** The descriptor is changed in place: those who combine decorators into one pass it on and drop what is returned. */
function legacy(title: string, replace: ReplaceMethod, name: unknown, descriptor: unknown): void {
  if (typeof name !== 'string' && typeof name !== 'symbol') throw notAMethod(title, 'class', 'class');
  if (typeof descriptor === 'number') throw notAMethod(title, 'parameter', name);
  const property = (descriptor ?? {}) as { value?: unknown; readonly get?: unknown; readonly set?: unknown };
  if (property.get !== undefined) throw notAMethod(title, 'getter', name);
  if (property.set !== undefined) throw notAMethod(title, 'setter', name);
  if (typeof property.value !== 'function') throw notAMethod(title, 'field', name);
  property.value = replace(property.value as AnyFunction, name);
}

function notAMethod(title: string, got: string, name: string | symbol): TallystickError {
  const place = String(name);
  return new TallystickError('INVALID_CONFIG', `${place}: ${title} expected a method, got ${got === 'accessor' ? 'an' : 'a'} ${got}`, { field: place });
}
