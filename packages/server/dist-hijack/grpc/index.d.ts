/**
 * The gRPC door of a node, on @grpc/grpc-js: wire ↔ use cases, and nothing else. Messages are read and
 * written by the codec of `@tallystick/client/wire`; requests reach the handlers as bytes, so that one that
 * can't be read is refused like any other bad input, with a code and a field.
 */
import { ServerCredentials } from '@grpc/grpc-js';
import type { App } from '../app/index.ts';
import type { GrpcLog } from './refusal.ts';
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
    /** Default: no TLS. */
    readonly credentials?: ServerCredentials;
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
/**
 * Starts serving.
 *
 * @throws TallystickError `INVALID_CONFIG`, field `grpc`, when the address can't be listened on.
 */
export declare function startGrpc(options: GrpcOptions): Promise<GrpcServer>;
//# sourceMappingURL=index.d.ts.map