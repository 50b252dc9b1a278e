/** Which counter type a key has by the declarations of the configuration. */
import type { CounterOptions, CounterType } from 'tallystick';
/** Declarations by a whole key, or by a beginning followed by `*`. */
export type Declarations = Readonly<Record<string, CounterOptions>>;
/** A function that gives the declared type of a key: a whole key first, else the longest beginning. */
export declare function declaredTypes(declarations: Declarations): (key: string) => CounterType;
//# sourceMappingURL=counter-type.d.ts.map