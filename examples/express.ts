// An Express application whose requests are limited: `npx tsx --conditions=tallystick-source examples/express.ts`
import express from 'express';
import type { AddressInfo } from 'node:net';
import { createTallystick, memoryStore } from 'tallystick';
import { rateLimit } from 'tallystick/express';

/** Listens at a free port; `close` ends it. */
export async function start(): Promise<{ url: string; close: () => Promise<void> }> {
  const tallystick = createTallystick({
    store: memoryStore(),
    limits: {
      api: { algorithm: 'sliding-window', limit: 5, windowMs: 60_000, onOutage: 'local' },
      login: { algorithm: 'token-bucket', limit: 2, windowMs: 60_000, onOutage: 'closed' },
    },
  });
  const { limits } = tallystick;

  const app = express();
  app.set('trust proxy', 'loopback'); // whose X-Forwarded-For is believed
  app.use('/api', rateLimit({ limits, rules: 'api' }));
  app.get('/api/articles', (_request, response) => { response.json(['one', 'two']); });
  app.post('/login/:user', rateLimit({ limits, rules: 'login', subject: ({ params }) => `login:${String(params['user'])}` }), (_request, response) => {
    response.json('welcome');
  });

  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      await new Promise((resolve) => server.close(resolve));
      await tallystick.close();
    },
  };
}

if (process.argv[1] === import.meta.filename) console.log((await start()).url);
