/**
 * Kinds of settings: how a value is read, from text (environment, flags) as from a file, and how it is
 * described. A reader returns undefined for what it does not understand.
 */
import type { CounterOptions } from 'tallystick';
import { type Address } from './address.ts';
import { type RedisTarget } from './redis-target.ts';
/** How a setting is read and described. */
export interface Kind<Value> {
    /** What is expected, for help and errors: `an integer from 1 to 10`. */
    readonly expected: string;
    /** Placeholder in the help. */
    readonly placeholder: string;
    readonly read: (value: unknown) => Value | undefined;
    /** Whether a value may hold a password: errors then do not show it. */
    readonly isSecret?: boolean;
}
/** `host:port`. */
export declare const address: Kind<Address>;
/** Where Redis is. */
export declare const redisUrl: Kind<RedisTarget>;
/** A file or folder. */
export declare const path: Kind<string>;
/** A whole number within bounds. */
export declare function integer(least: number, most: number): Kind<number>;
/** One of a few names. */
export declare function choice<Name extends string>(...names: readonly Name[]): Kind<Name>;
/** Counter options by key pattern; as text, a JSON object. What the options mean is the library's to check. */
export declare const counters: Kind<Readonly<Record<string, CounterOptions>>>;
//# sourceMappingURL=kinds.d.ts.map