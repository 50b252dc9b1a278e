/** The private servers of a drill, each behind a proxy that can fail, and the processes between them. */
import { createTallystick } from 'tallystick';
import { redisStore } from 'tallystick/redis';
import type { RedisTarget } from '../../config/index.ts';
import { openMysqlLedger } from '../../pipeline/ledger/mysql/mysql-ledger.ts';
import { connectRedis } from '../redis.ts';
import type { Found } from './account.ts';
import { Counting, Workers } from './children.ts';
import { silentLog } from './patiently.ts';
import { FaultProxy } from './servers/fault-proxy.ts';
import { startKafka, type KafkaServer } from './servers/kafka.ts';
import { MariaDb, startMariaDb } from './servers/mariadb.ts';
import { MASTER_NAME, startSentinels, type RedisSentinels } from './servers/redis-sentinels.ts';
import { startRedis, type RedisServer } from './servers/redis.ts';
import { PARTITIONS, SUBJECTS } from './subjects.ts';

/** What a stack is made of. */
export interface StackOptions {
  readonly ledger: boolean;
  readonly sentinels: boolean;
  /** Kafka's jars, where the log goes by Kafka. */
  readonly kafkaJars: string | undefined;
  /** The program of workers. */
  readonly worker: URL;
}

/** After how long others take over from a worker that is silent, in milliseconds. */
export const TAKE_OVER_MS = 2000;
const COUNTING_PROCESSES = 2;
const WORKERS = 2;
const HOST = '127.0.0.1';

const present = <T>(part: T | undefined, name: string): T => {
  if (part === undefined) throw new Error(`this drill has no ${name}`);
  return part;
};

/** Started servers and processes. */
export class Stack {
  #ends: (() => Promise<unknown>)[] = [];
  #redisTarget: RedisTarget | undefined;
  #redis: RedisServer | undefined;
  #redisProxy: FaultProxy | undefined;
  #sentinels: RedisSentinels | undefined;
  #database: MariaDb | undefined;
  #databaseProxy: FaultProxy | undefined;
  #kafka: KafkaServer | undefined;
  #counting: Counting | undefined;
  #workers: Workers | undefined;

  get redis(): RedisServer { return present(this.#redis, 'single Redis'); }
  get redisProxy(): FaultProxy { return present(this.#redisProxy, 'single Redis'); }
  get sentinels(): RedisSentinels { return present(this.#sentinels, 'Sentinels'); }
  get database(): MariaDb { return present(this.#database, 'database'); }
  get databaseProxy(): FaultProxy { return present(this.#databaseProxy, 'database'); }
  get kafka(): KafkaServer { return present(this.#kafka, 'Kafka'); }
  get counting(): Counting { return present(this.#counting, 'load'); }
  get workers(): Workers { return present(this.#workers, 'workers'); }

  /** Starts everything; resolves when the load is under way. What fails in here leaves nothing behind after {@link stop}. */
  async start({ ledger, sentinels, kafkaJars, worker }: StackOptions): Promise<void> {
    const redis = await (sentinels ? this.#startSentinels() : this.#startRedis());
    this.#redisTarget = redis;
    if (ledger) {
      const mysql = (await this.#startDatabase()).target(this.databaseProxy.port);
      if (kafkaJars !== undefined) this.#kafka = this.#own(await startKafka(kafkaJars), (kafka) => kafka.stop());
      const task = { redis, mysql, takeOverMs: TAKE_OVER_MS, ...(this.#kafka !== undefined && { kafka: this.#kafka.brokers }) };
      this.#workers = this.#own(new Workers(worker, task, WORKERS), (workers) => workers.remove());
      await this.#workers.started();
    }
    this.#counting = this.#own(new Counting({ redis, outbox: ledger }, COUNTING_PROCESSES), (counting) => counting.remove());
    await this.#counting.underWay();
  }

  /** Ends everything, the last started first, and removes the data. */
  async stop(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end();
  }

  /** What Redis and the ledger hold now, read past the proxies' faults. */
  async found(): Promise<Found> {
    const redis = await this.#inRedis();
    return { redis, ledger: this.#database === undefined ? undefined : await inLedger(this.#database) };
  }

  #own<T>(part: T, end: (part: T) => Promise<unknown>): T {
    this.#ends.push(() => end(part));
    return part;
  }

  async #startRedis(): Promise<RedisTarget> {
    this.#redis = this.#own(await startRedis({ appendonly: 'yes', appendfsync: 'everysec' }), (redis) => redis.stop());
    this.#redisProxy = this.#own(await new FaultProxy(this.#redis.port).start(), (proxy) => proxy.stop());
    return { topology: 'standalone', addresses: [{ host: HOST, port: this.#redisProxy.port }], tls: false };
  }

  async #startSentinels(): Promise<RedisTarget> {
    this.#sentinels = this.#own(await startSentinels(), (sentinels) => sentinels.stop());
    return { topology: 'sentinel', addresses: this.#sentinels.ports.map((port) => ({ host: HOST, port })), masterName: MASTER_NAME, tls: false };
  }

  async #startDatabase(): Promise<MariaDb> {
    this.#database = this.#own(await startMariaDb((port) => new MariaDb(port)), (database) => database.stop());
    this.#databaseProxy = this.#own(await new FaultProxy(this.#database.port).start(), (proxy) => proxy.stop());
    return this.#database;
  }

  async #inRedis(): Promise<number[]> {
    const { client, close } = await connectRedis(present(this.#redisTarget, 'Redis'), silentLog);
    const tallystick = createTallystick({ store: await redisStore({ client, partitions: PARTITIONS, outbox: this.#database !== undefined }) });
    try {
      const readings = await tallystick.counters.getMany(SUBJECTS.map(({ key, options: { type, windowMs } }) => ({
        key,
        ...(type !== undefined && { type }),
        ...(windowMs !== undefined && { windowMs }),
      })));
      return readings.map(({ value }) => value);
    } finally {
      await tallystick.close();
      close();
    }
  }
}

/** The total of each subject over all partitions: parts of a sharded counter lie in several. */
async function inLedger(database: MariaDb): Promise<number[]> {
  const ledger = await openMysqlLedger({ target: database.target(), partitions: PARTITIONS });
  try {
    const keys = SUBJECTS.map(({ key }) => key);
    const parts = await Promise.all(Array.from({ length: PARTITIONS }, (_, partition) => ledger.values(partition, keys)));
    return keys.map((key) => Number(parts.reduce((sum, part) => sum + (part.get(key) ?? 0n), 0n)));
  } finally {
    await ledger.close();
  }
}
