// A Fastify application whose requests are limited: `npx tsx --conditions=tallystick-source examples/fastify.ts`
import { fastify } from 'fastify';
import { createTallystick, memoryStore } from 'tallystick';
import { rateLimit } from 'tallystick/fastify';

/** Listens at a free port; `close` ends it. */
export async function start(): Promise<{ url: string; close: () => Promise<void> }> {
  const tallystick = createTallystick({
    store: memoryStore(),
    limits: {
      api: { algorithm: 'sliding-window', limit: 5, windowMs: 60_000, onOutage: 'local' },
      login: { algorithm: 'token-bucket', limit: 2, windowMs: 60_000, onOutage: 'closed' },
    },
  });

  const app = fastify({ trustProxy: 'loopback' }); // whose X-Forwarded-For is believed
  await app.register(rateLimit, { limits: tallystick.limits, rules: 'api' });
  app.get('/api/articles', () => ['one', 'two']);
  const perUser = { rules: 'login', subject: ({ params }: { params: unknown }) => `login:${(params as { user: string }).user}` };
  app.post('/login/:user', { config: { rateLimit: perUser } }, () => 'welcome');
  app.get('/health', { config: { rateLimit: false } }, () => 'fine');
  app.addHook('onClose', async () => { await tallystick.close(); });

  return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() };
}

if (process.argv[1] === import.meta.filename) console.log((await start()).url);
