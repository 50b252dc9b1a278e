/** Starts a real Redis Cluster of three masters with a replica each. */
import { cutReplication, eventually, mendReplication, redisCommand, replicated } from './redis-command.ts';
import { startRedis, type RedisServer } from './redis.ts';

const SHARDS = 3;
const SLOTS = 16_384;
/** A node speaks to the others on the port that is so much higher. */
const BUS_OFFSET = 10_000;
const DIRECTIVES = {
  'cluster-enabled': 'yes',
  'cluster-node-timeout': '1000',
  // However far a replica lags, it may be promoted: that is what the tests are about.
  'cluster-replica-validity-factor': '0',
  'cluster-require-full-coverage': 'no',
};

interface Shard {
  master: RedisServer;
  replica: RedisServer;
}

/** First and last slot of a shard. */
const rangeOf = (shard: number): [number, number] => [Math.ceil((shard * SLOTS) / SHARDS), Math.ceil(((shard + 1) * SLOTS) / SHARDS) - 1];

const idOf = async ({ port }: RedisServer): Promise<string> => String(await redisCommand(port, 'CLUSTER', 'MYID'));

export class RedisCluster {
  readonly shards: readonly Shard[];

  constructor(shards: readonly Shard[]) {
    this.shards = shards;
  }

  get servers(): RedisServer[] {
    return this.shards.flatMap(({ master, replica }) => [master, replica]);
  }

  get ports(): number[] {
    return this.servers.map(({ port }) => port);
  }

  /** The shard a slot is in, as the cluster was made. */
  shardOf(slot: number): Shard {
    return this.shards.find((_, i) => rangeOf(i)[0] <= slot && slot <= rangeOf(i)[1])!;
  }

  /** From now on the replica of a shard hears nothing. */
  async cutReplication({ master, replica }: Shard): Promise<void> {
    await cutReplication(master.port, replica.port);
  }

  /** Kills a shard's master; resolves when its replica takes writes. */
  async failOver({ master, replica }: Shard): Promise<void> {
    await master.kill();
    await eventually('the replica was promoted', async () => String(await redisCommand(replica.port, 'CLUSTER', 'NODES')).includes('myself,master'), 30_000);
  }

  /** Starts the master that was killed, as the replica of what its replica became. */
  async rejoin(shard: Shard): Promise<void> {
    await mendReplication(shard.replica.port);
    await shard.master.start();
    await replicated(shard.master.port);
    [shard.master, shard.replica] = [shard.replica, shard.master];
    await this.settled();
  }

  /** Moves a slot with all that is in it, key by key, as `redis-cli --cluster reshard` does. */
  async migrate(slot: number, from: RedisServer, to: RedisServer, pauseMs = 0): Promise<void> {
    const [fromId, toId] = [await idOf(from), await idOf(to)];
    const setSlot = (server: RedisServer, ...state: string[]): Promise<unknown> => redisCommand(server.port, 'CLUSTER', 'SETSLOT', String(slot), ...state);
    await setSlot(to, 'IMPORTING', fromId);
    await setSlot(from, 'MIGRATING', toId);
    for (;;) {
      const keys = (await redisCommand(from.port, 'CLUSTER', 'GETKEYSINSLOT', String(slot), '1')) as string[];
      if (keys.length === 0) break;
      await redisCommand(from.port, 'MIGRATE', '127.0.0.1', String(to.port), '', '0', '5000', 'KEYS', ...keys);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    for (const server of [to, from]) await setSlot(server, 'NODE', toId);
    for (const { master } of this.shards) if (master !== to && master !== from) await setSlot(master, 'NODE', toId);
  }

  /** Waits until every node says that all is well. */
  async settled(): Promise<void> {
    await eventually('the cluster has formed', async () => {
      const infos = await Promise.all(this.ports.map(async (port) => String(await redisCommand(port, 'CLUSTER', 'INFO'))));
      return infos.every((info) => info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${2 * SHARDS}`) && info.includes(`cluster_slots_ok:${SLOTS}`));
    }, 30_000);
    for (const { replica } of this.shards) await replicated(replica.port);
  }

  async stop(): Promise<void> {
    for (const server of this.servers) await server.stop();
  }
}

async function join(servers: readonly RedisServer[]): Promise<void> {
  const [first, ...others] = servers as [RedisServer, ...RedisServer[]];
  for (const [i, { port }] of servers.entries()) await redisCommand(port, 'CLUSTER', 'SET-CONFIG-EPOCH', String(i + 1));
  for (const { port } of others) await redisCommand(first.port, 'CLUSTER', 'MEET', '127.0.0.1', String(port));
  await eventually('the nodes know each other', async () => {
    const infos = await Promise.all(servers.map(async ({ port }) => String(await redisCommand(port, 'CLUSTER', 'INFO'))));
    return infos.every((info) => info.includes(`cluster_known_nodes:${servers.length}`));
  });
}

/** Starts the cluster. */
export async function startCluster(directives: Readonly<Record<string, string>> = {}): Promise<RedisCluster> {
  const start = (): Promise<RedisServer> => startRedis({ ...DIRECTIVES, ...directives }, 65_535 - BUS_OFFSET);
  const shards: Shard[] = [];
  for (let i = 0; i < SHARDS; i++) shards.push({ master: await start(), replica: await start() });
  const cluster = new RedisCluster(shards);
  await join(cluster.servers);
  for (const [i, { master }] of shards.entries()) {
    const [first, last] = rangeOf(i);
    const slots = Array.from({ length: last - first + 1 }, (_, slot) => String(first + slot));
    await redisCommand(master.port, 'CLUSTER', 'ADDSLOTS', ...slots);
  }
  for (const { master, replica } of shards) {
    const id = await idOf(master);
    await eventually('the replica takes its master', async () => (await redisCommand(replica.port, 'CLUSTER', 'REPLICATE', id)) === 'OK');
  }
  await cluster.settled();
  return cluster;
}
