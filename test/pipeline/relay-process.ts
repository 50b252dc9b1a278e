/** A relay in a process of its own, from Redis to Kafka: `relay-process.ts {port, prefix, partitions, brokers, leaseMs}`. */
import { createClient } from 'redis';
import { RedisOutbox } from 'tallystick/redis';
import { kafkaDestination } from '../../packages/server/src/pipeline/kafka/producer.ts';
import { Relay } from '../../packages/server/src/pipeline/relay/relay.ts';

/** What it is told, as JSON. */
export interface RelayProcessOptions {
  readonly port: number;
  readonly prefix: string;
  readonly partitions: number;
  readonly brokers: readonly string[];
  readonly leaseMs: number;
}

const { port, prefix, partitions, brokers, leaseMs } = JSON.parse(process.argv[2] ?? '{}') as RelayProcessOptions;
const client = createClient({ socket: { host: '127.0.0.1', port, reconnectStrategy: 50 }, disableOfflineQueue: true });
client.on('error', () => undefined);
await client.connect();
const destination = kafkaDestination({ brokers, partitions });
const relay = new Relay({ outbox: new RedisOutbox({ client, prefix, partitions }), destination, leaseMs });
process.once('SIGTERM', () => {
  void relay.close().then(() => destination.close()).then(() => { client.destroy(); });
});
