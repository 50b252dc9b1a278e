/** Which counter type a key has by the declarations of the configuration. */
import type { CounterOptions, CounterType } from 'tallystick';

/** Declarations by a whole key, or by a beginning followed by `*`. */
export type Declarations = Readonly<Record<string, CounterOptions>>;

/** A function that gives the declared type of a key: a whole key first, else the longest beginning. */
export function declaredTypes(declarations: Declarations): (key: string) => CounterType {
  const whole = new Map<string, CounterType>();
  const beginnings: [string, CounterType][] = [];
  for (const [pattern, { type = 'simple' }] of Object.entries(declarations)) {
    if (pattern.endsWith('*')) beginnings.push([pattern.slice(0, -1), type]);
    else whole.set(pattern, type);
  }
  beginnings.sort(([a], [b]) => b.length - a.length);
  return (key) => whole.get(key) ?? beginnings.find(([beginning]) => key.startsWith(beginning))?.[1] ?? 'simple';
}
