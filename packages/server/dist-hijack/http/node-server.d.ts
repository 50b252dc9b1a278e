/**
 * The server under Fastify. What Node refuses by itself, with a bare status, gets the envelope here: what is not
 * HTTP, a request without Host, an expectation that nobody can meet.
 */
import { type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
/** What every body of the node is, metrics aside. */
export declare const JSON_TYPE = "application/json; charset=utf-8";
/** A server that hands whole requests to `handler`. */
export declare function createNodeServer(handler: RequestListener): Server;
/** What is not even HTTP gets the envelope too. */
export declare function answerBrokenClient(error: Error & {
    code?: string;
}, socket: Socket): void;
//# sourceMappingURL=node-server.d.ts.map