/** Clients of each deployment of Redis, with the settings that `stores/redis/clients.ts` asks for, and how each is closed. */
import { createClient, createCluster, createSentinel } from 'redis';
import { fromCluster, fromSentinel, type RedisClient } from '../../packages/core/src/stores/redis/index.ts';
import { MASTER_NAME } from './redis-sentinels.ts';

/** Where Redis is. */
export interface Deployment {
  readonly topology: 'standalone' | 'sentinel' | 'cluster';
  /** Ports of 127.0.0.1: the server; the Sentinels; nodes of the Cluster. */
  readonly ports: readonly number[];
}

/** A client, and plain commands for a control run beside it. */
export interface Connection {
  readonly client: RedisClient;
  readonly incr: (key: string) => Promise<number>;
  readonly get: (key: string) => Promise<number>;
  readonly close: () => Promise<void>;
}

const RECONNECT_MS = 20;
const silent = (): void => undefined;
const host = '127.0.0.1';
const socket = { reconnectStrategy: RECONNECT_MS };

async function connectStandalone(port: number): Promise<Connection> {
  const client = createClient({ socket: { ...socket, host, port }, disableOfflineQueue: true });
  await client.on('error', silent).connect();
  return {
    client,
    incr: (key) => client.incr(key),
    get: async (key) => Number(await client.get(key)),
    close: async () => { client.destroy(); },
  };
}

async function connectSentinel(ports: readonly number[]): Promise<Connection> {
  const sentinel = createSentinel({
    name: MASTER_NAME,
    sentinelRootNodes: ports.map((port) => ({ host, port })),
    nodeClientOptions: { socket, disableOfflineQueue: true },
    reserveClient: true,
    maxCommandRediscovers: 0,
    scanInterval: 1000,
  });
  sentinel.on('error', silent);
  await sentinel.connect();
  return {
    client: fromSentinel(sentinel),
    incr: (key) => sentinel.incr(key),
    get: async (key) => Number(await sentinel.get(key)),
    close: () => sentinel.destroy(),
  };
}

async function connectCluster(ports: readonly number[]): Promise<Connection> {
  const cluster = createCluster({
    rootNodes: ports.map((port) => ({ socket: { host, port } })),
    defaults: { socket, disableOfflineQueue: true },
  });
  await cluster.on('error', silent).connect();
  return {
    client: fromCluster(cluster),
    incr: (key) => cluster.incr(key),
    get: async (key) => Number(await cluster.get(key)),
    close: async () => { cluster.destroy(); },
  };
}

/** Connects a client of its own. */
export function connect({ topology, ports }: Deployment): Promise<Connection> {
  switch (topology) {
    case 'standalone':
      return connectStandalone(ports[0]!);
    case 'sentinel':
      return connectSentinel(ports);
    case 'cluster':
      return connectCluster(ports);
  }
}
