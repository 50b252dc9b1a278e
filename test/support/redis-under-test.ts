/** The Redis store, as the suites that hold for every store see it: over any client. */
import { openRedisStore } from '../../packages/core/src/stores/redis/redis-store.ts';
import type { RedisClient } from '../../packages/core/src/stores/redis/index.ts';
import { steadyClock } from '../../packages/core/src/model/clock.ts';
import type { Store } from '../../packages/core/src/store.ts';
import type { OpenOptions, StoreUnderTest } from '../../packages/core/src/testing/index.ts';

let stores = 0;

/** Each store that is opened has data of its own, by a prefix. */
export function redisUnderTest(name: string, client: RedisClient): StoreUnderTest {
  const prefixes = new Map<Store, string>();
  const openAt = async (prefix: string, { clock: raw, ...options }: OpenOptions): Promise<Store> => {
    // Each partition has a clock of its own, and one that is not read does not see a step back.
    const clock = options.partitions === 1 ? raw : steadyClock(raw);
    const store = await openRedisStore({ client, prefix, ...options }, { clock });
    prefixes.set(store, prefix);
    return store;
  };
  return {
    name,
    open: (options) => openAt(`t${stores++}`, options),
    reopen: (closed, options) => openAt(prefixes.get(closed)!, options),
  };
}
