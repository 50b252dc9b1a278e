import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { start } from '../../examples/fastify.ts';
import { limitsRequests } from './requests.ts';

describe('tallystick/fastify, as in its example', () => {
  let running: Awaited<ReturnType<typeof start>>;
  before(async () => { running = await start(); });
  after(() => running.close());
  limitsRequests(() => running.url);

  it('does not limit a route that says so', async () => {
    for (let i = 0; i < 8; i++) assert.equal((await fetch(`${running.url}/health`)).status, 200);
    assert.equal((await fetch(`${running.url}/health`)).headers.get('ratelimit'), null);
  });
});
