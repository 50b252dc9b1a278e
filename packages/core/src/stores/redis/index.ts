/**
 * Counters on Redis: the store that many processes share.
 *
 * @packageDocumentation
 */
import type { Store } from '../../store.ts';
import { openRedisStore, type RedisStoreOptions } from './redis-store.ts';

export { outboxKey } from './buckets.ts';
export type { RedisClient, SendOptions } from './client.ts';
export { fromCluster, fromIoredis, fromSentinel, type ClusterClient, type IoredisClient, type SentinelClient } from './clients.ts';
export { RedisOutbox, type RedisOutboxLimits, type RedisOutboxOptions, type RedisOutboxPage } from './outbox.ts';
export { RedisRestore, RedisRestoring, type RedisRestoreOptions } from './restore.ts';
export { RedisTotals, type RedisTotalsOptions, type RedisTotalsPage } from './totals.ts';
export type { RedisStoreEvent, RedisStoreOptions } from './redis-store.ts';

/**
 * Opens a store on Redis (6.2 or later) through a connected client of node-redis (package `redis`), or through what
 * {@link fromSentinel}, {@link fromCluster} and {@link fromIoredis} make of others.
 * Every change is one script, applied once however often it is sent. What was answered is as durable as the
 * server makes it; what a failover or a flush loses, the processes that sent it send again.
 *
 * @throws TallystickError `INVALID_CONFIG` (naming the field), `PARTITIONS_MISMATCH` or `STORE_UNAVAILABLE`.
 * @example
 * const client = await createClient({ url: 'redis://127.0.0.1:6379', disableOfflineQueue: true }).on('error', log).connect()
 * const tallystick = createTallystick({ store: await redisStore({ client }) })
 * const { value } = await tallystick.counters.add('article:like:42')
 * await tallystick.close()
 * await client.close()
 */
export function redisStore(options: RedisStoreOptions): Promise<Store> {
  return openRedisStore(options);
}
