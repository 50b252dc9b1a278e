/** The stages of a worker, put together with a planted fault: a drill must find it. */
import { randomUUID } from 'node:crypto';
import { RedisOutbox } from 'tallystick/redis';
import { PARTITIONS } from '../../packages/server/src/cli/drill/subjects.ts';
import { patiently, silentLog } from '../../packages/server/src/cli/drill/patiently.ts';
import type { WorkerTask } from '../../packages/server/src/cli/drill/worker-process.ts';
import { connectRedis } from '../../packages/server/src/cli/redis.ts';
import type { Destination } from '../../packages/server/src/pipeline/destination.ts';
import { KafkaConsumer } from '../../packages/server/src/pipeline/kafka/consumer.ts';
import { kafkaDestination } from '../../packages/server/src/pipeline/kafka/producer.ts';
import type { Ledger } from '../../packages/server/src/pipeline/ledger/ledger.ts';
import { openMysqlLedger } from '../../packages/server/src/pipeline/ledger/mysql/mysql-ledger.ts';
import type { Outbox } from '../../packages/server/src/pipeline/outbox.ts';
import { decodeRecord, encodeRecord } from '../../packages/server/src/pipeline/record.ts';
import { Relay } from '../../packages/server/src/pipeline/relay/relay.ts';
import { Sink } from '../../packages/server/src/pipeline/sink.ts';

/** What is spoiled. */
export interface Fault {
  readonly ledger?: (ledger: Ledger) => Ledger;
  readonly beforeSink?: (sink: Destination) => Destination;
  readonly beforeOutbox?: (outbox: Outbox) => Outbox;
}

/** Starts the stages that its parent asks for. */
export async function startFaulty({ ledger: spoiled = (ledger) => ledger, beforeSink = (sink) => sink, beforeOutbox = (outbox) => outbox }: Fault): Promise<void> {
  const { redis, mysql, kafka, takeOverMs } = JSON.parse(process.argv[2] ?? '') as WorkerTask;
  const ledger = spoiled(await patiently(() => openMysqlLedger({ target: mysql, partitions: PARTITIONS })));
  const sink = beforeSink(new Sink({ ledger }));
  const { client } = await patiently(() => connectRedis(redis, silentLog));
  let destination = sink;
  if (kafka !== undefined) {
    new KafkaConsumer({ brokers: kafka, partitions: PARTITIONS, destination: sink, sessionMs: takeOverMs });
    destination = kafkaDestination({ brokers: kafka, partitions: PARTITIONS });
  }
  new Relay({ outbox: beforeOutbox(new RedisOutbox({ client, partitions: PARTITIONS })), destination, leaseMs: takeOverMs });
  process.send?.('started');
  process.on('disconnect', () => process.exit());
}

/** Each record comes, each time, as the first of a source of its own, so that the ledger has no progress to hold it to. */
export function withoutProgress(ledger: Ledger): Ledger {
  const apply = ledger.apply.bind(ledger);
  const renamed = (partition: number, bytes: Uint8Array): Uint8Array => encodeRecord({ ...decodeRecord(partition, bytes), source: randomUUID(), seq: 1 });
  return Object.assign(ledger, {
    apply: (partition: number, records: readonly Uint8Array[]) => apply(partition, records.map((bytes) => renamed(partition, bytes))),
  });
}

/** What is delivered is acknowledged before it is done. */
export const acknowledgedFirst = (sink: Destination): Destination => ({
  deliver: (partition, records) => {
    void sink.deliver(partition, records).catch(() => undefined);
    return Promise.resolve();
  },
  close: () => sink.close(),
});

/** What is read is removed before it was delivered. */
export const trimmedEarly = (outbox: Outbox): Outbox => ({
  partitions: outbox.partitions,
  read: async (partition, limits) => {
    const page = await outbox.read(partition, limits);
    if (page.records.length > 0) await outbox.trim(partition, page);
    return page;
  },
  trim: () => Promise.resolve(true),
  lease: (partition, token, ttlMs) => outbox.lease(partition, token, ttlMs),
  relays: (name, ttlMs) => outbox.relays(name, ttlMs),
});
