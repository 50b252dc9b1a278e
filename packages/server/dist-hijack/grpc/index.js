/**
 * The gRPC door of a node, on @grpc/grpc-js: wire ↔ use cases, and nothing else. Messages are read and
 * written by the codec of `@tallystick/client/wire`; requests reach the handlers as bytes, so that one that
 * can't be read is refused like any other bad input, with a code and a field.
 */
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { countersService, frequencyService, healthService } from '@tallystick/client/wire';
import { TallystickError } from 'tallystick';
import { counterHandlers } from "./counters.js";
import { frequencyHandlers } from "./frequency.js";
import { Health } from "./health.js";
import { explainTooLarge } from "./limits.js";
import { addReflection } from "./reflection.js";
import { StreamAdds } from "./stream-add.js";
export { logGrpcTo } from "./logging.js";
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
export async function startGrpc(options) {
    const { app, log, maxMessageBytes = MAX_MESSAGE_BYTES, maxBatchItems = MAX_BATCH_ITEMS } = options;
    const around = { figures: app.figures, log };
    const server = new Server({
        'grpc.max_receive_message_length': maxMessageBytes,
        'grpc.keepalive_time_ms': KEEPALIVE_MS,
        'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
        // Its books of every call and message would cost a tenth of the throughput.
        'grpc.enable_channelz': 0,
        interceptors: [explainTooLarge(maxMessageBytes)],
    });
    const streams = new StreamAdds({ ...around, app, maxBatchItems });
    const health = new Health(app, ['tallystick.v1.Counters', 'tallystick.v1.FrequencyControl']);
    server.addService(countersService, { ...counterHandlers(app, around), StreamAdd: streams.handler });
    server.addService(frequencyService, frequencyHandlers(app, around));
    server.addService(healthService, { Check: health.check, Watch: health.watch });
    addReflection(server, log);
    const port = await bind(server, options.address, options.credentials ?? ServerCredentials.createInsecure());
    return {
        port,
        close: (drainMs) => {
            health.drain();
            streams.drain();
            return shutdown(server, drainMs);
        },
    };
}
function bind(server, address, credentials) {
    return new Promise((resolve, reject) => {
        server.bindAsync(address, credentials, (error, port) => {
            if (error === null)
                resolve(port);
            else
                reject(unlistenable(address, error));
        });
    });
}
function unlistenable(address, cause) {
    return new TallystickError('INVALID_CONFIG', `grpc: can't listen on ${address}: ${cause.message}`, { field: 'grpc', cause });
}
async function shutdown(server, drainMs) {
    await new Promise((resolve) => {
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
//# sourceMappingURL=index.js.map