/** The store that the settings name. */
import { join } from 'node:path';
import { memoryStore, type Store } from 'tallystick';
import type { JournalEvent } from 'tallystick/journal';
import type { RedisStoreEvent } from 'tallystick/redis';
import type { Log } from '../app/index.ts';
import type { Config, RedisTarget } from '../config/index.ts';

/** A store, and what remains to be released when it is closed. */
export interface OpenedStore {
  readonly store: Store;
  readonly release: () => void;
}

const NOTHING = (): void => undefined;

/** Opens the store. */
export async function openStore(config: Config, log: Log): Promise<OpenedStore> {
  if (config.redis !== undefined) return openRedis(config, config.redis, log);
  const { requestRetentionMs } = config;
  const store = config.store === 'memory' ? memoryStore({ requestRetentionMs }) : await openSqlite(config, log);
  return { store, release: NOTHING };
}

async function openSqlite({ data, requestRetentionMs }: Config, log: Log): Promise<Store> {
  const { sqliteStore } = await import('tallystick/sqlite');
  const onEvent = (event: { readonly type: string }): void => {
    if (event.type === 'fault') log.error(event, 'the store stopped at a fault; the next call opens the data again');
    else log.info(event, 'the data is open');
  };
  return sqliteStore({ path: join(data, 'counters.sqlite'), requestRetentionMs, onEvent });
}

async function openRedis(config: Config, target: RedisTarget, log: Log): Promise<OpenedStore> {
  const { connectRedis } = await import('./redis.ts');
  const { redisStore } = await import('tallystick/redis');
  const { partitions, requestRetentionMs } = config;
  const { client, close } = await connectRedis(target, log);
  const onEvent = (event: RedisStoreEvent): void => {
    log.warn(event, 'Redis may drop counters when its memory is full: set maxmemory-policy noeviction');
  };
  try {
    const store = await redisStore({ client, partitions, requestRetentionMs, outbox: config.mysql !== undefined, onEvent });
    return { store: config.journal === 'on' ? await journaled(store, config, log) : store, release: close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Where the journal of a node lies. */
export const journalPath = (data: string): string => join(data, 'journal');

async function journaled(store: Store, { data, journalBackup }: Config, log: Log): Promise<Store> {
  const { journaledStore } = await import('tallystick/journal');
  const onEvent = (event: JournalEvent): void => {
    if (event.type === 'journal-replayed' && event.lostBatches === 0) log.info(event, 'batches that Redis did not have were sent again');
    else log[event.type === 'journal-fault' ? 'error' : 'warn'](event, 'the journal');
  };
  const backup = journalBackup === undefined ? {} : { backup: journalBackup };
  return journaledStore({ store, path: journalPath(data), onEvent, ...backup });
}
