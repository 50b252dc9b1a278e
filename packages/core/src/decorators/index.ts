/**
 * Counting and limiting by decorating methods, for standard (TC39) and legacy TypeScript decorators alike.
 *
 * @packageDocumentation
 */
export { Count, type BeginningWith, type ComingTo, type CountDecorator } from './count.ts';
export type { CallCounters, CountFailure, CountOn, CountOptions } from './options.ts';
export { RateLimit, type CallLimits, type DeniedCall, type RateLimitDecorator, type RateLimitOptions } from './rate-limit.ts';
