/** What a controller or a handler says of its limit. */
import { SetMetadata, type CustomDecorator } from '@nestjs/common';
import type { Rules } from '../../limits.ts';
import type { RouteLimit } from '../gate.ts';
import type { HttpRequest } from './http-request.ts';

/** Under which a {@link RouteLimit}, or false, is kept with a class or method. */
export const ROUTE_LIMIT = 'tallystick:route-limit';

/**
 * Limits a controller or a handler by rules, subject or cost of its own; a handler's hold before its controller's, and
 * both before the module's. It only says so: {@link RateLimitGuard} does it.
 *
 * @example @RateLimit('login', { subject: (request) => request.body.user })
 */
export function RateLimit(rules: Rules, options: Omit<RouteLimit<HttpRequest>, 'rules'> = {}): CustomDecorator {
  return SetMetadata(ROUTE_LIMIT, { ...options, rules } satisfies RouteLimit<HttpRequest>);
}

/** Limits a controller or a handler by no rules. */
export const SkipRateLimit = (): CustomDecorator => SetMetadata(ROUTE_LIMIT, false);
