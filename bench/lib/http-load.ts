/**
 * Load over HTTP: 256 requests in flight over 32 connections that are kept alive, by a client made of bare
 * sockets. It has to be cheaper than any server here, which has the other core, or it would measure itself;
 * so it sends bytes that were made before, and of an answer looks at status and length. It makes exactly so
 * many requests as it is told (autocannon, told an amount, leaves the last ones of a pipeline unread), so that
 * the account can be balanced.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { runCallers } from './callers.ts';
import type { Turn } from './row.ts';
import type { Server } from './server.ts';

/** Requests, sent over and over in their order. */
export interface HttpLoad {
  readonly amount: number;
  readonly requests: readonly HttpRequest[];
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON. */
  readonly body?: string;
}

const CONNECTIONS = 32;
const IN_FLIGHT = 256;
const LENGTH = /\r\ncontent-length: (\d+)/i;
const HEAD_END = '\r\n\r\n';
/** Where the status stands in `HTTP/1.1 200 OK`. */
const STATUS_AT = 9;

function bytesOf({ method, path, body }: HttpRequest, host: string): Buffer {
  const head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`;
  if (body === undefined) return Buffer.from(`${head}\r\n`);
  return Buffer.from(`${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** A connection on which requests are sent without waiting for each other, and answered in order. */
class Connection {
  readonly #socket: Socket;
  /** Who waits, oldest first. */
  readonly #waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #received = '';
  #corked = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('close', () => this.#fail(new Error('the server closed a connection')));
  }

  /** Sends a request with the others of this turn; resolves when it was answered with 200. */
  send(request: Buffer): Promise<void> {
    if (!this.#corked) {
      this.#corked = true;
      this.#socket.cork();
      process.nextTick(this.#uncork);
    }
    this.#socket.write(request);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  close(): void {
    this.#socket.destroy();
  }

  readonly #uncork = (): void => {
    this.#corked = false;
    this.#socket.uncork();
  };

  #read(chunk: Buffer): void {
    const text = this.#received + chunk.toString('latin1');
    let from = 0;
    for (let headEnd = text.indexOf(HEAD_END); headEnd >= 0; headEnd = text.indexOf(HEAD_END, from)) {
      const head = text.slice(from, headEnd);
      const end = headEnd + HEAD_END.length + Number(LENGTH.exec(head)?.[1]);
      if (end > text.length) break;
      this.#answered(head.slice(STATUS_AT, STATUS_AT + 3));
      from = end;
    }
    this.#received = text.slice(from);
  }

  #answered(status: string): void {
    const waiting = this.#waiting.shift();
    if (status === '200') waiting?.resolve();
    else waiting?.reject(new Error(`a request was answered with ${status}`));
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

async function open(address: string): Promise<Connection> {
  const [host = '', port] = address.split(':');
  const socket = connect(Number(port), host);
  await once(socket, 'connect');
  return new Connection(socket);
}

/** Runs a load; every answer must be a 200. */
export async function httpTurn(server: Server, { amount, requests }: HttpLoad): Promise<Turn> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(server.http)));
  const bytes = requests.map((request) => bytesOf(request, server.http));
  const send = (i: number): Promise<void> => (connections[i % CONNECTIONS] as Connection).send(bytes[i % bytes.length] as Buffer);
  const cpuUs = server.cpuUs();
  const beganMs = performance.now();
  const latency = await runCallers({ callers: IN_FLIGHT, calls: amount, call: send });
  const wallMs = performance.now() - beganMs;
  const usedUs = server.cpuUs() - cpuUs;
  for (const connection of connections) connection.close();
  return { figure: (amount / wallMs) * 1000, cpuUsPerOperation: usedUs / amount, latency };
}
