/** The guard that takes before a handler. */
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { Gate, type Passage, type RequestLimitOptions, type RouteLimit } from '../gate.ts';
import { ROUTE_LIMIT } from './decorators.ts';
import type { HttpRequest } from './http-request.ts';
import { RateLimitException } from './problem.ts';

/** A response of either platform. */
interface HttpResponse {
  header(name: string, value: string): unknown;
}

/**
 * Takes before a handler of HTTP, sets the rate limit header fields, and throws a {@link RateLimitException} for a
 * denial. {@link RateLimitModule} makes it and, by default, uses it for every route. Other
 * transports pass.
 */
export class RateLimitGuard implements CanActivate {
  readonly #gate: Gate<HttpRequest>;
  readonly #reflector: Pick<Reflector, 'getAllAndOverride'>;

  /** @throws TallystickError `INVALID_CONFIG`, naming the option. */
  constructor(options: RequestLimitOptions<HttpRequest>, reflector: Pick<Reflector, 'getAllAndOverride'>) {
    this.#gate = new Gate(options, { ipOf: ({ ip }) => ip });
    this.#reflector = reflector;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const route = this.#reflector.getAllAndOverride<RouteLimit<HttpRequest> | false | undefined>(ROUTE_LIMIT, [context.getHandler(), context.getClass()]);
    if (route === false) return true;
    const http = context.switchToHttp();
    const passage = await this.#gate.pass(http.getRequest<HttpRequest>(), route);
    answer(http.getResponse<HttpResponse>(), passage);
    return true;
  }
}

function answer(response: HttpResponse, { headers, decision, problem }: Passage): void {
  for (const [name, value] of Object.entries(headers)) response.header(name, value);
  if (problem !== undefined) throw new RateLimitException(problem, decision);
}
