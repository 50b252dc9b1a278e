/** Starts redis-server as the drill does; where the program is missing it is installed, if it can be. */
import { startRedis as start, type RedisDirectives, type RedisServer } from '../../packages/server/src/cli/drill/servers/redis.ts';
import { ensureInstalled } from './install.ts';

export { RedisServer, type RedisDirectives } from '../../packages/server/src/cli/drill/servers/redis.ts';

/** Starts a Redis server, on a port of at most `highestPort`. */
export async function startRedis(directives: RedisDirectives = {}, highestPort?: number): Promise<RedisServer> {
  ensureInstalled('redis-server', 'redis-server');
  return start(directives, highestPort);
}
