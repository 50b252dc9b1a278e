import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import type { LimitOptions, OnOutage } from './limits.ts';
import type { Reply } from './model/answer.ts';
import type { Batch } from './model/batch.ts';
import type { Decision } from './model/decision.ts';
import { manualClock } from './model/manual-clock.ts';
import type { Store } from './store.ts';
import { memoryStore } from './stores/memory/memory-store.ts';
import { createTallystick, type Tallystick, type TallystickEvent } from './tallystick.ts';

/** The line to a store: cut before a request arrives, or before its answer does. */
class Line {
  cut: 'no' | 'request' | 'answer' = 'no';
  readonly store: Store;
  readonly #inner: Store;

  constructor(inner: Store) {
    this.#inner = inner;
    this.store = {
      partitions: inner.partitions,
      apply: (batch) => this.#apply(batch),
      read: (partition, queries) => inner.read(partition, queries),
      close: () => inner.close(),
    };
  }

  async #apply(batch: Batch): Promise<Reply> {
    if (this.cut === 'request') return this.#lost();
    const reply = await this.#inner.apply(batch);
    return this.cut === 'answer' ? this.#lost() : reply;
  }

  async #lost(): Promise<never> {
    await wait(12);
    throw new Error('cut');
  }
}

interface Setting {
  readonly line: Line;
  readonly tallystick: Tallystick;
  readonly clock: ReturnType<typeof manualClock>;
  readonly events: TallystickEvent[];
}

const login: LimitOptions = { algorithm: 'fixed-window', limit: 2, windowMs: 10_000 };

async function over(limits: Record<string, LimitOptions>, body: (setting: Setting) => Promise<void>): Promise<void> {
  const clock = manualClock();
  const line = new Line(memoryStore({ clock }));
  const events: TallystickEvent[] = [];
  const tallystick = createTallystick({ store: line.store, limits, fallBackAfterMs: 4, rememberDenialsMs: 0, onEvent: (event) => events.push(event) });
  try {
    await body({ line, tallystick, clock, events });
  } finally {
    line.cut = 'no';
    await tallystick.close();
  }
}

/** Waits until the store answers takes again. */
async function back({ line, tallystick: { limits } }: Setting, rule = 'login'): Promise<void> {
  line.cut = 'no';
  for (let tries = 0; (await limits.peek('somebody', rule)).source !== 'store'; tries++) {
    assert.ok(tries < 1000, 'the store is not asked again');
    await wait(2);
  }
}

const saying = ({ allowed, source, reason }: Decision) => [allowed, source, reason];

describe('limits in an outage', () => {
  for (const [onOutage, expected] of [['open', [true, 'fallback', 'allowed']], ['closed', [false, 'fallback', 'outage']]] as const) {
    it(`are ${onOutage} when their rule says so, and only then (L04)`, async () => {
      await over({ login: { ...login, onOutage } }, async (setting) => {
        const { line, tallystick: { limits } } = setting;
        line.cut = 'request';
        for (let i = 0; i < 5; i++) assert.deepEqual(saying(await limits.take('u', 'login')), expected);
        await back(setting);
        const rest = [await limits.take('u', 'login'), await limits.take('u', 'login'), await limits.take('u', 'login')];
        // Whether the take that was sent first counts depends on when it got there; the others never do.
        assert.deepEqual([rest[0], rest[2]].map((decision) => saying(decision!)), [[true, 'store', 'allowed'], [false, 'store', 'limited']]);
        assert.equal(setting.tallystick.stats().fallbacks >= 5, true);
      });
    });
  }

  it('are counted by this process when their rule says so, and charged once when the store is back (L04)', async () => {
    for (const cut of ['request', 'answer'] as const) {
      await over({ login: { ...login, limit: 5, onOutage: 'local' } }, async (setting) => {
        const { line, tallystick: { limits } } = setting;
        line.cut = cut;
        const decisions = [];
        for (let i = 0; i < 7; i++) decisions.push(await limits.take('u', 'login', { cost: 1 }));
        assert.deepEqual(decisions.map(saying), decisions.map((_, i) => [i < 5, 'fallback', i < 5 ? 'allowed' : 'limited']));
        assert.deepEqual(decisions.map(({ remaining }) => remaining), [4, 3, 2, 1, 0, 0, 0]);
        await back(setting);
        assert.deepEqual(saying(await limits.peek('u', 'login')), [false, 'store', 'limited']);
        await limits.refund('u', 'login', { cost: 5 });
        assert.equal((await limits.peek('u', 'login')).remaining, 5);
      });
    }
  });

  it('wait for the store when any of their rules does not say what holds', async () => {
    await over({ login: { ...login, onOutage: 'open' }, other: login }, async (setting) => {
      const { line, tallystick: { limits } } = setting;
      line.cut = 'request';
      const waiting = limits.take('u', ['login', 'other']);
      assert.equal(await Promise.race([waiting, wait(30, 'waits')]), 'waits');
      line.cut = 'no';
      assert.deepEqual(saying(await waiting), [true, 'store', 'allowed']);
    });
  });

  it('hold the strictest of what their rules say', async () => {
    const rules = { open: { ...login, onOutage: 'open' }, local: { ...login, limit: 1, onOutage: 'local' }, closed: { ...login, onOutage: 'closed' } } as const;
    await over(rules, async ({ line, tallystick: { limits } }) => {
      line.cut = 'request';
      assert.deepEqual(saying(await limits.take('a', ['open', 'local'])), [true, 'fallback', 'allowed']);
      const denied = await limits.take('a', ['open', 'local']);
      assert.deepEqual([denied.rule, denied.limit, denied.reason], ['local', 1, 'limited']);
      assert.equal((await limits.take('b', ['open', 'local', 'closed'])).reason, 'outage');
    });
  });

  it('answer within tens of milliseconds, and then at once', async () => {
    await over({ login: { ...login, onOutage: 'open' } }, async ({ line, tallystick: { limits } }) => {
      line.cut = 'request';
      const startMs = performance.now();
      await limits.take('u', 'login');
      assert.ok(performance.now() - startMs < 2000);
      // No timer and no store has its turn meanwhile.
      let turns = 0;
      setImmediate(() => turns++);
      for (let i = 0; i < 1000; i++) await limits.take('u', 'login');
      assert.equal(turns, 0);
    });
  });

  it('charge late hits to the windows they belong to (L10)', async () => {
    await over({ login: { ...login, limit: 5, windowMs: 400, onOutage: 'local' } }, async (setting) => {
      const { line, clock, tallystick: { limits } } = setting;
      line.cut = 'request';
      for (let i = 0; i < 3; i++) assert.equal((await limits.take('u', 'login')).allowed, true);
      // The windows of the outage end before the store is back, by its clock as by this process's.
      clock.advance(450);
      await wait(450);
      await back(setting);
      const rest = [];
      for (let i = 0; i < 6; i++) rest.push((await limits.take('u', 'login')).allowed);
      assert.deepEqual(rest, [true, true, true, true, true, false]);
    });
  });

  it('give leases of their own, which are released here or charged to the store', async () => {
    const jobs = { algorithm: 'concurrency', limit: 2, leaseMs: 60_000, onOutage: 'local' } as const;
    await over({ jobs, login: { ...login, limit: 9, onOutage: 'local' } }, async (setting) => {
      const { line, tallystick: { limits } } = setting;
      line.cut = 'request';
      await limits.peek('u', 'jobs');
      const [held, short] = [await limits.take('u', ['jobs', 'login']), await limits.take('u', ['jobs', 'login'])];
      assert.equal((await limits.take('u', ['jobs', 'login'])).allowed, false);
      await limits.release('u', ['jobs', 'login'], short.lease ?? '');
      assert.equal((await limits.peek('u', 'jobs')).remaining, 1);
      await back(setting, 'jobs');
      assert.deepEqual([(await limits.peek('u', 'jobs')).remaining, (await limits.peek('u', 'login')).remaining], [1, 7]);
      await limits.release('u', 'jobs', held.lease ?? '');
      assert.equal((await limits.peek('u', 'jobs')).remaining, 2);
    });
  });

  it('let nobody wait who gives back, and give back once', async () => {
    await over({ login: { ...login, onOutage: 'local' } }, async (setting) => {
      const { line, tallystick: { limits } } = setting;
      const before = await limits.take('u', 'login');
      line.cut = 'request';
      await limits.peek('u', 'login');
      const during = await limits.take('u', 'login');
      await limits.refund('u', 'login', { decision: before });
      await limits.refund('u', 'login', { decision: during });
      await back(setting);
      assert.equal((await limits.peek('u', 'login')).remaining, 2);
    });
  });

  it('charge what is owed when the tallystick is closed, if the store is back in time', async () => {
    const line = new Line(memoryStore());
    const kept = { ...line.store, close: () => Promise.resolve() };
    const limits = { login: { ...login, onOutage: 'local' } } as const;
    const first = createTallystick({ store: kept, limits, fallBackAfterMs: 4 });
    line.cut = 'request';
    await first.limits.peek('u', 'login');
    await first.limits.take('u', 'login');
    const closing = first.close();
    line.cut = 'no';
    assert.deepEqual(await closing, { unsettled: 0 });
    const second = createTallystick({ store: line.store, limits });
    assert.equal((await second.limits.peek('u', 'login')).remaining, 1);
    await second.close();
  });

  it('refuse a policy that there is not', () => {
    const limits = { login: { ...login, onOutage: 'maybe' as OnOutage } };
    assert.throws(() => createTallystick({ store: memoryStore(), limits }), { code: 'INVALID_CONFIG', field: 'limits["login"].onOutage' });
  });
});

describe('limits through outages', () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.record({ cost: fc.integer({ min: 1, max: 3 }), isBack: fc.boolean() }) },
      { weight: 2, arbitrary: fc.constantFrom('request', 'answer', 'no') },
    ),
    { minLength: 4, maxLength: 25 },
  );

  it('charge the store for what callers were granted and did not give back, to the unit', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        await over({ log: { algorithm: 'sliding-log', limit: 100, windowMs: 3_600_000, onOutage: 'local' } }, async (setting) => {
          const { line, tallystick: { limits } } = setting;
          let granted = 0;
          for (const step of history) {
            if (typeof step === 'string') {
              line.cut = step;
              continue;
            }
            const decision = await limits.take('u', 'log', { cost: step.cost });
            if (step.isBack) await limits.refund('u', 'log', { cost: step.cost, decision });
            else if (decision.allowed) granted += step.cost;
          }
          await back(setting, 'log');
          assert.equal(100 - (await limits.peek('u', 'log')).remaining, granted);
          assert.deepEqual(setting.events.filter(({ type }) => type === 'dropped'), []);
        });
      }),
      { numRuns: 60 },
    );
  });
});
