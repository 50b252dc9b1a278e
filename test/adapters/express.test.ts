import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import express from 'express';
import { createTallystick, memoryStore, TallystickError, type Limits } from 'tallystick';
import { rateLimit } from 'tallystick/express';
import { start } from '../../examples/express.ts';
import { limitsRequests } from './requests.ts';

describe('tallystick/express, as in its example', () => {
  let running: Awaited<ReturnType<typeof start>>;
  before(async () => { running = await start(); });
  after(() => running.close());
  limitsRequests(() => running.url);
});

/** The status and body of one request to an application with this middleware alone. */
async function ask(middleware: express.RequestHandler): Promise<readonly [number, string]> {
  const app = express();
  app.use(middleware, (_request, response) => { response.send('passed'); });
  app.use((error: unknown, _request: express.Request, response: express.Response, _next: express.NextFunction) => {
    response.status(500).send(error instanceof TallystickError ? `${error.code} ${error.field ?? ''}` : 'other');
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return [response.status, await response.text()];
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe('tallystick/express', () => {
  const rule = { name: 'r', algorithm: 'fixed-window', limit: 1, windowMs: 60_000 } as const;

  it('has no bucket for requests without a subject (K11)', async () => {
    const tallystick = createTallystick({ store: memoryStore() });
    for (const subject of [undefined, null, '', NaN, {}]) {
      const [status, body] = await ask(rateLimit({ limits: tallystick.limits, rules: rule, subject: () => subject as string }));
      assert.deepEqual([status, /^INVALID_\w+ subject$/.test(body)], [500, true], body);
    }
    await tallystick.close();
  });

  it('takes a store at fault for no denial: lets through, or answers 503 (R01)', async () => {
    const limits: Pick<Limits, 'take' | 'resolve'> = {
      take: () => Promise.reject(new TallystickError('STORE_UNAVAILABLE', 'away')),
      resolve: () => [rule],
    };
    const told: unknown[] = [];
    const onError = (error: unknown): void => void told.push((error as TallystickError).code);
    assert.deepEqual(await ask(rateLimit({ limits, rules: rule, onError })), [200, 'passed']);
    const [status, body] = await ask(rateLimit({ limits, rules: rule, onFault: 'closed', onError }));
    assert.deepEqual([status, (JSON.parse(body) as { status: number }).status, told], [503, 503, ['STORE_UNAVAILABLE', 'STORE_UNAVAILABLE']]);
  });

  it('limits nobody whom `skip` names, and counts a request by its cost', async () => {
    const tallystick = createTallystick({ store: memoryStore() });
    const { limits } = tallystick;
    assert.equal((await ask(rateLimit({ limits, rules: rule, cost: 2 })))[0], 429);
    assert.equal((await ask(rateLimit({ limits, rules: rule, cost: () => 2, skip: () => true })))[0], 200);
    await tallystick.close();
  });

  it('refuses wrong options at once, naming the option', () => {
    const limits = {} as Limits;
    for (const [option, field] of [[{ ipv6PrefixBits: 0 }, 'ipv6PrefixBits'], [{ onFault: 'maybe' }, 'onFault'], [{ stranger: 1 }, 'stranger'], [{ subject: 'ip' }, 'subject']] as const) {
      assert.throws(() => rateLimit({ limits, rules: 'r', ...(option as object) }), { code: 'INVALID_CONFIG', field });
    }
  });
});
