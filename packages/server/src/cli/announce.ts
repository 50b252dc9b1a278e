/** What is printed when a node listens. */
import { formatAddress, formatRedisTarget, type Address, type Config } from '../config/index.ts';
import type { Terminal } from './terminal.ts';

/** The ports that were taken. */
export interface Ports {
  readonly http: number;
  readonly grpc: number;
}

/** Says where a node listens and where its counters are. */
export function announce(config: Config, ports: Ports, asJson: boolean, { out }: Terminal): void {
  const { store, workers } = config;
  const http = at(config.http, ports.http);
  const grpc = at(config.grpc, ports.grpc);
  const url = `${config.tlsCert === undefined ? 'http' : 'https'}://${http}`;
  const data = dataOf(config);
  if (asJson) out(JSON.stringify({ event: 'listening', http, grpc, url, store, data, workers, pid: process.pid }));
  else out(`tallystick listens: ${url} · grpc ${grpc} · counters ${store === 'memory' ? data : `in ${data}`}${workers > 1 ? ` · ${workers} workers` : ''}`);
}

const at = (address: Address, port: number): string => formatAddress({ ...address, port });

function dataOf({ store, data, redis }: Config): string {
  if (redis !== undefined) return formatRedisTarget(redis);
  return store === 'memory' ? 'in memory' : data;
}
