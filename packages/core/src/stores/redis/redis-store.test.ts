import { after } from 'node:test';
import { createClient } from 'redis';
import { redisUnderTest } from '../../../../../test/support/redis-under-test.ts';
import { startRedis } from '../../../../../test/support/redis.ts';
import { agreesWithReplica, storeContract } from '../../testing/index.ts';

const server = await startRedis();
const client = await createClient({ url: server.url }).connect();
after(async () => {
  client.destroy();
  await server.stop();
});

const subject = redisUnderTest('Redis store', client);
storeContract(subject);
agreesWithReplica(subject, { numRuns: 60 });
