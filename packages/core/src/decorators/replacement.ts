/** A function in another's place: called instead of it, and otherwise not to be told from it. */

/** Any method or function. */
export type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

/** The part of reflect-metadata that is used, where an application has loaded it. */
interface MetadataReflect {
  readonly getOwnMetadataKeys?: (target: object) => unknown[];
  readonly getOwnMetadata?: (key: unknown, target: object) => unknown;
  readonly defineMetadata?: (key: unknown, value: unknown, target: object) => void;
}

/**
 * A function that runs `call` and looks like `original`: name, length, own properties, prototype and
 * metadata, so that what frameworks attached before is still found, and what they attach later is found too.
 */
export function replacementOf(original: AnyFunction, call: (self: unknown, args: unknown[]) => unknown): AnyFunction {
  // Written as a method: a method can't be called with `new` and has no `prototype` of its own.
  const { replacement } = {
    replacement(this: unknown, ...args: unknown[]): unknown {
      return call(this, args);
    },
  } as { readonly replacement: AnyFunction };
  // An async function's constructor is AsyncFunction; some libraries ask.
  Object.setPrototypeOf(replacement, Object.getPrototypeOf(original) as object);
  Object.defineProperties(replacement, Object.getOwnPropertyDescriptors(original));
  copyMetadata(original, replacement);
  return replacement;
}

function copyMetadata(from: object, to: object): void {
  const { getOwnMetadataKeys, getOwnMetadata, defineMetadata } = Reflect as MetadataReflect;
  if (getOwnMetadataKeys === undefined || getOwnMetadata === undefined || defineMetadata === undefined) return;
  for (const key of getOwnMetadataKeys(from)) defineMetadata(key, getOwnMetadata(key, from), to);
}
