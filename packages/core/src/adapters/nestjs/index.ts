/**
 * Limits of requests for NestJS 11 and 10, on Express or Fastify.
 *
 * @packageDocumentation
 */
export { RateLimit, SkipRateLimit } from './decorators.ts';
export { RateLimitGuard } from './guard.ts';
export { RateLimitModule, type RateLimitAsyncOptions, type RateLimitOptions } from './module.ts';
export { RateLimitException } from './problem.ts';
export type { HttpRequest } from './http-request.ts';
export type { RequestLimitOptions, RouteLimit } from '../gate.ts';
