/**
 * Limits of requests for Express 5 and 4.
 *
 * @packageDocumentation
 */
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { Gate, type Passage, type RequestLimitOptions } from '../gate.ts';

export type { RequestLimitOptions, RouteLimit } from '../gate.ts';

function answer(response: Response, { headers, problem }: Passage, next: NextFunction): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (problem === undefined) {
    next();
    return;
  }
  response.status(problem.status).type('application/problem+json').send(JSON.stringify(problem));
}

/**
 * A middleware that takes before each request: sets the rate limit header fields, and answers a denial with 429 and
 * problem details. `app.set('trust proxy', …)` decides which address counts.
 *
 * @throws TallystickError `INVALID_CONFIG`, naming the option.
 * @example app.use(rateLimit({ limits: tallystick.limits, rules: 'api' }))
 */
export function rateLimit(options: RequestLimitOptions<Request> & Required<Pick<RequestLimitOptions<Request>, 'rules'>>): RequestHandler {
  const gate = new Gate(options, { ipOf: ({ ip }: Request) => ip });
  return (request, response, next) => {
    gate.pass(request).then((passage) => { answer(response, passage, next); }, next);
  };
}
