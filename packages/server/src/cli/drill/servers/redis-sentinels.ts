/** Starts a real primary, its replica, and three Sentinels that watch them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cutReplication, eventually, isPrimary, mendReplication, redisCommand, replicated } from './redis-command.ts';
import { freePort } from './free-port.ts';
import { RedisProcess, startRedis, type RedisServer } from './redis.ts';

const SENTINELS = 3;
const QUORUM = 2;
const DOWN_AFTER_MS = 500;

/** The name under which Sentinels know the servers. */
export const MASTER_NAME = 'main';

class Sentinel extends RedisProcess {
  readonly port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'tallystick-sentinel-'));

  constructor(port: number) {
    super();
    this.port = port;
  }

  async watch(primaryPort: number): Promise<void> {
    const file = join(this.#folder, 'sentinel.conf');
    const watched = [
      `monitor ${MASTER_NAME} 127.0.0.1 ${primaryPort} ${QUORUM}`,
      `down-after-milliseconds ${MASTER_NAME} ${DOWN_AFTER_MS}`,
      `failover-timeout ${MASTER_NAME} 4000`,
    ];
    const lines = [`port ${this.port}`, 'bind 127.0.0.1', `dir ${this.#folder}`, ...watched.map((line) => `sentinel ${line}`)];
    writeFileSync(file, `${lines.join('\n')}\n`);
    await this.start([file, '--sentinel'], '+monitor');
  }

  /** What it knows of the servers, by name. */
  async facts(): Promise<ReadonlyMap<string, string>> {
    const flat = (await redisCommand(this.port, 'SENTINEL', 'MASTER', MASTER_NAME)) as string[];
    return new Map(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ''] as const] : [])));
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export class RedisSentinels {
  readonly #servers: readonly [RedisServer, RedisServer];
  readonly #sentinels: readonly Sentinel[];

  constructor(servers: readonly [RedisServer, RedisServer], sentinels: readonly Sentinel[]) {
    this.#servers = servers;
    this.#sentinels = sentinels;
  }

  /** The Sentinels' ports. */
  get ports(): number[] {
    return this.#sentinels.map(({ port }) => port);
  }

  /** Waits until everybody knows everybody. */
  async settled(): Promise<void> {
    await eventually('the Sentinels know each other and the replica', async () => {
      const facts = await Promise.all(this.#sentinels.map((sentinel) => sentinel.facts()));
      return facts.every((known) => known.get('flags') === 'master' && known.get('num-slaves') === '1' && known.get('num-other-sentinels') === String(SENTINELS - 1));
    }, 30_000);
  }

  /** The server that is the primary now, and the other one. */
  async roles(): Promise<{ primary: RedisServer; replica: RedisServer }> {
    const [one, other] = this.#servers;
    return (await isPrimary(one.port)) ? { primary: one, replica: other } : { primary: other, replica: one };
  }

  /** From now on the replica hears nothing. */
  async cutReplication(): Promise<void> {
    const { primary, replica } = await this.roles();
    await cutReplication(primary.port, replica.port);
  }

  /** Kills the primary; resolves when the replica takes writes. */
  async failOver(): Promise<void> {
    const { primary, replica } = await this.roles();
    await primary.kill();
    await eventually('the replica was promoted', () => isPrimary(replica.port), 30_000);
  }

  /** Swaps primary and replica while both are alive; resolves when that is done. */
  async swap(): Promise<void> {
    const { primary, replica } = await this.roles();
    await redisCommand(this.ports[0] ?? 0, 'SENTINEL', 'FAILOVER', MASTER_NAME);
    await eventually('they have swapped', async () => (await isPrimary(replica.port)) && !(await isPrimary(primary.port)), 30_000);
  }

  /** Starts the server that was killed, as the replica of the other. */
  async rejoin(): Promise<void> {
    const dead = await this.#dead();
    const [one, other] = this.#servers;
    const primary = dead === one ? other : one;
    await mendReplication(primary.port);
    await dead.start(['--replicaof', '127.0.0.1', String(primary.port)]);
    await replicated(dead.port);
    await this.settled();
  }

  async stop(): Promise<void> {
    for (const started of [...this.#sentinels, ...this.#servers]) await started.stop();
  }

  async #dead(): Promise<RedisServer> {
    for (const server of this.#servers) if (!(await redisCommand(server.port, 'PING').catch(() => false))) return server;
    throw new Error('both servers are alive');
  }
}

/** Starts primary, replica and Sentinels. */
export async function startSentinels(directives: Readonly<Record<string, string>> = {}): Promise<RedisSentinels> {
  const primary = await startRedis(directives);
  // Found in a primary's INFO, which Sentinels ask for every ten seconds: the replica has to be there before.
  const replica = await startRedis({ ...directives, replicaof: `127.0.0.1 ${primary.port}` });
  await replicated(replica.port);
  const sentinels: Sentinel[] = [];
  for (let i = 0; i < SENTINELS; i++) sentinels.push(new Sentinel(await freePort()));
  for (const sentinel of sentinels) await sentinel.watch(primary.port);
  const all = new RedisSentinels([primary, replica], sentinels);
  await all.settled();
  return all;
}
