/**
 * A deployment over a real Redis and a real ledger, in this process: a store, the log, and a restorer; and what is
 * planted in it to see the account catch it.
 */
import type { Connection } from 'mariadb';
import { createClient } from 'redis';
import type { Store } from 'tallystick';
import { RedisOutbox, RedisRestore, redisStore } from 'tallystick/redis';
import type { Destination } from '../../packages/server/src/pipeline/destination.ts';
import type { Ledger } from '../../packages/server/src/pipeline/ledger/ledger.ts';
import { openMysqlLedger } from '../../packages/server/src/pipeline/ledger/mysql/mysql-ledger.ts';
import { Relay } from '../../packages/server/src/pipeline/relay/relay.ts';
import { Restorer, type Restorable, type Restored, type Restoring } from '../../packages/server/src/pipeline/restore/restorer.ts';
import { Sink } from '../../packages/server/src/pipeline/sink.ts';
import type { MariaDb } from '../support/mariadb.ts';

export const PARTITIONS = 4;
const LEASE_MS = 1000;

/** What is wrong with a deployment on purpose. */
export interface Planted {
  /** Between the restorer and Redis. */
  readonly store?: (store: Restorable) => Restorable;
  /** Between the relay and the sink: what arrives there late, as by Kafka. */
  readonly log?: (sink: Destination) => Destination;
  /** The restorer is not told that records reach the ledger later. */
  readonly isDrainOff?: boolean;
}

type Client = Awaited<ReturnType<typeof connect>>;

/** A deployment that runs. */
export interface Deployment {
  readonly client: Client;
  readonly ledger: Ledger;
  readonly restored: Restored[];
  readonly store: () => Promise<Store>;
  readonly close: () => Promise<void>;
}

const connect = (url: string) => createClient({ url, disableOfflineQueue: true }).on('error', () => undefined).connect();

/** Starts it. Its stages are those of one process. */
export async function deploy(redisUrl: string, db: MariaDb, prefix: string, planted: Planted = {}): Promise<Deployment> {
  const client = await connect(redisUrl);
  const target = { host: '127.0.0.1', port: db.port, user: 'root', database: 'tallystick', tls: false };
  const ledger = await openMysqlLedger({ target, partitions: PARTITIONS });
  const sink = new Sink({ ledger, delayMs: 20 });
  const log = planted.log?.(sink);
  const restored: Restored[] = [];
  const redis = { client, prefix, partitions: PARTITIONS };
  const restorer = new Restorer({
    store: planted.store?.(new RedisRestore(redis)) ?? new RedisRestore(redis),
    ledger,
    ...(log !== undefined && planted.isDrainOff !== true && { log }),
    onRestored: (one) => void restored.push(one),
  });
  const relay = new Relay({ outbox: new RedisOutbox(redis), destination: log ?? sink, leaseMs: LEASE_MS, restore: restorer.restore });
  const close = async (): Promise<void> => {
    await relay.close();
    await sink.close();
    await ledger.close();
    client.destroy();
  };
  return { client, ledger, restored, store: () => redisStore({ ...redis, outbox: true, awaitsRestore: true, commandTimeoutMs: 1000 }), close };
}

/** Changes a step of restoring. */
export const stepsOf = (change: (restoring: Restoring) => Partial<Restoring>) => (store: Restorable): Restorable => ({
  begin: async (partition) => {
    const restoring = await store.begin(partition);
    if (restoring === undefined) return undefined;
    const { nowMs } = restoring;
    return {
      nowMs,
      load: (totals) => restoring.load(totals),
      loadSources: (progress) => restoring.loadSources(progress),
      open: (notBeforeMs) => restoring.open(notBeforeMs),
      ...change(restoring),
    };
  },
});

/** All totals of the ledger, by key. */
export async function ledgerTotals(connection: Connection): Promise<Map<string, number>> {
  const rows = await connection.query<{ key: Buffer; value: bigint }[]>('SELECT `key`, value FROM counter');
  return new Map(rows.map(({ key, value }) => [key.toString(), Number(value)]));
}
