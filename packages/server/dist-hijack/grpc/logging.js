/** What grpc-js says of itself: it writes to standard error unless it is told where else to. */
import { setLogger } from '@grpc/grpc-js';
/** Has grpc-js, in all of this process, write to `log`: at debug level, for what matters is thrown as well. */
export function logGrpcTo(log) {
    const write = (message) => log.debug({ said: String(message) }, 'grpc-js');
    setLogger({ error: write, info: write, debug: write });
}
//# sourceMappingURL=logging.js.map