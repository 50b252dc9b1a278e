/**
 * Takes the log from Kafka to a destination: each partition in order, and its offset is committed after the
 * destination acknowledged. After a crash, a rebalance or any fault, what was not committed is delivered again.
 *
 * A partition that was given away while a delivery of it is on its way is delivered twice; the one who takes the
 * records in skips what it has. Nothing more of it is delivered or committed from here.
 */
import { Consumer, type Message } from '@platformatic/kafka';
import { backoffMs } from '../backoff.ts';
import type { Destination } from '../destination.ts';
import { pause } from '../pause.ts';
import { connection, createTopic, TOPIC, type KafkaTarget } from './topic.ts';

/** Settings of a {@link KafkaConsumer}. */
export interface KafkaConsumerOptions extends KafkaTarget {
  /** It stays open when the consumer is closed. */
  readonly destination: Destination;
  /** Number of partitions of the deployment. */
  readonly partitions: number;
  /** Consumers of one group share the partitions. Default `tallystick-sink`. */
  readonly group?: string;
  /** How long a consumer that is heard of no more keeps its partitions, in milliseconds. Default 10,000. */
  readonly sessionMs?: number;
  /** Told of what went wrong; it is tried again. */
  readonly onFault?: (error: unknown) => void;
}

const GROUP = 'tallystick-sink';
const SESSION_MS = 10_000;
/** The most messages of one delivery, and that wait for one. */
const MOST_DELIVERED = 1000;
const MOST_WAITING = 10_000;
const MOST_WAITING_BYTES = 32 * 1024 * 1024;
const FULL_MS = 5;
const FETCH_WAIT_MS = 100;

type Record = Message;

/** Messages of one Kafka partition that wait. */
interface Queue {
  readonly waiting: Record[];
  isDelivering: boolean;
}

/** One membership of the group, from joining to the first fault. */
class Session {
  readonly #options: Required<KafkaConsumerOptions>;
  readonly #consumer: Consumer;
  readonly #signal: AbortSignal;
  readonly #ended = new AbortController();
  readonly #queues = new Map<number, Queue>();
  readonly #working = new Set<Promise<void>>();
  #waiting = 0;
  #waitingBytes = 0;
  #fault: Error | undefined;

  constructor(options: Required<KafkaConsumerOptions>, signal: AbortSignal) {
    this.#options = options;
    this.#signal = AbortSignal.any([signal, this.#ended.signal]);
    const { sessionMs } = options;
    const times = { sessionTimeout: sessionMs, rebalanceTimeout: 3 * sessionMs, heartbeatInterval: Math.ceil(sessionMs / 5) };
    this.#consumer = new Consumer({ ...connection(options, 'sink'), groupId: options.group, ...times });
    this.#consumer.on('error', (error: unknown) => { this.#end(error); });
  }

  /** Consumes until it is aborted; throws what ended it before. */
  async run(): Promise<void> {
    try {
      const stream = await this.#consumer.consume({
        topics: [this.#options.topic],
        autocommit: false,
        mode: 'committed',
        fallbackMode: 'earliest',
        maxWaitTime: FETCH_WAIT_MS,
      });
      const stop = (): void => void stream.destroy();
      this.#signal.addEventListener('abort', stop);
      if (this.#signal.aborted) stop();
      stream.on('error', (error: unknown) => { this.#end(error); });
      for await (const message of stream) await this.#take(message);
    } catch (error) {
      this.#end(error);
    } finally {
      this.#end(undefined);
      await Promise.all(this.#working);
      await this.#leave();
    }
    if (this.#fault !== undefined) throw this.#fault;
  }

  /** A fault changes nothing: the group forgets a member that is silent. */
  #leave(): Promise<void> {
    return new Promise((resolve) => {
      this.#consumer.close(true, () => { resolve(); });
    });
  }

  #end(error: unknown): void {
    if (!this.#signal.aborted) this.#fault = error === undefined ? undefined : asError(error);
    this.#ended.abort();
  }

  async #take(message: Record): Promise<void> {
    this.#waiting++;
    this.#waitingBytes += message.value.length;
    let queue = this.#queues.get(message.partition);
    if (queue === undefined) this.#queues.set(message.partition, (queue = { waiting: [], isDelivering: false }));
    queue.waiting.push(message);
    if (!queue.isDelivering) this.#start(message.partition, queue);
    while (!this.#signal.aborted && (this.#waiting >= MOST_WAITING || this.#waitingBytes >= MOST_WAITING_BYTES)) await pause(FULL_MS, this.#signal);
  }

  #start(partition: number, queue: Queue): void {
    queue.isDelivering = true;
    const work = this.#deliverAll(partition, queue).catch((error: unknown) => { this.#end(error); });
    this.#working.add(work);
    void work.then(() => this.#working.delete(work));
  }

  async #deliverAll(partition: number, queue: Queue): Promise<void> {
    // What comes in the same turn goes together.
    await new Promise(setImmediate);
    while (queue.waiting.length > 0 && !this.#signal.aborted) {
      const some = queue.waiting.splice(0, MOST_DELIVERED);
      if (this.#isMine(partition)) await this.#deliver(some);
      this.#waiting -= some.length;
      for (const { value } of some) this.#waitingBytes -= value.length;
      const last = some.at(-1);
      if (this.#isMine(partition) && !this.#isOver()) await last?.commit();
    }
    queue.isDelivering = false;
  }

  #isOver(): boolean {
    return this.#signal.aborted;
  }

  #isMine(partition: number): boolean {
    return this.#consumer.assignments?.some(({ topic, partitions }) => topic === this.#options.topic && partitions.includes(partition)) === true;
  }

  /** Delivers until it is acknowledged. */
  async #deliver(some: readonly Record[]): Promise<void> {
    for (let attempt = 1; !this.#signal.aborted; attempt++) {
      try {
        for (const [partition, records] of byPartition(some)) await this.#options.destination.deliver(partition, records);
        return;
      } catch (error) {
        this.#options.onFault(error);
        await pause(backoffMs(attempt, Math.random), this.#signal);
      }
    }
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Records by our partition, which is the key of a message: one Kafka partition may carry several of ours. */
function byPartition(some: readonly Record[]): ReadonlyMap<number, Uint8Array[]> {
  const parts = new Map<number, Uint8Array[]>();
  for (const { key, partition, value } of some) {
    const named = /^\d{1,4}$/.test(String(key)) ? Number(key) : partition;
    const records = parts.get(named);
    if (records === undefined) parts.set(named, [value]);
    else records.push(value);
  }
  return parts;
}

/** A member of a group of consumers: any number of them share the topic's partitions. */
export class KafkaConsumer {
  readonly #options: Required<KafkaConsumerOptions>;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  /** Starts at once. */
  constructor(options: KafkaConsumerOptions) {
    this.#options = { topic: TOPIC, group: GROUP, sessionMs: SESSION_MS, onFault: () => undefined, ...options };
    this.#running = this.#run(this.#stopping.signal);
  }

  /** Waits for deliveries on their way, and leaves the group. Safe to call twice. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let attempt = 1; !signal.aborted; attempt++) {
      const startedAtMs = performance.now();
      try {
        await createTopic(this.#options, this.#options.partitions);
        await new Session(this.#options, signal).run();
      } catch (error) {
        this.#options.onFault(error);
      }
      if (performance.now() - startedAtMs > this.#options.sessionMs) attempt = 1;
      await pause(backoffMs(attempt, Math.random), signal);
    }
  }
}
