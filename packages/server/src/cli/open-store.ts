/** The store that the settings name. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryStore, type Store, type TallystickError } from 'tallystick';
import type { JournalEvent } from 'tallystick/journal';
import type { RedisStoreEvent } from 'tallystick/redis';
import type { Log } from '../app/index.ts';
import type { Config, RedisTarget } from '../config/index.ts';
import { Covered } from './covered.ts';

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
    const hasLedger = config.mysql !== undefined;
    const store = await redisStore({ client, partitions, requestRetentionMs, outbox: hasLedger, awaitsRestore: hasLedger, onEvent });
    return config.journal === 'on' ? await journaled({ store, release: close }, config, log) : { store, release: close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Where the journal of a node lies. */
export const journalPath = (data: string): string => join(data, 'journal');

async function journaled({ store, release }: OpenedStore, { data, journalBackup, mysql, partitions }: Config, log: Log): Promise<OpenedStore> {
  const { journaledStore } = await import('tallystick/journal');
  const onEvent = (event: JournalEvent): void => {
    if (event.type === 'journal-replayed' && event.lostBatches === 0) log.info(event, 'batches that Redis did not have were sent again');
    else log[event.type === 'journal-fault' ? 'error' : 'warn'](event, 'the journal');
  };
  const backup = journalBackup === undefined ? {} : { backup: journalBackup };
  const path = journalPath(data);
  // What an earlier run has written down is sent again; a partition has to be open for that.
  if (mysql !== undefined && existsSync(path)) await opened(store, log);
  const covered = mysql && new Covered(mysql, partitions);
  const journal = await journaledStore({ store, path, onEvent, ...backup, ...(covered && { coveredSeq: covered.seq }) });
  const releaseAll = (): void => {
    covered?.close();
    release();
  };
  return { store: journal, release: releaseAll };
}

const LOOK_EVERY_MS = 10;
const TELL_EVERY_MS = 10_000;

/** Waits until no partition is closed, and says so now and then. */
async function opened(store: Store, log: Log): Promise<void> {
  const sinceMs = performance.now();
  for (let partition = 0, told = 0; partition < store.partitions;) {
    const fault = await faultOf(store, partition);
    if (fault === undefined) {
      partition++;
      continue;
    }
    if (fault.code !== 'STORE_UNAVAILABLE') throw fault;
    if (performance.now() - sinceMs > (told + 1) * TELL_EVERY_MS) {
      told++;
      log.warn({ partition, error: fault }, 'a partition is not open yet; a node with stages, or `tallystick sync`, restores it');
    }
    await sleep(LOOK_EVERY_MS);
  }
}

const faultOf = (store: Store, partition: number): Promise<TallystickError | undefined> =>
  store.read(partition, []).then(() => undefined, (error: unknown) => error as TallystickError);
