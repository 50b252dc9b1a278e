/** A request that is not let through, and how that is answered. */
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import type { RateLimitProblem } from '../../limits-headers.ts';
import type { Decision } from '../../model/decision.ts';

/** Thrown by {@link RateLimitGuard}: 429 for a denial, 503 when nobody knows. Its response is the problem details. */
export class RateLimitException extends HttpException {
  /** Undefined when the store could not be asked. */
  readonly decision: Decision | undefined;

  constructor(problem: RateLimitProblem, decision: Decision | undefined) {
    super({ ...problem }, problem.status);
    this.decision = decision;
  }
}

/** Answers with `application/problem+json`: Nest itself would send an object as plain JSON. */
export class ProblemFilter implements ExceptionFilter<RateLimitException> {
  readonly #host: HttpAdapterHost;

  constructor(host: HttpAdapterHost) {
    this.#host = host;
  }

  catch(exception: RateLimitException, host: ArgumentsHost): void {
    const { httpAdapter } = this.#host;
    const response: unknown = host.switchToHttp().getResponse();
    httpAdapter.setHeader(response, 'Content-Type', 'application/problem+json');
    httpAdapter.reply(response, JSON.stringify(exception.getResponse()), exception.getStatus());
  }
}

Catch(RateLimitException)(ProblemFilter);
