/** A gRPC node for tests: real server, real store, a port of its own. */
import { Client, credentials, status, type CallOptions, type ServiceError } from '@grpc/grpc-js';
import type { Method } from '@tallystick/client/wire';
import { memoryStore, type Store } from 'tallystick';
import { createApp, type App, type AppOptions } from '../../packages/server/src/app/index.ts';
import { startGrpc, type GrpcOptions } from '../../packages/server/src/grpc/index.ts';

/** How a call ended that was refused. */
export interface Refused {
  readonly status: string;
  readonly details: string;
  /** The trailers. */
  readonly code: string | undefined;
  readonly reason: string | undefined;
  readonly field: string | undefined;
  readonly index: string | undefined;
}

export interface GrpcNode extends AsyncDisposable {
  readonly app: App;
  readonly port: number;
  readonly address: string;
  /** A channel of the plain grpc-js client. */
  readonly channel: Client;
  /** What the node logged. */
  readonly logged: string[];
  /** One call by the plain client. */
  call<Request, Reply>(method: Method<Request, unknown, Reply>, request: Request, options?: CallOptions): Promise<Reply>;
  /** One call whose request is `bytes`, and which must be refused. */
  refused(method: { readonly path: string }, bytes: Uint8Array, options?: CallOptions): Promise<Refused>;
  close(drainMs?: number): Promise<void>;
}

/** A memory store whose answers to batches take `delayMs`; they are applied before it. */
export function slowStore(delayMs: number): Store {
  const store = memoryStore();
  return {
    partitions: store.partitions,
    apply: async (batch) => {
      const reply = await store.apply(batch);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      return reply;
    },
    read: (partition, queries) => store.read(partition, queries),
    close: () => store.close(),
  };
}

type NodeOptions = Partial<AppOptions & Pick<GrpcOptions, 'maxMessageBytes'>> & { readonly port?: number };

/** Starts a node; `given` are those of the app and the server, with a memory store unless one is given. */
export async function startGrpcNode(given: NodeOptions = {}): Promise<GrpcNode> {
  const { store = memoryStore(), maxMessageBytes, port: wanted = 0, ...options } = given;
  const logged: string[] = [];
  const app = createApp({ store, ...options });
  const log = { error: (_fields: object, message: string) => void logged.push(message) };
  const server = await startGrpc({ app, address: `127.0.0.1:${wanted}`, log, ...(maxMessageBytes !== undefined && { maxMessageBytes }) });
  const address = `127.0.0.1:${server.port}`;
  const channel = new Client(address, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  const close = async (drainMs = 2000): Promise<void> => {
    channel.close();
    await server.close(drainMs);
    await app.close(2000);
  };
  return {
    app,
    port: server.port,
    address,
    channel,
    logged,
    call: (method, request, callOptions = {}) => unary(channel, method, request, callOptions),
    refused: (method, bytes, callOptions = {}) => refusalOf(channel, method, bytes, callOptions),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function unary<Request, Reply>(
  channel: Client,
  method: Method<Request, unknown, Reply>,
  request: Request,
  options: CallOptions,
): Promise<Reply> {
  const { path, requestSerialize, responseDeserialize } = method;
  return new Promise((resolve, reject) => {
    channel.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, options, (error, reply) => {
      if (error === null) resolve(reply as Reply);
      else reject(error);
    });
  });
}

function refusalOf(channel: Client, { path }: { readonly path: string }, bytes: Uint8Array, options: CallOptions): Promise<Refused> {
  const same = (buffer: Uint8Array): Buffer => Buffer.from(buffer);
  return new Promise((resolve, reject) => {
    channel.makeUnaryRequest(path, same, same, bytes, options, (error) => {
      if (error === null) reject(new Error('the call was not refused'));
      else resolve(toRefused(error));
    });
  });
}

/** A status and its trailers. */
function toRefused({ code, details, metadata }: ServiceError): Refused {
  const text = (name: string): string | undefined => metadata.get(`tallystick-${name}`)[0]?.toString();
  return { status: status[code], details, code: text('code'), reason: text('reason'), field: text('field'), index: text('index') };
}
