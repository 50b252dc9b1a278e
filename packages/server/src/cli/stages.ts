/** The stages that carry the log from Redis to the ledger, put together as the settings name them. */
import { RedisOutbox, RedisRestore } from 'tallystick/redis';
import type { Log } from '../app/index.ts';
import { formatMysqlTarget, type Config, type MysqlTarget, type RedisTarget } from '../config/index.ts';
import type { Destination } from '../pipeline/destination.ts';
import type { Ledger } from '../pipeline/ledger/ledger.ts';
import { openMysqlLedger } from '../pipeline/ledger/mysql/mysql-ledger.ts';
import { Relay, type RelayFault } from '../pipeline/relay/relay.ts';
import { Restorer, type Restored } from '../pipeline/restore/restorer.ts';
import { Sink, type SinkEvent } from '../pipeline/sink.ts';
import { connectRedis } from './redis.ts';

/** Something that was started, and how it ends: with what is on its way done. */
interface Stage {
  close(): Promise<void>;
}

/** Which stages a process takes part in. */
export interface Share {
  /** Outbox → Kafka, or → ledger where there is no Kafka. */
  readonly relay: boolean;
  /** Kafka → ledger. */
  readonly sink: boolean;
}

/** Settings of a deployment that has a ledger. */
export interface StageSettings extends Pick<Config, 'partitions' | 'kafka'> {
  readonly redis: RedisTarget;
  readonly mysql: MysqlTarget;
  /** After how long others take over from a worker that is silent, in milliseconds. Default 10,000. */
  readonly takeOverMs?: number;
}

/**
 * Starts the stages.
 *
 * @returns Ends them, the first one of the log first.
 * @throws TallystickError `STORE_UNAVAILABLE` or `INVALID_CONFIG`, naming the setting.
 */
export async function startStages(settings: StageSettings, share: Share, log: Log): Promise<() => Promise<void>> {
  const stages: Stage[] = [];
  const close = async (): Promise<void> => {
    for (const stage of stages.splice(0).reverse()) await stage.close();
  };
  try {
    const { ledger, sink } = await ledgerSink(settings, log, stages);
    const kafka = settings.kafka && (await throughKafka(settings, settings.kafka, { share, ledger: sink, log, stages }));
    if (share.relay || kafka === undefined) await relay(settings, { ledger, sink, kafka, log, stages });
    return close;
  } catch (error) {
    await close();
    throw error;
  }
}

async function ledgerSink({ mysql, partitions }: StageSettings, log: Log, stages: Stage[]): Promise<{ ledger: Ledger; sink: Sink }> {
  const ledger = await openMysqlLedger({ target: mysql, partitions });
  const sink = new Sink({ ledger, onEvent: (event) => { tell(event, formatMysqlTarget(mysql), log); } });
  stages.push(ledger, sink);
  return { ledger, sink };
}

function tell(event: SinkEvent, ledger: string, log: Log): void {
  if (event.type === 'ledger-recovered' || event.type === 'gap-closed') log.info({ ...event, ledger }, 'the ledger goes on');
  else log.warn({ ...event, ledger }, event.type === 'parked' ? 'records became dead letters' : 'the ledger takes no records; they are kept');
}

interface KafkaParts {
  readonly share: Share;
  readonly ledger: Destination;
  readonly log: Log;
  readonly stages: Stage[];
}

async function throughKafka({ partitions, takeOverMs }: StageSettings, brokers: readonly string[], { share, ledger, log, stages }: KafkaParts): Promise<Destination> {
  const onFault = (error: unknown): void => { log.warn({ error }, 'Kafka does not answer; it is tried again'); };
  const { KafkaConsumer } = await import('../pipeline/kafka/consumer.ts');
  const { kafkaDestination } = await import('../pipeline/kafka/producer.ts');
  if (share.sink) stages.push(new KafkaConsumer({ brokers, partitions, destination: ledger, onFault, ...(takeOverMs !== undefined && { sessionMs: takeOverMs }) }));
  const destination = kafkaDestination({ brokers, partitions });
  stages.push(destination);
  return destination;
}

interface RelayParts {
  readonly ledger: Ledger;
  readonly sink: Destination;
  readonly kafka: Destination | undefined;
  readonly log: Log;
  readonly stages: Stage[];
}

async function relay({ redis, partitions, takeOverMs }: StageSettings, { ledger, sink, kafka, log, stages }: RelayParts): Promise<void> {
  const { client, close } = await connectRedis(redis, log);
  stages.push({
    close: () => {
      close();
      return Promise.resolve();
    },
  });
  const restorer = new Restorer({
    store: new RedisRestore({ client, partitions }),
    ledger,
    ...(kafka !== undefined && { log: kafka }),
    onBegin: (partition) => { log.debug({ partition }, 'Redis has no data of a partition; it is restored from the ledger'); },
    onRestored: (restored) => { tellRestored(restored, log); },
  });
  const outbox = new RedisOutbox({ client, partitions });
  const onFault = (fault: RelayFault): void => { log.warn(fault, 'the relay does not get on; it is tried again'); };
  stages.push(new Relay({ outbox, destination: kafka ?? sink, restore: restorer.restore, onFault, ...(takeOverMs !== undefined && { leaseMs: takeOverMs }) }));
}

/** A partition of a new deployment is no news. */
function tellRestored(restored: Restored, log: Log): void {
  const isNew = restored.counters === 0 && restored.sources === 0;
  log[isNew ? 'debug' : 'warn'](restored, isNew ? 'a partition is open' : 'Redis had lost a partition, which is restored from the ledger');
}
