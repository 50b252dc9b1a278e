/**
 * The gRPC door of a node, on @grpc/grpc-js: wire ↔ use cases, and nothing else. Messages are read and
 * written by the codec of `@tallystick/client/wire`; requests reach the handlers as bytes, so that one that
 * can't be read is refused like any other bad input, with a code and a field.
 */
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { countersService, frequencyService, healthService, limitsService, rateLimitService } from '@tallystick/client/wire';
import { TallystickError } from 'tallystick';
import type { ApiKeys, App, Tls } from '../app/index.ts';
import { counterHandlers } from './counters.ts';
import { frequencyHandlers } from './frequency.ts';
import { Health } from './health.ts';
import { requireKeys } from './keys.ts';
import { explainTooLarge } from './limits.ts';
import { limitHandlers } from './limits-service.ts';
import { rateLimitHandlers } from './rate-limit.ts';
import { addReflection } from './reflection.ts';
import type { GrpcLog } from './refusal.ts';
import { StreamAdds } from './stream-add.ts';

export { logGrpcTo } from './logging.ts';
export type { GrpcLog } from './refusal.ts';

/** Settings of {@link startGrpc}. */
export interface GrpcOptions {
  readonly app: App;
  /** `host:port`; port 0 takes a free one. */
  readonly address: string;
  readonly log: GrpcLog;
  /** The most bytes of one message. Default 4 MiB, which is also what clients accept by default. */
  readonly maxMessageBytes?: number;
  /** The most items of one message of StreamAdd; other batches are the app's to limit. Default 1,000. */
  readonly maxBatchItems?: number;
  /** Who may call. Default: everybody, everything. */
  readonly keys?: ApiKeys | undefined;
  /** Default: clear text. */
  readonly tls?: Tls | undefined;
}

/** A running gRPC server. */
export interface GrpcServer {
  readonly port: number;
  /**
   * Says NOT_SERVING, takes no new connections and calls, answers those that run, and ends them after
   * `drainMs` at the latest.
   */
  close(drainMs: number): Promise<void>;
}

const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
const MAX_BATCH_ITEMS = 1000;
/** A peer that is silent for so long is asked whether it is there, and dropped when it does not answer. */
const KEEPALIVE_MS = 60_000;
const KEEPALIVE_TIMEOUT_MS = 20_000;

/**
 * Starts serving.
 *
 * @throws TallystickError `INVALID_CONFIG`, field `grpc`, when the address can't be listened on.
 */
export async function startGrpc(options: GrpcOptions): Promise<GrpcServer> {
  const { app, log, maxMessageBytes = MAX_MESSAGE_BYTES, maxBatchItems = MAX_BATCH_ITEMS } = options;
  const around = { figures: app.figures, log, shedding: app.shedding };
  const server = new Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
    // Its books of every call and message would cost a tenth of the throughput.
    'grpc.enable_channelz': 0,
    interceptors: [explainTooLarge(maxMessageBytes), ...(options.keys === undefined ? [] : [requireKeys(options.keys, log)])],
  });
  const streams = new StreamAdds({ ...around, app, maxBatchItems });
  const health = new Health(app, ['tallystick.v1.Counters', 'tallystick.v1.FrequencyControl', 'tallystick.v1.Limits', 'envoy.service.ratelimit.v3.RateLimitService']);
  server.addService(countersService, { ...counterHandlers(app, around), StreamAdd: streams.handler });
  server.addService(frequencyService, frequencyHandlers(app, around));
  server.addService(rateLimitService, rateLimitHandlers(app, around));
  server.addService(limitsService, limitHandlers(app, around));
  server.addService(healthService, { Check: health.check, Watch: health.watch });
  addReflection(server, log);
  const port = await bind(server, options.address, credentialsOf(options.tls));
  return {
    port,
    close: (drainMs) => {
      health.drain();
      streams.drain();
      return shutdown(server, drainMs);
    },
  };
}

function credentialsOf(tls: Tls | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const { cert, key, clientCa } = tls;
  return ServerCredentials.createSsl(clientCa ?? null, [{ cert_chain: cert, private_key: key }], clientCa !== undefined);
}

function bind(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => {
      if (error === null) resolve(port);
      else reject(unlistenable(address, error));
    });
  });
}

function unlistenable(address: string, cause: Error): TallystickError {
  return new TallystickError('INVALID_CONFIG', `grpc: can't listen on ${address}: ${cause.message}`, { field: 'grpc', cause });
}

async function shutdown(server: Server, drainMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const forced = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, drainMs);
    server.tryShutdown(() => {
      clearTimeout(forced);
      resolve();
    });
  });
}
