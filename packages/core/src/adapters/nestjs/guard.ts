/** The guard that takes before a handler. */
import { HttpException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { Gate, type Passage, type RequestLimitOptions, type RouteLimit } from '../gate.ts';
import { ROUTE_LIMIT } from './decorators.ts';

/** What a request of either platform has. */
export interface HttpRequest {
  /** Address of the client, as the platform's setting of trusted proxies has it. */
  readonly ip?: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly method: string;
  readonly url: string;
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** A response of either platform. */
interface HttpResponse {
  header(name: string, value: string): unknown;
}

/**
 * Takes before a handler of HTTP, sets the rate limit header fields, and throws an `HttpException` of status 429 with
 * problem details for a denial. {@link RateLimitModule} makes it and, by default, uses it for every route. Other
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

function answer(response: HttpResponse, { headers, problem }: Passage): void {
  for (const [name, value] of Object.entries(headers)) response.header(name, value);
  if (problem === undefined) return;
  response.header('Content-Type', 'application/problem+json');
  throw new HttpException({ ...problem }, problem.status);
}
