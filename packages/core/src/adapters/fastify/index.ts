/**
 * Limits of requests for Fastify 5.
 *
 * @packageDocumentation
 */
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { Gate, type RequestLimitOptions, type RouteLimit } from '../gate.ts';

export type { RequestLimitOptions, RouteLimit } from '../gate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of this route: other rules, subject or cost, or no limit at all. */
    rateLimit?: RouteLimit<FastifyRequest> | false;
  }
}

/**
 * A plugin that takes before each request of the instance it is registered with: sets the rate limit header fields, and
 * answers a denial with 429 and problem details. A route's `config.rateLimit` has its own rules, subject and cost, or is
 * `false`; without `rules` only such routes are limited. Fastify's `trustProxy` decides which address counts.
 *
 * @throws TallystickError `INVALID_CONFIG`, naming the option.
 * @example await app.register(rateLimit, { limits: tallystick.limits, rules: 'api' })
 */
export const rateLimit: FastifyPluginAsync<RequestLimitOptions<FastifyRequest>> = async (instance: FastifyInstance, options) => {
  const gate = new Gate(options, { ipOf: ({ ip }: FastifyRequest) => ip });
  instance.addHook('onRequest', async (request, reply) => {
    const route = request.routeOptions.config.rateLimit;
    if (route === false) return;
    const { headers, problem } = await gate.pass(request, route);
    reply.headers(headers);
    if (problem !== undefined) return reply.code(problem.status).type('application/problem+json').send(JSON.stringify(problem));
  });
};

// The hook is for the instance that the plugin is registered with, and not for a child of it.
Object.assign(rateLimit, { [Symbol.for('skip-override')]: true, [Symbol.for('fastify.display-name')]: 'tallystick' });
