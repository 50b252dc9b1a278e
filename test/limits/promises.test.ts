// Every algorithm on every store is held to what it promises; stores with a planted defect are caught.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createClient } from 'redis';
import { memoryStore, type Store } from 'tallystick';
import { sqliteStore } from 'tallystick/sqlite';
import { manualClock, type ManualClock } from 'tallystick/testing';
import { script, scripts } from '../../packages/core/src/stores/redis/script.ts';
import { redisUnderTest } from '../support/redis-under-test.ts';
import { startRedis } from '../support/redis.ts';
import { checkDenial, checkEdge, checkTraces, checkUniform, SHAPES, type Asked, type Shape } from './promises.ts';

const folder = await mkdtemp(join(tmpdir(), 'tallystick-promises-'));
const server = await startRedis();
const client = await createClient({ url: server.url }).connect();
const redis = redisUnderTest('Redis', client);
after(async () => {
  client.destroy();
  await server.stop();
  await rm(folder, { recursive: true });
});

const STORES: Readonly<Record<string, (clock: ManualClock) => Store | Promise<Store>>> = {
  memory: (clock) => memoryStore({ clock }),
  SQLite: (clock) => sqliteStore({ path: join(folder, 'limits.db'), clock }),
  Redis: (clock) => redis.open({ clock, partitions: 1 }),
};

async function asking(open: (clock: ManualClock) => Store | Promise<Store>, body: (asked: Asked) => Promise<void>): Promise<void> {
  const clock = manualClock();
  const store = await open(clock);
  try {
    await body({ store, clock });
  } finally {
    await store.close();
  }
}

for (const [name, open] of Object.entries(STORES)) {
  describe(`limits on ${name} keep the promise of`, () => {
    for (const shape of SHAPES) {
      it(shape.name, () => asking(open, async (asked) => {
        await checkEdge(asked, shape);
        await checkDenial(asked, shape);
        await checkUniform(asked, shape);
        await checkTraces(asked, shape, 12);
      }));
    }
  });
}

/** Defects in the scripts, and the algorithm that shows them. */
const DEFECTS: readonly (readonly [what: string, shape: string, from: string, to: string])[] = [
  ['grants one too many', 'sliding log', 'room = math.min(asked, room)', 'room = math.min(asked, room + 1)'],
  ['charges a denial', 'fixed window from the first take', 'if granted > 0 then charge_all', 'if granted == 0 then charge_all'],
  ['counts a window at its last moment as over', 'fixed window from the first take', 'now < cell.start + rule.window and cell.used', 'now < cell.start + rule.window - 1 and cell.used'],
  ['counts a window after its end', 'sliding log', 'if at + rule.window > now then break end', 'if at + rule.window >= now then break end'],
  ['forgets the oldest slice', 'sliding window, conservative', 'local oldest = slice_at(rule, at) - rule.slices', 'local oldest = slice_at(rule, at) - rule.slices + 1'],
  ['fills a bucket twice as fast', 'token bucket', 'or ms * limit', 'or 2 * ms * limit'],
  ['ends a day too early', 'calendar', 'return now < cell.ends and cell.used', 'return now < cell.ends - 1 and cell.used'],
  ['names a wait that is too short', 'token bucket', 'now + math.ceil(excess / rule.limit)', 'now + math.floor(excess / rule.limit)'],
];

describe('limits on Redis with a defect that', () => {
  for (const [what, shapeName, from, to] of DEFECTS) {
    it(`${what} are caught`, async () => {
      const shape = SHAPES.find(({ name }) => name === shapeName) as Shape;
      const whole = { apply: scripts.apply, takes: scripts.takes };
      try {
        for (const name of ['apply', 'takes'] as const) {
          assert.ok(scripts[name].text.includes(from), `${from} in ${name}`);
          const text = scripts[name].text.replace(from, to);
          scripts[name] = script(text);
        }
        await assert.rejects(asking(STORES['Redis'] as (clock: ManualClock) => Promise<Store>, async (asked) => {
          await checkEdge(asked, shape);
          await checkDenial(asked, shape);
          await checkTraces(asked, shape, 150);
        }));
      } finally {
        Object.assign(scripts, whole);
      }
    });
  }
});
