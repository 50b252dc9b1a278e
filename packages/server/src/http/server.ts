/** The HTTP server: routes, how their answers and errors are sent, and how it stops. */
import { METHODS } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { TallystickError } from 'tallystick';
import type { ApiKeys, App, Log, Role, Shedding, Tls } from '../app/index.ts';
import { envelopeOf, statusOf, tallystickErrorOf } from './errors.ts';
import { parseJson } from './json.ts';
import { answerBrokenClient, createNodeServer, JSON_TYPE } from './node-server.ts';
import type { HttpRequest, Route } from './route.ts';
import { routes } from './routes/index.ts';

/** Settings of {@link startHttp}. */
export interface HttpOptions {
  readonly app: App;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly maxBodyBytes: number;
  /** Who may call. Default: everybody, everything. */
  readonly keys?: ApiKeys | undefined;
  /** Default: clear text. */
  readonly tls?: Tls | undefined;
  readonly log: Log;
}

/** A server that listens. */
export interface HttpServer {
  readonly port: number;
  /** Takes no more connections and ends when every answer is sent, or after `timeoutMs` by cutting the rest. */
  close(timeoutMs: number): Promise<void>;
}

/** Longest path part, in bytes as sent; a key of 512 bytes takes up to 1,536. Beyond, the key is refused. */
const MAX_PARAM_BYTES = 16 * 1024;
/** What VIP callers say. */
const VIP_HEADER = 'x-tallystick-vip';
const CLOSE_IDLE_EVERY_MS = 20;
/** Methods of routes; Fastify adds HEAD to each GET. */
const ORDINARY = ['GET', 'HEAD', 'POST'];

/**
 * Starts a server on `host`:`port`.
 *
 * @throws TallystickError `INVALID_CONFIG`, field `http`, when that can't be listened on.
 */
export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const fastify = build(options);
  const { host, port: wanted } = options;
  try {
    await fastify.listen({ host, port: wanted });
  } catch (cause) {
    const message = `http: can't listen on ${host} port ${wanted}: ${(cause as Error).message}`;
    throw new TallystickError('INVALID_CONFIG', message, { field: 'http', cause });
  }
  const { port } = fastify.server.address() as AddressInfo;
  return { port, close: (timeoutMs) => close(fastify, timeoutMs) };
}

function build(options: HttpOptions): FastifyInstance {
  const { maxBodyBytes, log, tls } = options;
  const fastify = Fastify({
    bodyLimit: maxBodyBytes,
    serverFactory: (handler) => createNodeServer(handler, tls),
    return503OnClosing: false, // the app answers CLOSED itself, in the envelope
    routerOptions: { maxParamLength: MAX_PARAM_BYTES },
    clientErrorHandler: answerBrokenClient,
    frameworkErrors: (error, _request, reply) => void sendError(reply, error, log),
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseBody);
  fastify.setErrorHandler((error, _request, reply) => sendError(reply, error, log));
  fastify.setNotFoundHandler((request, reply) => {
    return sendError(reply, noRoute(request), log);
  });
  for (const route of routes) serve(fastify, options, route);
  for (const url of new Set(routes.map((route) => route.url))) refuseOtherMethods(fastify, url);
  refuseRareMethods(fastify);
  return fastify;
}

function noRoute({ method, url }: FastifyRequest): TallystickError {
  const path = pathOf(url);
  const hint = path.endsWith('/') ? ' (clients take . and .. out of a path; as keys they go through the batch calls)' : '';
  return new TallystickError('NOT_FOUND', `there is no route ${method} ${path}${hint}`);
}

const pathOf = (url: string): string => url.split('?', 1)[0]?.slice(0, 100) ?? '';

function parseBody(_request: unknown, body: Buffer, done: (error: Error | null, value?: unknown) => void): void {
  try {
    done(null, parseJson(body));
  } catch (error) {
    done(error as Error);
  }
}

function serve(fastify: FastifyInstance, { app, log, keys }: HttpOptions, route: Route): void {
  const { method, url, hasQuery = false, role = method === 'GET' ? 'read' : 'write', answer } = route;
  const times = app.figures.timesOf(`${method} ${url}`);
  const { shedding } = app;
  fastify.route({
    method,
    url,
    onRequest: [
      ...(shedding !== undefined && isSheddable(url) ? [shedBy(shedding)] : []),
      ...(keys !== undefined && role !== 'anybody' ? [checkKey(keys, role)] : []),
    ],
    handler: (request, reply) => {
      const beganMs = performance.now();
      const ended = (): void => times.observe((performance.now() - beganMs) / 1000);
      if (!hasQuery) refuseQuery(request.query as object);
      answer(app, request as HttpRequest).then(
        ({ status, body, contentType = JSON_TYPE, headers }) => {
          ended();
          if (headers !== undefined) reply.headers(headers);
          reply.code(status).header('content-type', contentType).send(body);
        },
        (error: unknown) => {
          ended();
          sendError(reply, error, log);
        },
      );
    },
  });
}

const checkKey = (keys: ApiKeys, role: Role) => async ({ headers }: FastifyRequest): Promise<void> => {
  keys.check(headers.authorization, role);
};

/** What operators ask is always answered. */
const isSheddable = (url: string): boolean => /^\/(api|v1)\//.test(url) && !url.startsWith('/v1/admin/');

/** Refuses a call before its body is read. */
function shedBy(shedding: Shedding): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async ({ headers }, reply) => {
    try {
      const vip = headers[VIP_HEADER];
      shedding.admit(typeof vip === 'string' ? vip : undefined);
    } catch (error) {
      reply.header('retry-after', '1');
      throw error;
    }
  };
}

function refuseQuery(query: object): void {
  for (const field in query) throw new TallystickError('UNKNOWN_FIELD', `${field}: this path has no query fields`, { field });
}

function sendError(reply: FastifyReply, cause: unknown, log: Log): FastifyReply {
  const error = tallystickErrorOf(cause);
  const route = reply.request.routeOptions.url;
  if (error.code === 'INTERNAL') log.error({ route, error: cause }, 'a request failed by a fault of this program');
  else log.debug({ route, code: error.code, field: error.field, ...(error !== cause && { error: cause }) }, 'refused');
  if (error.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer');
  return reply.code(statusOf(error)).header('content-type', JSON_TYPE).send(JSON.stringify(envelopeOf(error)));
}

/** Whether every path of the form `url` is one of the form `wider` too, as `/v1/counters/add` is `/v1/counters/:key`. */
function isWithin(url: string, wider: string): boolean {
  const parts = url.split('/');
  const widerParts = wider.split('/');
  return parts.length === widerParts.length && widerParts.every((part, i) => part.startsWith(':') || part === parts[i]);
}

/** The methods that paths of the form `url` have. */
function methodsOf(fastify: FastifyInstance, url: string): string[] {
  const forms = routes.map((route) => route.url).filter((wider) => isWithin(url, wider));
  return ORDINARY.filter((method) => forms.some((form) => fastify.hasRoute({ method, url: form })));
}

function notAllowed({ method }: FastifyRequest, reply: FastifyReply, allowed: string): TallystickError {
  reply.header('allow', allowed);
  return new TallystickError('METHOD_NOT_ALLOWED', `${method}: this path allows ${allowed}`);
}

/** A path answers a method it does not have with 405 and the ones it has, before looking at any body. */
function refuseOtherMethods(fastify: FastifyInstance, url: string): void {
  const has = methodsOf(fastify, url);
  fastify.route({
    method: fastify.supportedMethods.filter((method) => !has.includes(method)),
    url,
    onRequest: async (request, reply) => {
      throw notAllowed(request, reply, has.join(', '));
    },
    handler: () => undefined,
  });
}

/**
 * Methods that Fastify does not know by itself would be told that there is no such path. They share one route: one
 * for each path would cost a start some 20 ms. CONNECT never reaches a route.
 */
function refuseRareMethods(fastify: FastifyInstance): void {
  const rare = METHODS.filter((method) => method !== 'CONNECT' && !fastify.supportedMethods.includes(method));
  for (const method of rare) fastify.addHttpMethod(method);
  fastify.route({
    method: rare,
    url: '*',
    onRequest: async (request, reply) => {
      const allowed = methodsOf(fastify, request.url.split('?', 1)[0] ?? '').join(', ');
      throw allowed === '' ? noRoute(request) : notAllowed(request, reply, allowed);
    },
    handler: () => undefined,
  });
}

async function close(fastify: FastifyInstance, timeoutMs: number): Promise<void> {
  // A kept-alive connection becomes idle after its last answer, which may come later than this call.
  const idle = setInterval(() => fastify.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  const late = setTimeout(() => fastify.server.closeAllConnections(), timeoutMs);
  try {
    await fastify.close();
  } finally {
    clearInterval(idle);
    clearTimeout(late);
  }
}
