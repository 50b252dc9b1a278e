/** Starts primary, replica and Sentinels as the drill does; where the program is missing it is installed, if it can be. */
import { startSentinels as start, type RedisSentinels } from '../../packages/server/src/cli/drill/servers/redis-sentinels.ts';
import { ensureInstalled } from './install.ts';

export { MASTER_NAME } from '../../packages/server/src/cli/drill/servers/redis-sentinels.ts';

/** Starts primary, replica and Sentinels. */
export async function startSentinels(directives: Readonly<Record<string, string>> = {}): Promise<RedisSentinels> {
  ensureInstalled('redis-server', 'redis-server');
  return start(directives);
}
