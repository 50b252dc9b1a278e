/**
 * A relay's faults, for real: Redis, Kafka, two relay processes and a load; strikes fall while it runs. At the end Kafka
 * is read from its beginning: each record counted once must come to what was added, without a gap in any source.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from 'redis';
import { outboxKey, redisStore } from 'tallystick/redis';
import { KafkaConsumer } from '../../packages/server/src/pipeline/kafka/consumer.ts';
import { startKafka, type KafkaServer } from '../support/kafka.ts';
import { OutboxLoad, RecordAccount } from '../support/outbox-load.ts';
import { eventually } from '../support/redis-command.ts';
import { startRedis } from '../support/redis.ts';
import type { RelayProcessOptions } from './relay-process.ts';

const PARTITIONS = 4;
const LEASE_MS = 1000;
const SETTLE_WITHIN_MS = 120_000;

/** What can happen. */
export type Strike = 'kill a relay' | 'freeze a relay' | 'kill Kafka';

/** How it ended. */
export interface RelayAccount {
  readonly expected: ReadonlyMap<string, number>;
  readonly found: ReadonlyMap<string, number>;
  readonly gaps: readonly string[];
  readonly duplicates: number;
  /** Records left in the outbox. */
  readonly left: number;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

class RelayProcess {
  readonly #options: RelayProcessOptions;
  #child: ChildProcess;

  constructor(options: RelayProcessOptions) {
    this.#options = options;
    this.#child = this.#spawn();
  }

  #spawn(): ChildProcess {
    const args = ['--import', 'tsx', '-C', 'tallystick-source', new URL('relay-process.ts', import.meta.url).pathname];
    return spawn(process.execPath, [...args, JSON.stringify(this.#options)], { stdio: ['ignore', 'ignore', 'inherit'] });
  }

  async killAndStart(): Promise<void> {
    await this.#end('SIGKILL');
    this.#child = this.#spawn();
  }

  /** Beyond its lease, so that another takes over and this one wakes up as a zombie. */
  async freeze(): Promise<void> {
    this.#child.kill('SIGSTOP');
    await sleep(2 * LEASE_MS);
    this.#child.kill('SIGCONT');
  }

  stop(): Promise<void> {
    return this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exited;
  }
}

async function strike(what: Strike, relay: RelayProcess, kafka: KafkaServer): Promise<void> {
  if (what === 'kill a relay') await relay.killAndStart();
  if (what === 'freeze a relay') await relay.freeze();
  if (what !== 'kill Kafka') return;
  await kafka.kill();
  await sleep(LEASE_MS);
  await kafka.start();
}

/** Runs the load through the strikes, waits until the outbox is empty, and reads Kafka. */
export async function runRelayFaults(strikes: readonly Strike[], betweenMs: number): Promise<RelayAccount> {
  const [redis, kafka] = await Promise.all([startRedis(), startKafka()]);
  const client = await createClient({ url: redis.url }).connect();
  const prefix = 'faults';
  const store = await redisStore({ client, prefix, partitions: PARTITIONS, outbox: true });
  const options = { port: redis.port, prefix, partitions: PARTITIONS, brokers: kafka.brokers, leaseMs: LEASE_MS };
  const relays = [new RelayProcess(options), new RelayProcess(options)];
  const load = new OutboxLoad(store);
  const stopping = new AbortController();
  const loading = runLoad(load, stopping.signal);
  const left = async (): Promise<number> => {
    const lengths = await Promise.all(Array.from({ length: PARTITIONS }, (_, partition) => client.xLen(outboxKey(prefix, partition))));
    return lengths.reduce((sum, length) => sum + length, 0);
  };
  const account = new RecordAccount();
  try {
    for (const [i, what] of strikes.entries()) {
      await sleep(betweenMs);
      await strike(what, relays[i % relays.length]!, kafka);
    }
    stopping.abort();
    await loading;
    await eventually('the outbox is empty', async () => (await left()) === 0, SETTLE_WITHIN_MS);
    await readAll(kafka, load, account);
    return { expected: load.totals, found: account.totals, gaps: account.gaps, duplicates: account.duplicates, left: await left() };
  } finally {
    stopping.abort();
    await loading.catch(() => undefined);
    for (const relay of relays) await relay.stop();
    client.destroy();
    await Promise.all([redis.stop(), kafka.stop()]);
  }
}

async function runLoad(load: OutboxLoad, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await load.round();
    await sleep(10);
  }
}

async function readAll(kafka: KafkaServer, load: OutboxLoad, account: RecordAccount): Promise<void> {
  const sum = (totals: ReadonlyMap<string, number>): number => [...totals.values()].reduce((a, b) => a + b, 0);
  const destination = {
    deliver: (partition: number, records: readonly Uint8Array[]): Promise<void> => {
      account.take(partition, records);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
  const consumer = new KafkaConsumer({ brokers: kafka.brokers, partitions: PARTITIONS, destination });
  try {
    await eventually('Kafka was read to its end', () => sum(account.totals) >= sum(load.totals), SETTLE_WITHIN_MS);
  } finally {
    await consumer.close();
  }
}
