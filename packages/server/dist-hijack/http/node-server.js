/**
 * The server under Fastify. What Node refuses by itself, with a bare status, gets the envelope here: what is not
 * HTTP, a request without Host, an expectation that nobody can meet.
 */
import { createServer, STATUS_CODES } from 'node:http';
import { TallystickError } from 'tallystick';
import { envelopeOf, statusOf } from "./errors.js";
/** What every body of the node is, metrics aside. */
export const JSON_TYPE = 'application/json; charset=utf-8';
/** A client gets so long to send a request. */
const RECEIVE_TIMEOUT_MS = 30_000;
/** A server that hands whole requests to `handler`. */
export function createNodeServer(handler) {
    const options = { requireHostHeader: false, requestTimeout: RECEIVE_TIMEOUT_MS };
    const server = createServer(options, (request, response) => {
        if (request.headers.host === undefined && isHttp11(request))
            refuse(response, 'MALFORMED', 'host: HTTP/1.1 needs this header');
        else
            handler(request, response);
    });
    server.on('checkExpectation', (_request, response) => {
        refuse(response, 'EXPECTATION_FAILED', 'expect: expected 100-continue or nothing');
    });
    return server;
}
const isHttp11 = ({ httpVersion }) => httpVersion === '1.1';
/** Refuses a request that Fastify does not see. Its body is not read, so the connection ends. */
function refuse(response, code, message) {
    const error = new TallystickError(code, message, { field: message.split(':', 1)[0] });
    const body = JSON.stringify(envelopeOf(error));
    response.writeHead(statusOf(error), { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body), connection: 'close' });
    response.end(body);
}
/** What is not even HTTP gets the envelope too. */
export function answerBrokenClient(error, socket) {
    if (error.code === 'ECONNRESET' || !socket.writable) {
        socket.destroy();
        return;
    }
    const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
    const refusal = tooLarge
        ? new TallystickError('PAYLOAD_TOO_LARGE', 'the request head has more bytes than are allowed')
        : new TallystickError('MALFORMED', 'the request is not well-formed HTTP');
    const status = statusOf(refusal);
    const body = JSON.stringify(envelopeOf(refusal));
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ncontent-type: ${JSON_TYPE}\r\nconnection: close\r\n`;
    socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
//# sourceMappingURL=node-server.js.map