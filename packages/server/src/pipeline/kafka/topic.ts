/** The topic that carries the log. */
import { Admin, protocolErrors } from '@platformatic/kafka';

/** Where Kafka is. */
export interface KafkaTarget {
  /** `host:port` of brokers to begin with. */
  readonly brokers: readonly string[];
  /** Default `counter-sync`. */
  readonly topic?: string;
}

/** The topic's name unless another is given. */
export const TOPIC = 'counter-sync';
/** A record is at most 8,192 entries of a longest key. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
/** The log must reach back further than a sink may be away. */
const RETENTION_MS = 7 * 86_400_000;
const ALREADY_THERE = 'TOPIC_ALREADY_EXISTS';

/** What connects to these brokers; nothing is sent again behind our back for longer than it takes to say that it failed. */
export const connection = ({ brokers }: KafkaTarget, role: string) => ({
  clientId: `tallystick-${role}`,
  bootstrapBrokers: [...brokers],
  connectTimeout: 3000,
  timeout: 10_000,
  retries: 0,
});

/** Creates the topic with a Kafka partition for each of ours, where it is missing; replicas as the brokers do by default. */
export async function createTopic(target: KafkaTarget, partitions: number): Promise<void> {
  const admin = new Admin(connection(target, 'admin'));
  const configs = [
    { name: 'retention.ms', value: String(RETENTION_MS) },
    { name: 'max.message.bytes', value: String(MAX_MESSAGE_BYTES) },
  ];
  try {
    await admin.createTopics({ topics: [target.topic ?? TOPIC], partitions, replicas: -1, configs });
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  } finally {
    await admin.close();
  }
}

function isAlreadyThere(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('apiId' in error && error.apiId === ALREADY_THERE) return true;
  if ('apiCode' in error && error.apiCode === protocolErrors[ALREADY_THERE]?.code) return true;
  return 'errors' in error && Array.isArray(error.errors) && error.errors.some(isAlreadyThere);
}
