/** The HTTP server: routes, how their answers and errors are sent, and how it stops. */
import { METHODS } from 'node:http';
import Fastify, {} from 'fastify';
import { TallystickError } from 'tallystick';
import { envelopeOf, statusOf, tallystickErrorOf } from "./errors.js";
import { parseJson } from "./json.js";
import { answerBrokenClient, createNodeServer, JSON_TYPE } from "./node-server.js";
import { routes } from "./routes/index.js";
/** Longest path part, in bytes as sent; a key of 512 bytes takes up to 1,536. Beyond, the key is refused. */
const MAX_PARAM_BYTES = 16 * 1024;
const CLOSE_IDLE_EVERY_MS = 20;
/** Methods of routes; Fastify adds HEAD to each GET. */
const ORDINARY = ['GET', 'HEAD', 'POST'];
/**
 * Starts a server on `host`:`port`.
 *
 * @throws TallystickError `INVALID_CONFIG`, field `http`, when that can't be listened on.
 */
export async function startHttp(options) {
    const fastify = build(options);
    const { host, port: wanted } = options;
    try {
        await fastify.listen({ host, port: wanted });
    }
    catch (cause) {
        const message = `http: can't listen on ${host} port ${wanted}: ${cause.message}`;
        throw new TallystickError('INVALID_CONFIG', message, { field: 'http', cause });
    }
    const { port } = fastify.server.address();
    return { port, close: (timeoutMs) => close(fastify, timeoutMs) };
}
function build({ app, maxBodyBytes, log }) {
    const fastify = Fastify({
        bodyLimit: maxBodyBytes,
        serverFactory: createNodeServer,
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
    for (const route of routes)
        serve(fastify, app, log, route);
    for (const url of new Set(routes.map((route) => route.url)))
        refuseOtherMethods(fastify, url);
    refuseRareMethods(fastify);
    return fastify;
}
function noRoute({ method, url }) {
    const path = pathOf(url);
    const hint = path.endsWith('/') ? ' (clients take . and .. out of a path; as keys they go through the batch calls)' : '';
    return new TallystickError('NOT_FOUND', `there is no route ${method} ${path}${hint}`);
}
const pathOf = (url) => url.split('?', 1)[0]?.slice(0, 100) ?? '';
function parseBody(_request, body, done) {
    try {
        done(null, parseJson(body));
    }
    catch (error) {
        done(error);
    }
}
function serve(fastify, app, log, { method, url, hasQuery = false, answer }) {
    const times = app.figures.timesOf(`${method} ${url}`);
    fastify.route({
        method,
        url,
        handler: (request, reply) => {
            const beganMs = performance.now();
            const observe = () => times.observe((performance.now() - beganMs) / 1000);
            const refuse = (error) => {
                observe();
                void sendError(reply, error, log);
            };
            if (!hasQuery)
                refuseQuery(request.query);
            answer(app, request).then(({ status, body, contentType = JSON_TYPE }) => {
                observe();
                const raw = reply.raw;
                reply.hijack();
                raw.writeHead(status, ['content-type', contentType, 'content-length', Buffer.byteLength(body)]);
                raw.end(body);
            }, refuse);
        },
    });
}
function refuseQuery(query) {
    for (const field in query)
        throw new TallystickError('UNKNOWN_FIELD', `${field}: this path has no query fields`, { field });
}
function sendError(reply, cause, log) {
    const error = tallystickErrorOf(cause);
    const route = reply.request.routeOptions.url;
    if (error.code === 'INTERNAL')
        log.error({ route, error: cause }, 'a request failed by a fault of this program');
    else
        log.debug({ route, code: error.code, field: error.field }, 'refused');
    return reply.code(statusOf(error)).header('content-type', JSON_TYPE).send(JSON.stringify(envelopeOf(error)));
}
/** Whether every path of the form `url` is one of the form `wider` too, as `/v1/counters/add` is `/v1/counters/:key`. */
function isWithin(url, wider) {
    const parts = url.split('/');
    const widerParts = wider.split('/');
    return parts.length === widerParts.length && widerParts.every((part, i) => part.startsWith(':') || part === parts[i]);
}
/** The methods that paths of the form `url` have. */
function methodsOf(fastify, url) {
    const forms = routes.map((route) => route.url).filter((wider) => isWithin(url, wider));
    return ORDINARY.filter((method) => forms.some((form) => fastify.hasRoute({ method, url: form })));
}
function notAllowed({ method }, reply, allowed) {
    reply.header('allow', allowed);
    return new TallystickError('METHOD_NOT_ALLOWED', `${method}: this path allows ${allowed}`);
}
/** A path answers a method it does not have with 405 and the ones it has, before looking at any body. */
function refuseOtherMethods(fastify, url) {
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
function refuseRareMethods(fastify) {
    const rare = METHODS.filter((method) => method !== 'CONNECT' && !fastify.supportedMethods.includes(method));
    for (const method of rare)
        fastify.addHttpMethod(method);
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
async function close(fastify, timeoutMs) {
    // A kept-alive connection becomes idle after its last answer, which may come later than this call.
    const idle = setInterval(() => fastify.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
    const late = setTimeout(() => fastify.server.closeAllConnections(), timeoutMs);
    try {
        await fastify.close();
    }
    finally {
        clearInterval(idle);
        clearTimeout(late);
    }
}
//# sourceMappingURL=server.js.map