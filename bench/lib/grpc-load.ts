/**
 * Load over gRPC: unary calls over one HTTP/2 connection, 100 streams at a time, on bare `node:http2`. A
 * client of grpc-js costs more than any server of these rows, so it would measure itself; this one sends
 * bytes that were made before and looks at the status and the length of what comes back.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { connect, type ClientHttp2Session } from 'node:http2';
import { runCallers } from './callers.ts';
import type { Turn } from './row.ts';
import type { Server } from './server.ts';

/** Calls of one method; the messages are sent over and over in their order. */
export interface GrpcLoad {
  readonly path: string;
  readonly calls: number;
  readonly messages: readonly Buffer[];
  /** Items of a call: the figure is items per second. */
  readonly items: number;
}

const STREAMS = 100;
const HEAD_BYTES = 5;

/** A message as it travels: not compressed, its length, itself. */
function framed(message: Buffer): Buffer {
  const frame = Buffer.alloc(HEAD_BYTES + message.length);
  frame.writeUInt32BE(message.length, 1);
  message.copy(frame, HEAD_BYTES);
  return frame;
}

/** One call; resolves when its status has come and is OK. */
function call(session: ClientHttp2Session, path: string, frame: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' });
    let bytes = 0;
    let status: unknown;
    stream.on('data', (chunk: Buffer) => (bytes += chunk.length));
    stream.on('trailers', (trailers: IncomingHttpHeaders) => (status = trailers['grpc-status']));
    stream.on('error', reject);
    stream.on('end', () => {
      if (status === '0' && bytes > HEAD_BYTES) resolve();
      else reject(new Error(`a call ended with status ${String(status)} and ${bytes} bytes`));
    });
    stream.end(frame);
  });
}

/** Runs a load; every call must be answered with a message and the status OK. */
export async function grpcTurn(server: Server, { path, calls, messages, items }: GrpcLoad): Promise<Turn> {
  const session = connect(`http://${server.grpc}`);
  const frames = messages.map(framed);
  const cpuUs = server.cpuUs();
  const beganMs = performance.now();
  const latency = await runCallers({ callers: STREAMS, calls, call: (i) => call(session, path, frames[i % frames.length] as Buffer) });
  const wallMs = performance.now() - beganMs;
  session.close();
  return { figure: ((calls * items) / wallMs) * 1000, cpuUsPerOperation: (server.cpuUs() - cpuUs) / (calls * items), latency };
}
