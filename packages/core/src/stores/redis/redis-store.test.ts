import { after } from 'node:test';
import { createClient } from 'redis';
import { startRedis } from '../../../../../test/support/redis.ts';
import { steadyClock } from '../../model/clock.ts';
import type { Store } from '../../store.ts';
import { agreesWithReplica, storeContract, type OpenOptions, type StoreUnderTest } from '../../testing/index.ts';
import { openRedisStore } from './redis-store.ts';

const server = await startRedis();
const client = await createClient({ url: server.url }).connect();
after(async () => {
  client.destroy();
  await server.stop();
});

const prefixes = new Map<Store, string>();

async function openAt(prefix: string, { clock: raw, ...options }: OpenOptions): Promise<Store> {
  // Each partition has a clock of its own, and one that is not read does not see a step back.
  const clock = options.partitions === 1 ? raw : steadyClock(raw);
  const store = await openRedisStore({ client, prefix, ...options }, { clock });
  prefixes.set(store, prefix);
  return store;
}

const subject: StoreUnderTest = {
  name: 'Redis store',
  open: (options) => openAt(`t${prefixes.size}`, options),
  reopen: (closed, options) => openAt(prefixes.get(closed)!, options),
};

storeContract(subject);
agreesWithReplica(subject, { numRuns: 60, limits: false });
