/**
 * Kafka as a destination: a record is safe when all in-sync replicas have it. Records of a partition go to one Kafka
 * partition, by one request after the other, so they are there in order; after a rejection some may come twice.
 */
import { Producer, ProduceAcks } from '@platformatic/kafka';
import type { Destination } from '../destination.ts';
import { connection, createTopic, TOPIC, type KafkaTarget } from './topic.ts';

/** Settings of {@link kafkaDestination}. */
export interface KafkaDestinationOptions extends KafkaTarget {
  /** Number of partitions of the deployment: a topic that is missing is created with as many. */
  readonly partitions: number;
}

/** Bytes of one request to a partition: below the million that brokers take by default. */
const REQUEST_BYTES = 768 * 1024;

class KafkaDestination implements Destination {
  readonly #options: KafkaDestinationOptions;
  readonly #topic: string;
  readonly #producer: Producer;
  #kafkaPartitions: Promise<number> | undefined;

  constructor(options: KafkaDestinationOptions) {
    this.#options = options;
    this.#topic = options.topic ?? TOPIC;
    this.#producer = new Producer(connection(options, 'relay'));
  }

  async deliver(partition: number, records: readonly Uint8Array[]): Promise<void> {
    const count = await this.#countPartitions();
    for (const some of requestsOf(records)) {
      const messages = some.map((record) => ({
        topic: this.#topic,
        partition: partition % count,
        key: Buffer.from(String(partition)),
        value: Buffer.from(record.buffer, record.byteOffset, record.byteLength),
      }));
      await this.#producer.send({ messages, acks: ProduceAcks.ALL });
    }
  }

  async close(): Promise<void> {
    await this.#producer.close();
  }

  #countPartitions(): Promise<number> {
    this.#kafkaPartitions ??= this.#findPartitions().catch((error: unknown) => {
      this.#kafkaPartitions = undefined;
      throw error;
    });
    return this.#kafkaPartitions;
  }

  async #findPartitions(): Promise<number> {
    await createTopic(this.#options, this.#options.partitions);
    const metadata = await this.#producer.metadata({ topics: [this.#topic], forceUpdate: true });
    const count = metadata.topics.get(this.#topic)?.partitionsCount ?? 0;
    if (count === 0) throw new Error(`Kafka topic ${this.#topic} has no partitions yet`);
    return count;
  }
}

/** Records in their order, by request. */
function requestsOf(records: readonly Uint8Array[]): Uint8Array[][] {
  const requests: Uint8Array[][] = [];
  let bytes = Infinity;
  for (const record of records) {
    if (bytes + record.length > REQUEST_BYTES) {
      requests.push([]);
      bytes = 0;
    }
    requests.at(-1)?.push(record);
    bytes += record.length;
  }
  return requests;
}

/** Kafka as a destination of a relay. It connects, and creates the topic where it is missing, at the first delivery. */
export function kafkaDestination(options: KafkaDestinationOptions): Destination {
  return new KafkaDestination(options);
}
