/** What happens to servers and networks, by name. */
import { setTimeout as pause } from 'node:timers/promises';
import { FaultProxy } from '../../support/fault-proxy.ts';
import type { Deployment } from '../../support/redis-clients.ts';
import { startCluster } from '../../support/redis-cluster.ts';
import { redisCommand } from '../../support/redis-command.ts';
import { startSentinels } from '../../support/redis-sentinels.ts';
import { startRedis, type RedisDirectives, type RedisServer } from '../../support/redis.ts';
import type { Seen } from './client-process.ts';
import type { Clients } from './clients.ts';
import { PREFIX } from './subjects.ts';

/** Servers, and the fault that strikes them. */
interface Scene {
  readonly deployment: Deployment;
  /** Resolves when the fault is over, so that adds can be answered again. */
  readonly strike: (clients: Clients) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface Scenario {
  readonly what: string;
  /** How often the fault strikes in the long proof. */
  readonly strikes: number;
  /** Whether the fault did what it is there for. */
  readonly hasBitten: (seen: Seen) => boolean;
  readonly open: () => Promise<Scene>;
}

const resent = ({ resends }: Seen): boolean => resends > 0;
const wasBehind = ({ behind }: Seen): boolean => behind > 0;

/** One server that clients reach through a proxy. */
async function behindProxy(strike: (proxy: FaultProxy, clients: Clients) => Promise<void>): Promise<Scene> {
  const server = await startRedis();
  const proxy = await new FaultProxy(server.port).start();
  return {
    deployment: { topology: 'standalone', ports: [proxy.port] },
    strike: (clients) => strike(proxy, clients),
    stop: async () => {
      await proxy.stop();
      await server.stop();
    },
  };
}

async function standalone(directives: RedisDirectives, strike: (server: RedisServer, clients: Clients) => Promise<void>): Promise<Scene> {
  const server = await startRedis(directives);
  return { deployment: { topology: 'standalone', ports: [server.port] }, strike: (clients) => strike(server, clients), stop: () => server.stop() };
}

/** A server that is killed; `spoil` may then change what is on its disk. */
const killed = (spoil: (server: RedisServer) => void) => (): Promise<Scene> =>
  standalone({ appendonly: 'yes', appendfsync: 'everysec' }, async (server) => {
    await server.kill();
    spoil(server);
    await server.start();
  });

/** A primary is killed whose replica has not heard of what was acknowledged last. */
async function laggingSentinels(): Promise<Scene> {
  const sentinels = await startSentinels();
  return {
    deployment: { topology: 'sentinel', ports: sentinels.ports },
    strike: async (clients) => {
      await sentinels.cutReplication();
      await clients.underWay();
      await sentinels.failOver();
      await clients.underWay();
      await sentinels.rejoin();
    },
    stop: () => sentinels.stop(),
  };
}

async function laggingCluster(): Promise<Scene> {
  const cluster = await startCluster();
  let next = 0;
  return {
    deployment: { topology: 'cluster', ports: cluster.ports },
    strike: async (clients) => {
      const shard = cluster.shards[next++ % cluster.shards.length]!;
      await cluster.cutReplication(shard);
      await clients.underWay();
      await cluster.failOver(shard);
      await clients.underWay();
      await cluster.rejoin(shard);
    },
    stop: () => cluster.stop(),
  };
}

/** A partition's slot goes from one master to the next, key by key. */
async function migration(): Promise<Scene> {
  const cluster = await startCluster();
  const slot = Number(await redisCommand(cluster.ports[0]!, 'CLUSTER', 'KEYSLOT', `{${PREFIX}:0}`));
  let at = cluster.shards.indexOf(cluster.shardOf(slot));
  return {
    deployment: { topology: 'cluster', ports: cluster.ports },
    strike: async () => {
      const from = cluster.shards[at]!.master;
      at = (at + 1) % cluster.shards.length;
      await cluster.migrate(slot, from, cluster.shards[at]!.master, 5);
    },
    stop: () => cluster.stop(),
  };
}

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'dropped-replies': {
    what: 'replies thrown away after execution, and the connection cut',
    strikes: 40,
    hasBitten: resent,
    open: () => behindProxy(async (proxy) => {
      proxy.dropReplies = true;
      await pause(30);
      proxy.cut();
      proxy.heal();
    }),
  },
  'torn-requests': {
    what: 'connections reset in the middle of a request',
    strikes: 40,
    hasBitten: resent,
    open: () => behindProxy((proxy) => proxy.tear()),
  },
  'half-open': {
    what: 'connections gone silent without being closed',
    strikes: 5,
    hasBitten: resent,
    open: () => behindProxy(async (proxy) => {
      proxy.silence();
      await pause(3000);
      proxy.cut();
    }),
  },
  paused: {
    what: 'the server stopped for 10 s (SIGSTOP)',
    strikes: 3,
    hasBitten: resent,
    open: () => standalone({}, async (server) => {
      server.pause();
      await pause(10_000);
      server.resume();
    }),
  },
  'killed-with-log': {
    what: 'the server killed (SIGKILL) and started on its append-only file',
    strikes: 20,
    hasBitten: resent,
    open: killed(() => undefined),
  },
  'lost-tail': {
    what: 'the server killed, and the last 64 KiB of its append-only file lost, as with the power',
    strikes: 20,
    hasBitten: wasBehind,
    open: killed((server) => { server.cutLog(65_536); }),
  },
  'lagging-failover': {
    what: 'failover by Sentinels to a replica that had not heard of acknowledged adds',
    strikes: 20,
    hasBitten: wasBehind,
    open: laggingSentinels,
  },
  'cluster-failover': {
    what: 'masters of a Cluster killed whose replicas had not heard of acknowledged adds',
    strikes: 6,
    hasBitten: wasBehind,
    open: laggingCluster,
  },
  migration: {
    what: 'the slot of a partition moved to another master of a Cluster, key by key',
    strikes: 6,
    hasBitten: resent,
    open: migration,
  },
  'script-flush': {
    what: 'SCRIPT FLUSH',
    strikes: 100,
    hasBitten: () => true,
    open: () => standalone({}, async ({ port }) => { await redisCommand(port, 'SCRIPT', 'FLUSH'); }),
  },
  flushed: {
    what: 'FLUSHALL',
    strikes: 10,
    hasBitten: wasBehind,
    open: () => standalone({}, async ({ port }) => { await redisCommand(port, 'FLUSHALL'); }),
  },
  'killed-clients': {
    what: 'a client process killed (SIGKILL), and another started',
    strikes: 20,
    hasBitten: () => true,
    open: () => behindProxy((proxy, clients) => {
      // Whenever it is killed, replies are on their way to it.
      proxy.delayMs = 10;
      return clients.replaceOne();
    }),
  },
};
