/**
 * Every setting of a node: the one table from which the configuration is read and checked, and from which
 * the help and the reference are written.
 */
import type { Declarations } from '../app/index.ts';
import type { Address } from './address.ts';
import { type Kind } from './kinds.ts';
import type { RedisTarget } from './redis-target.ts';
/** The settings of a node. */
export interface Config {
    readonly http: Address;
    readonly grpc: Address;
    /** `redis` when and only when `redis` is there. */
    readonly store: 'sqlite' | 'memory' | 'redis';
    readonly data: string;
    readonly redis: RedisTarget | undefined;
    readonly partitions: number;
    readonly workers: number;
    readonly counters: Declarations;
    readonly flushEveryMs: number;
    readonly maxBatchItems: number;
    readonly maxBodyBytes: number;
    readonly maxMessageBytes: number;
    readonly requestTimeoutMs: number;
    readonly requestRetentionMs: number;
    readonly drainTimeoutMs: number;
    readonly logLevel: LogLevel;
}
/** How much is logged. */
export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';
/** One setting. */
export interface Setting<Value> {
    readonly kind: Kind<Exclude<Value, undefined>>;
    /** As it would be written in the environment; empty when there is none. */
    readonly fallback: string;
    readonly meaning: string;
}
type Settings = {
    readonly [Name in keyof Config]: Setting<Config[Name]>;
};
/** The table. Its order is that of the help. */
export declare const SETTINGS: Settings;
/** Their names. */
export declare const SETTING_NAMES: readonly (keyof Config)[];
/** `maxBodyBytes` → `max-body-bytes`. */
export declare const flagOf: (name: string) => string;
/** `maxBodyBytes` → `TALLYSTICK_MAX_BODY_BYTES`. */
export declare const variableOf: (name: string) => string;
export {};
//# sourceMappingURL=settings.d.ts.map