/** What is printed when a node listens. */
import { formatAddress, formatRedisTarget } from "../config/index.js";
/** Says where a node listens and where its counters are. */
export function announce(config, ports, asJson, { out }) {
    const { store, workers } = config;
    const http = at(config.http, ports.http);
    const grpc = at(config.grpc, ports.grpc);
    const url = `http://${http}`;
    const data = dataOf(config);
    if (asJson)
        out(JSON.stringify({ event: 'listening', http, grpc, url, store, data, workers, pid: process.pid }));
    else
        out(`tallystick listens: ${url} · grpc ${grpc} · counters ${store === 'memory' ? data : `in ${data}`}${workers > 1 ? ` · ${workers} workers` : ''}`);
}
const at = (address, port) => formatAddress({ ...address, port });
function dataOf({ store, data, redis }) {
    if (redis !== undefined)
        return formatRedisTarget(redis);
    return store === 'memory' ? 'in memory' : data;
}
//# sourceMappingURL=announce.js.map