// A process that takes of one subject until it has asked so often, and writes a line for each unit it was granted.
import { writeSync } from 'node:fs';
import { createClient } from 'redis';
import { createTallystick } from 'tallystick';
import { redisStore } from 'tallystick/redis';

const [url = '', limit = '0', asks = '0'] = process.argv.slice(2);
const client = await createClient({ url, disableOfflineQueue: true }).on('error', () => undefined).connect();
const day = { algorithm: 'sliding-log', limit: Number(limit), windowMs: 86_400_000 } as const;
const tallystick = createTallystick({ store: await redisStore({ client }), limits: { day }, rememberDenialsMs: 0 });
let left = Number(asks);
async function caller(): Promise<void> {
  while (left-- > 0) if ((await tallystick.limits.take('subject', 'day')).allowed) writeSync(1, 'granted\n');
}
await Promise.all(Array.from({ length: 8 }, caller));
await tallystick.close();
client.destroy();
