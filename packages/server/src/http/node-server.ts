/**
 * The server under Fastify. What Node refuses by itself, with a bare status, gets the envelope here: what is not
 * HTTP, a request without Host, an expectation that nobody can meet.
 */
import { createServer, STATUS_CODES, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { TallystickError } from 'tallystick';
import type { Tls } from '../app/index.ts';
import { envelopeOf, statusOf } from './errors.ts';

/** What every body of the node is, metrics aside. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** A client gets so long to send a request. */
const RECEIVE_TIMEOUT_MS = 30_000;

/** A server that hands whole requests to `handler`, in private where there is a certificate. */
export function createNodeServer(handler: RequestListener, tls: Tls | undefined): Server {
  const options = { requireHostHeader: false, requestTimeout: RECEIVE_TIMEOUT_MS };
  const listener: RequestListener = (request, response) => {
    if (request.headers.host === undefined && isHttp11(request)) refuse(response, 'MALFORMED', 'host: HTTP/1.1 needs this header');
    else handler(request, response);
  };
  const server = tls === undefined ? createServer(options, listener) : createTlsServer({ ...options, ...certificateOf(tls) }, listener);
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    refuse(response, 'EXPECTATION_FAILED', 'expect: expected 100-continue or nothing');
  });
  return server;
}

function certificateOf({ cert, key, clientCa }: Tls): object {
  return { cert, key, ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: true }) };
}

const isHttp11 = ({ httpVersion }: IncomingMessage): boolean => httpVersion === '1.1';

/** Refuses a request that Fastify does not see. Its body is not read, so the connection ends. */
function refuse(response: ServerResponse, code: 'MALFORMED' | 'EXPECTATION_FAILED', message: string): void {
  const error = new TallystickError(code, message, { field: message.split(':', 1)[0] as string });
  const body = JSON.stringify(envelopeOf(error));
  response.writeHead(statusOf(error), { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body), connection: 'close' });
  response.end(body);
}

/** What is not even HTTP gets the envelope too. */
export function answerBrokenClient(error: Error & { code?: string }, socket: Socket): void {
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
