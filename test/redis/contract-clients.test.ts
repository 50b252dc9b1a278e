// The contract of stores, and agreement with the replica, through other clients of a real server.
import { once } from 'node:events';
import { after } from 'node:test';
import { Redis } from 'ioredis';
import { createClient } from 'redis6';
import { fromIoredis } from 'tallystick/redis';
import { agreesWithReplica, storeContract } from 'tallystick/testing';
import { redisUnderTest } from '../support/redis-under-test.ts';
import { startRedis } from '../support/redis.ts';

const server = await startRedis();
const ioredis = new Redis(server.port, '127.0.0.1', { autoResendUnfulfilledCommands: false });
await once(ioredis, 'ready');
const redis6 = await createClient({ url: server.url }).connect();
after(async () => {
  ioredis.disconnect();
  redis6.destroy();
  await server.stop();
});

for (const subject of [redisUnderTest('Redis store through ioredis', fromIoredis(ioredis)), redisUnderTest('Redis store through node-redis 6', redis6)]) {
  storeContract(subject);
  agreesWithReplica(subject, { numRuns: 20 });
}
