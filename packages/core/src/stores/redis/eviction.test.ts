import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from 'redis';
import { redisCommand } from '../../../../../test/support/redis-command.ts';
import { startRedis } from '../../../../../test/support/redis.ts';
import { redisStore, type RedisStoreEvent } from './index.ts';

describe('a Redis store that is opened', () => {
  it('tells when the server may drop counters, and says nothing when it may not or does not tell', async () => {
    const server = await startRedis({ user: 'mute on nopass ~* +@all -config' });
    const told = async (...settings: string[]): Promise<RedisStoreEvent[]> => {
      for (const setting of settings) await redisCommand(server.port, 'CONFIG', 'SET', ...setting.split(' '));
      const events: RedisStoreEvent[] = [];
      const client = await createClient({ url: server.url.replace('//', settings.length === 0 ? '//mute:x@' : '//') }).connect();
      await (await redisStore({ client, onEvent: (event) => events.push(event) })).close();
      client.destroy();
      return events;
    };
    assert.deepEqual(await told('maxmemory 0', 'maxmemory-policy allkeys-lru'), []);
    assert.deepEqual(await told('maxmemory 1gb', 'maxmemory-policy noeviction'), []);
    assert.deepEqual(await told('maxmemory-policy volatile-ttl'), [{ type: 'evicts', policy: 'volatile-ttl' }]);
    assert.deepEqual(await told(), []);
    await server.stop();
  });
});
