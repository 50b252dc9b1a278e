import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { createClient } from 'redis';
import { redisUnderTest } from '../../../test/support/redis-under-test.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { TallystickError } from './errors.ts';
import type { LimitOptions, Rules } from './limits.ts';
import { manualClock } from './model/manual-clock.ts';
import type { Store } from './store.ts';
import { memoryStore } from './stores/memory/memory-store.ts';
import { sqliteStore } from './stores/sqlite/index.ts';
import { createTallystick, type Tallystick } from './tallystick.ts';

const login: LimitOptions = { algorithm: 'fixed-window', limit: 2, windowMs: 10_000 };

/** Runs with a fresh tallystick over `store`, and closes it. */
async function over(store: Store, body: (tallystick: Tallystick) => Promise<void>, rememberDenialsMs = 0): Promise<void> {
  const limits: Record<string, LimitOptions> = {
    login,
    day: { algorithm: 'sliding-window', limit: 10, windowMs: 86_400_000 },
    none: { algorithm: 'sliding-log', limit: 0, windowMs: 1000 },
    ten: { algorithm: 'token-bucket', limit: 10, windowMs: 1000 },
    work: { algorithm: 'concurrency', limit: 1, leaseMs: 5000 },
  };
  const tallystick = createTallystick({ store, limits, rememberDenialsMs });
  try {
    await body(tallystick);
  } finally {
    await tallystick.close();
  }
}

const fieldOf = (code: string, field: string) => (error: unknown): boolean =>
  error instanceof TallystickError && error.code === code && error.field === field;

const folder: { path: string } = { path: '' };
let files = 0;
before(async () => { folder.path = await mkdtemp(join(tmpdir(), 'limits-')); });
const server = await startRedis();
const client = await createClient({ url: server.url }).connect();
const redis = redisUnderTest('Redis', client);
after(async () => {
  await rm(folder.path, { recursive: true });
  client.destroy();
  await server.stop();
});

const STORES: Record<string, (clock: () => number) => Store | Promise<Store>> = {
  memory: (clock) => memoryStore({ clock }),
  SQLite: (clock) => sqliteStore({ path: join(folder.path, `${files++}.db`), clock }),
  Redis: (clock) => redis.open({ clock, partitions: 16 }),
};

for (const [name, open] of Object.entries(STORES)) {
  describe(`limits over the ${name} store`, () => {
    it('answer with a decision that says all there is to say', async () => {
      const clock = manualClock();
      await over(await open(clock), async ({ limits }) => {
        const first = { allowed: true, limit: 2, remaining: 1, resetMs: 10_000, retryAfterMs: 0, reason: 'allowed', rule: 'login', source: 'store', atMs: clock() };
        assert.deepEqual(await limits.take('u', 'login'), first);
        clock.advance(4000);
        assert.equal((await limits.peek('u', 'login')).remaining, 1);
        await limits.take('u', 'login');
        const denied = { ...first, allowed: false, remaining: 0, resetMs: 6000, retryAfterMs: 6000, reason: 'limited', atMs: clock() };
        assert.deepEqual(await limits.take('u', 'login'), denied);
        clock.advance(6000);
        assert.equal((await limits.take('u', 'login')).allowed, true);
      });
    });

    it('combine the callers of one turn, and allow them in the order in which they came', async () => {
      await over(await open(manualClock()), async (tallystick) => {
        const { limits } = tallystick;
        const decisions = await Promise.all(Array.from({ length: 15 }, () => limits.take('u', 'ten')));
        assert.deepEqual(decisions.map(({ allowed }) => allowed), decisions.map((_, i) => i < 10));
        assert.deepEqual(decisions.map(({ remaining }) => remaining), decisions.map((_, i) => Math.max(0, 9 - i)));
        assert.equal(tallystick.stats().entries, 1);
      });
    });

    it('charge all rules or none (L01)', async () => {
      await over(await open(manualClock()), async ({ limits }) => {
        for (let i = 0; i < 20; i++) assert.equal((await limits.take('u', i % 2 === 0 ? ['login', 'day'] : ['day', 'login'])).allowed, i < 2);
        assert.equal((await limits.peek('u', 'day')).remaining, 8);
      });
    });

    it('give the first answer to a request id again, also a denial', async () => {
      await over(await open(manualClock()), async ({ limits }) => {
        const first = await limits.take('u', 'login', { requestId: 'a' });
        assert.deepEqual(await limits.take('u', 'login', { requestId: 'a' }), { ...first, replayed: true });
        await limits.take('u', 'login');
        const denied = await limits.take('u', 'login', { requestId: 'b' });
        await limits.reset('u', 'login');
        assert.deepEqual(await limits.take('u', 'login', { requestId: 'b' }), { ...denied, replayed: true });
      });
    });

    it('refund to the window a take came from, and nothing for a denial (L07)', async () => {
      const clock = manualClock();
      await over(await open(clock), async ({ limits }) => {
        const old = await limits.take('u', 'login');
        clock.advance(10_000);
        await limits.take('u', 'login');
        await limits.refund('u', 'login', { decision: old });
        assert.equal((await limits.peek('u', 'login')).remaining, 1);
        await limits.take('u', 'login');
        await limits.refund('u', 'login', { decision: await limits.take('u', 'login') });
        assert.equal((await limits.take('u', 'login')).allowed, false);
        await limits.refund('u', 'login');
        assert.equal((await limits.take('u', 'login')).allowed, true);
      });
    });

    it('take many, each by itself, after all were checked', async () => {
      await over(await open(manualClock()), async ({ limits }) => {
        const item = (subject: string): { subject: string; rules: string } => ({ subject, rules: 'login' });
        const bad = [item('a'), { subject: 'b', rules: 'nothing' }];
        await assert.rejects(limits.takeMany(bad), { code: 'INVALID_ARGUMENT', field: 'items[1].rules', index: 1 });
        const results = await limits.takeMany([item('a'), item('b'), item('a'), item('a')]);
        assert.deepEqual(results.map((result) => 'allowed' in result && [result.allowed, result.remaining]), [[true, 1], [true, 1], [true, 0], [false, 0]]);
        assert.deepEqual(await limits.takeMany([]), []);
      });
    });

    it('make a change once under its request id', async () => {
      await over(await open(manualClock()), async ({ limits }) => {
        await limits.take('u', 'ten', { cost: 8 });
        const given = { cost: 3, requestId: 'back' };
        assert.deepEqual(await limits.refund('u', 'ten', given), { outcome: 'applied' });
        assert.deepEqual(await limits.refund('u', 'ten', given), { outcome: 'applied', replayed: true });
        assert.equal((await limits.peek('u', 'ten')).remaining, 5);
        for (let i = 0; i < 2; i++) await limits.penalize('u', 'ten', { cost: 2, requestId: 'foul' });
        assert.equal((await limits.peek('u', 'ten')).remaining, 3);
      });
    });

    it('hold leases until they are released or too old', async () => {
      const clock = manualClock();
      await over(await open(clock), async ({ limits }) => {
        const [held, denied] = await Promise.all([limits.take('u', 'work'), limits.take('u', 'work')]);
        assert.equal(denied.lease, undefined);
        assert.equal(denied.retryAfterMs, 5000);
        await limits.release('u', 'work', held.lease ?? '');
        assert.equal((await limits.take('u', 'work')).allowed, true);
        clock.advance(5000);
        assert.equal((await limits.take('u', 'work')).allowed, true);
      });
    });

    it('block and unblock a subject, and punish one (L05)', async () => {
      const clock = manualClock();
      await over(await open(clock), async ({ limits }) => {
        await limits.block('u', { forMs: 60_000 });
        clock.advance(6000);
        const status = await limits.peek('u', 'login');
        assert.deepEqual([status.reason, status.rule, status.retryAfterMs], ['blocked', null, 54_000]);
        await limits.block('u');
        assert.equal((await limits.take('u', 'login')).retryAfterMs, null);
        await limits.unblock('u');
        await limits.penalize('u', 'login', { cost: 5 });
        assert.equal((await limits.take('u', 'login')).reason, 'limited');
      });
    });
  });
}

describe('limits that survive', () => {
  it('are there again after a restart, with blocks and request ids', async () => {
    const clock = manualClock();
    const path = join(folder.path, `${files++}.db`);
    const denied = await (async () => {
      let first: unknown;
      await over(await sqliteStore({ path, clock }), async ({ limits }) => {
        await limits.take('u', 'login', { cost: 2 });
        first = await limits.take('u', 'login', { requestId: 'r' });
        await limits.block('v');
      });
      return first as object;
    })();
    await over(await sqliteStore({ path, clock }), async ({ limits }) => {
      assert.deepEqual(await limits.take('u', 'login', { requestId: 'r' }), { ...denied, replayed: true });
      assert.equal((await limits.take('u', 'login')).allowed, false);
      assert.equal((await limits.take('v', 'login')).reason, 'blocked');
    });
  });
});

describe('limits that this process remembers to be used up', () => {
  it('are denied without the store, until a refund, a reset or their time', async () => {
    const clock = manualClock();
    await over(memoryStore({ clock }), async (tallystick) => {
      const { limits } = tallystick;
      const asked = (): number => tallystick.stats().entries;
      await limits.take('u', 'login', { cost: 2 });
      assert.equal((await limits.take('u', 'login')).source, 'store');
      const before = asked();
      for (let i = 0; i < 10; i++) {
        const { source, allowed, retryAfterMs } = await limits.take('u', 'login');
        assert.deepEqual([source, allowed], ['near', false]);
        assert.ok(retryAfterMs !== null && retryAfterMs > 9000 && retryAfterMs <= 10_000);
      }
      assert.equal(asked(), before);
      assert.equal((await limits.take('u', 'login', { requestId: 'x' })).source, 'store');
      await limits.refund('u', 'login');
      assert.equal((await limits.take('u', 'login')).allowed, true);
      await limits.take('u', 'login');
      await limits.reset('u');
      assert.equal((await limits.take('u', 'login')).allowed, true);
    }, 60_000);
  });

  it('are asked again in time: another process may have given back', async () => {
    await over(memoryStore(), async ({ limits }) => {
      await limits.take('u', 'none');
      const sinceMs = performance.now();
      while ((await limits.take('u', 'none')).source === 'near') await new Promise((resolve) => setTimeout(resolve, 5));
      assert.ok(performance.now() - sinceMs >= 40);
    }, 50);
  });
});

describe('limits and wrong input', () => {
  const bad: [unknown, string][] = [
    [{ algorithm: 'fixed-window', limit: 1 }, 'windowMs'],
    [{ algorithm: 'fixed-window', limit: 1, windowMs: '60' }, 'windowMs'],
    [{ algorithm: 'fixed-window', limit: -1, windowMs: 60 }, 'limit'],
    [{ algorithm: 'fixed-window', limit: 5n, windowMs: 60 }, 'limit'],
    [{ algorithm: 'fixed-window', limit: 1, windowMs: 60, windowms: 5 }, 'windowms'],
    [{ algorithm: 'fixed-window', limit: 1, windowMs: 60, align: 'day' }, 'align'],
    [{ algorithm: 'token-bucket', limit: 2 ** 40, windowMs: 2 ** 20 }, 'limit'],
    [{ algorithm: 'token-bucket', limit: 1, windowMs: 60, burst: 0 }, 'burst'],
    [{ algorithm: 'sliding-window', limit: 1, windowMs: 5 }, 'windowMs'],
    [{ algorithm: 'constructor', limit: 1, windowMs: 60 }, 'algorithm'],
    [null, 'rule'],
  ];
  for (const [options, field] of bad) {
    it(`refuse a rule and name its field ${field} (L12)`, async () => {
      const create = (): unknown => createTallystick({ store: memoryStore(), limits: { r: options as LimitOptions } });
      assert.throws(create, fieldOf('INVALID_CONFIG', `limits["r"].${field}`));
      await over(memoryStore(), async ({ limits }) => {
        await assert.rejects(limits.take('u', [{ name: 'x', ...(options as LimitOptions) }] as Rules), (error: TallystickError) => {
          return options === null || error.field === `rules[0].${field}`;
        });
      });
    });
  }

  for (const cost of [0, -0, -3, 1.5, NaN, Infinity, null, true, '', '5abc', [], {}, 5n] as unknown[]) {
    it(`refuse a cost of ${inspect(cost)} (N08, N09)`, async () => {
      await over(memoryStore(), async ({ limits }) => {
        await assert.rejects(limits.take('u', 'login', { cost: cost as number }), fieldOf('INVALID_AMOUNT', 'cost'));
        assert.equal((await limits.peek('u', 'login')).remaining, 2);
      });
    });
  }

  it('refuse what is no subject, no rule or no option (K11)', async () => {
    await over(memoryStore(), async ({ limits }) => {
      for (const subject of [undefined, null, '', NaN, {}]) await assert.rejects(limits.take(subject as string, 'login'), fieldOf('INVALID_KEY', 'subject'));
      await assert.rejects(limits.take('u', 'logn'), fieldOf('INVALID_ARGUMENT', 'rules'));
      await assert.rejects(limits.take('u', []), fieldOf('INVALID_ARGUMENT', 'rules'));
      await assert.rejects(limits.take('u', ['login', 'login']), fieldOf('INVALID_ARGUMENT', 'rules[1]'));
      await assert.rejects(limits.take('u', 'login', { costs: 1 } as object), fieldOf('INVALID_ARGUMENT', 'costs'));
      await assert.rejects(limits.release('u', 'login', 'x'), fieldOf('INVALID_ARGUMENT', 'rules'));
    });
  });
});

describe('limits and a store at fault', () => {
  const silent: Store = { partitions: 1, apply: () => new Promise(() => undefined), read: () => new Promise(() => undefined), close: () => Promise.resolve() };

  it('are not answered with a denial when the store is away (R01)', async () => {
    const tallystick = createTallystick({ store: silent, limits: { login } });
    await assert.rejects(tallystick.limits.take('u', 'login', { timeoutMs: 20 }), fieldOf('OUTCOME_UNKNOWN', 'timeoutMs'));
    const waiting = assert.rejects(tallystick.limits.take('u', 'login'), (error: TallystickError) => error.code === 'OUTCOME_UNKNOWN' || error.code === 'CLOSED');
    await tallystick.close({ timeoutMs: 10 });
    await waiting;
  });

  it('are refused by a store that does not keep them', async () => {
    const store: Store = {
      ...silent,
      apply: ({ operations }) => Promise.resolve({ atMs: 0, values: operations.map(() => 0), notes: operations.map((_, index) => ({ index, value: 0, delta: 0, code: 'UNSUPPORTED' as const })) }),
    };
    const tallystick = createTallystick({ store, limits: { login } });
    await assert.rejects(tallystick.limits.take('u', 'login'), fieldOf('UNSUPPORTED', 'store'));
    await tallystick.close();
  });
});
