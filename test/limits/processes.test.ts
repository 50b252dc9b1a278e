// Several processes against one Redis never exceed a limit together, also when one is killed in the middle (R14).
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { after, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createClient } from 'redis';
import { createTallystick } from 'tallystick';
import { redisStore } from 'tallystick/redis';
import { sourceRun } from '../support/server.ts';
import { startRedis } from '../support/redis.ts';

const PROGRAM = fileURLToPath(new URL('taker.ts', import.meta.url));
const LIMIT = 3000;

const server = await startRedis();
const children: ChildProcess[] = [];
after(async () => {
  for (const child of children) child.kill('SIGKILL');
  await server.stop();
});

/** A process and how many units it said it was granted. */
class Taker {
  granted = 0;
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;

  constructor(asks: number) {
    this.child = spawn(process.execPath, [...sourceRun, PROGRAM, server.url, String(LIMIT), String(asks)], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(this.child);
    this.ended = once(this.child, 'close');
    this.child.stdout?.on('data', (said: Buffer) => (this.granted += said.toString().split('\n').length - 1));
  }
}

it('grants no more than the limit to three processes of which one is killed, and all of it to those who are left', async () => {
  const takers = [new Taker(2000), new Taker(2000), new Taker(2000)] as const;
  while (takers[0].granted === 0) await once(takers[0].child.stdout ?? assert.fail(), 'data');
  takers[0].child.kill('SIGKILL');
  await Promise.all(takers.map(({ ended }) => ended));
  const said = takers.reduce((sum, { granted }) => sum + granted, 0);
  const client = await createClient({ url: server.url }).connect();
  const day = { algorithm: 'sliding-log', limit: LIMIT, windowMs: 86_400_000 } as const;
  const tallystick = createTallystick({ store: await redisStore({ client }), limits: { day } });
  const { remaining } = await tallystick.limits.peek('subject', 'day');
  assert.equal(remaining, 0);
  assert.ok(takers[0].granted < 2000, 'it was killed in the middle');
  assert.ok(said <= LIMIT, `${said} said to be granted`);
  // What the killed one was granted and could not say: at most what its callers waited for.
  const unsaid = LIMIT - said;
  assert.ok(unsaid >= 0 && unsaid <= 8, `${unsaid} granted and not said`);
  await tallystick.close();
  client.destroy();
});
