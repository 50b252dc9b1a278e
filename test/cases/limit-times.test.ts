// Cases T of limits: windows, clocks, and what an outage makes of them.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from 'redis';
import { createTallystick, type Decision, type NamedLimit } from 'tallystick';
import { manualClock, type ManualClock } from 'tallystick/testing';
import { redisUnderTest } from '../support/redis-under-test.ts';
import { startRedis } from '../support/redis.ts';
import { Cut } from './cut.ts';
import { codeOf, DOORS, group, openStore, openWorld, times, withFolder, type WorldOptions } from './harness.ts';
import type { LimitDoor } from './limit-door.ts';
import { algorithms, attempt, fixed } from './rules.ts';

const server = await startRedis();
const client = await createClient({ url: server.url }).connect();
const redis = redisUnderTest('Redis', client);
after(async () => {
  client.destroy();
  await server.stop();
});
const onRedis: WorldOptions = { redis: (clock) => redis.open({ clock, partitions: 16 }) };

const at = Date.parse;
const HOUR_MS = 3_600_000;
const WINDOW_MS = 10_000;

/** Where days begin that are not of 24 hours: a minute before it is another day. */
const DAYS: readonly (readonly [timeZone: string, beginsAt: string, hours: number])[] = [
  ['America/New_York', '2025-03-09T05:00:00Z', 23],
  ['Australia/Lord_Howe', '2025-04-05T13:00:00Z', 24.5],
  ['Africa/Cairo', '2025-04-24T22:00:00Z', 23],
  ['America/Santiago', '2025-09-07T04:00:00Z', 23],
  ['Australia/Lord_Howe', '2025-10-04T13:30:00Z', 23.5],
  ['America/New_York', '2025-11-02T04:00:00Z', 25],
];

/** What the store says, as soon as it is asked again: on a busy machine it may have to be. */
async function byStore(limits: LimitDoor, subject: string, rule: NamedLimit): Promise<Decision> {
  for (let tries = 0; tries < 1000; tries++) {
    const decision = await limits.peek(subject, rule);
    if (decision.source === 'store') return decision;
    await wait(5);
  }
  throw new Error('the store is not asked again');
}

group('T, L: limits in time', ({ everywhere, once, store }) => {
  once('T03 1 in 1000 ms, a take every 999 to 1001 ms: each window ends within 1000 ms of its take, and no count goes on', async ({ limitDoors, key, clock }) => {
    let endsAt = 0;
    for (let i = 0; i < 30; i++) {
      const limits = limitDoors[DOORS[i % 3]!];
      const taken = await attempt(limits, key, fixed(1, 1000));
      assert.equal(taken, clock() >= endsAt);
      const { resetMs } = await limits.peek(key, fixed(1, 1000));
      assert.ok(resetMs !== null && resetMs >= 1 && resetMs <= 1000, `${resetMs} ms`);
      if (taken) endsAt = clock() + resetMs;
      clock.advance(999 + (i * 7) % 3);
    }
  });

  everywhere('T05 all that an algorithm counts is over two windows later, and says so from the first take', async ({ limits, key, clock }) => {
    const rules = algorithms(5, 2000);
    for (const rule of rules) {
      const { resetMs } = await limits.take(key, rule);
      assert.ok(resetMs !== null && resetMs > 0 && resetMs <= 4000, `${rule.name}: ${resetMs} ms`);
    }
    clock.advance(4000);
    for (const rule of rules) {
      const { remaining, resetMs } = await limits.peek(key, rule);
      assert.deepEqual([remaining, resetMs], [5, 0], rule.name);
    }
  });

  once('T07 after clock steps of −11 s, −24 h and +24 h: 0 to 5 left, no wait above a window (and a slice), and then all are there', async () => {
    await using world = await openWorld(store, onRedis);
    const { clock, limitDoors: { HTTP: limits } } = world;
    const rules = algorithms(5, WINDOW_MS);
    for (const rule of rules) await limits.take('s', rule, { cost: 3 });
    for (const stepMs of [-11_000, -24 * HOUR_MS, 24 * HOUR_MS]) {
      clock.advance(stepMs);
      for (const rule of rules) {
        await attempt(limits, 's', rule);
        const { remaining, retryAfterMs } = await limits.peek('s', rule);
        const longestMs = rule.algorithm === 'sliding-window' ? Math.ceil((WINDOW_MS * 7) / 6) : WINDOW_MS;
        assert.ok(remaining >= 0 && remaining <= 5 && retryAfterMs !== null && retryAfterMs <= longestMs, `${rule.name}: ${remaining}, ${retryAfterMs}`);
      }
    }
    clock.advance(2 * WINDOW_MS);
    for (const rule of rules) assert.equal((await limits.peek('s', rule)).remaining, 5, rule.name);
  });

  once('T08 every door tells the same end of a window, by the clock of the store', async ({ limitDoors, key, clock }) => {
    await limitDoors.library.take(key, fixed(9, WINDOW_MS));
    clock.advance(3000);
    for (const door of DOORS) {
      const { atMs, resetMs } = await limitDoors[door].take(key, fixed(9, WINDOW_MS));
      assert.deepEqual([atMs, resetMs], [clock(), 7000], door);
    }
  });

  once('T15 a bucket of 3 in 1000 ms, an attempt every 100 ms for 10 s: 33 are allowed', async ({ limitDoors, key, clock }) => {
    let granted = 0;
    for (let passedMs = 0; passedMs <= 10_000; passedMs += 100) {
      if (await attempt(limitDoors[DOORS[passedMs % 3]!], key, { name: 'bucket', algorithm: 'token-bucket', limit: 3, windowMs: 1000 })) granted++;
      clock.advance(100);
    }
    assert.equal(granted, 33);
  });

  once('T16 a day of a time zone begins at its first moment, also where midnight is left out, and has 23 to 25 hours', async () => {
    const clock = manualClock(at('2025-01-01T00:00:00Z'));
    await using world = await openWorld(store, { ...onRedis, clock });
    for (const [timeZone, beginsAt, hours] of DAYS) {
      const daily: NamedLimit = { name: 'daily', algorithm: 'calendar', unit: 'day', timeZone, limit: 1 };
      const asked = async (nowMs: number, expected: readonly [isAllowed: boolean, resetMs: number]): Promise<void> => {
        clock.set(nowMs);
        for (const door of DOORS) {
          const { limitDoors: { [door]: limits } } = world;
          const subject = `${timeZone}:${door}`;
          const isAllowed = await attempt(limits, subject, daily);
          assert.deepEqual([isAllowed, (await limits.peek(subject, daily)).resetMs], expected, `${subject} ${new Date(nowMs).toISOString()}`);
        }
      };
      const begins = at(beginsAt);
      await asked(begins - 1, [true, 1]);
      await asked(begins, [true, hours * HOUR_MS]);
      await asked(begins + hours * HOUR_MS - 1, [false, 1]);
    }
  });

  everywhere('T16 a time zone that there is not is INVALID_ARGUMENT', async ({ limits, key }) => {
    const rule: NamedLimit = { name: 'daily', algorithm: 'calendar', unit: 'day', timeZone: 'Mars/Olympus', limit: 1 };
    assert.equal(await codeOf(limits.take(key, rule)), 'INVALID_ARGUMENT');
  });

  once('T17 with a clock that moves at every reading, what comes together is judged in one period: one of three passes', async () => {
    const standing = manualClock();
    const ticking: ManualClock = Object.assign(() => (standing.advance(1), standing()), standing);
    await using world = await openWorld(store, { ...onRedis, clock: ticking });
    for (let round = 0; round < 5; round++) {
      const rule: NamedLimit = { name: 'brief', algorithm: 'fixed-window', limit: 1, windowMs: 1, align: 'clock' };
      const decisions = await Promise.all(times(3, () => world.tallystick.limits.take(`s${round}`, rule)));
      assert.deepEqual(decisions.map((decision) => decision.allowed), [true, false, false]);
      assert.equal(new Set(decisions.map(({ atMs }) => atMs)).size, 1);
    }
  });

  everywhere('T19 takes, refunds and blocks leave a window its end: 50 s, after 20 s 30 s, and then it is over', async ({ limits, key, clock }) => {
    const rule = fixed(5, 50_000);
    await limits.take(key, rule);
    clock.advance(20_000);
    await limits.take(key, rule);
    await limits.refund(key, rule);
    await limits.block(key, { forMs: 1 });
    await limits.unblock(key);
    const { remaining, resetMs } = await limits.peek(key, rule);
    assert.deepEqual([remaining, resetMs], [4, 30_000]);
    clock.advance(30_000);
    await limits.refund(key, rule);
    assert.deepEqual([(await limits.peek(key, rule)).remaining, (await limits.peek(key, rule)).resetMs], [5, 0]);
  });

  if (store === 'sqlite') {
    once('T19 reopened after 20 s, a window of 50 s has 30 s left, by every algorithm, and a block too', () =>
      withFolder(async (folder) => {
        const clock = manualClock();
        const first = createTallystick({ store: await openStore(store, clock, folder) });
        const rules = algorithms(5, 50_000);
        const leftMs = [];
        for (const rule of rules) leftMs.push((await first.limits.take('s', rule, { cost: 5 })).resetMs);
        await first.limits.block('b', { forMs: 50_000 });
        await first.close();
        clock.advance(20_000);
        const second = createTallystick({ store: await openStore(store, clock, folder) });
        for (const [i, rule] of rules.entries()) {
          const { resetMs } = await second.limits.peek('s', rule);
          assert.equal(resetMs, (leftMs[i] as number) - 20_000, rule.name);
        }
        assert.equal((await second.limits.peek('b', fixed(5))).retryAfterMs, 30_000);
        await second.close();
      }));
  }

  once('T22 5,000 windows end at once, and every other take is answered within 1 s and right', async ({ tallystick: { limits }, limitDoors, key, clock }) => {
    await Promise.all(times(5000, (i) => limits.take(`${key}:${i}`, fixed(1, 30_000))));
    clock.advance(30_000);
    const began = performance.now();
    for (let i = 1, last = began; performance.now() - began < 600; i++) {
      const { remaining } = await limitDoors[DOORS[i % 3]!].take(key, fixed(1_000_000));
      assert.equal(remaining, 1_000_000 - i);
      assert.ok(performance.now() - last < 1000, `${performance.now() - last} ms`);
      last = performance.now();
    }
    assert.equal((await limits.take(`${key}:7`, fixed(1, 30_000))).allowed, true);
  });

  once('L04 what holds in an outage holds in it alone: the third of 2 is denied, in the outage all are allowed, and then none', async () => {
    const cut = new Cut();
    await using world = await openWorld(store, { ...onRedis, around: (inner) => cut.around(inner) });
    const rule: NamedLimit = { ...fixed(2), onOutage: 'open' };
    for (const door of DOORS) {
      const { limitDoors: { [door]: limits } } = world;
      for (let i = 0; i < 2; i++) assert.equal((await limits.take(door, rule)).allowed, true);
      assert.equal((await byStore(limits, door, rule)).allowed, false, door);
      cut.isCut = true;
      for (let i = 0; i < 3; i++) {
        const { allowed: isAllowed, source } = await limits.peek(door, rule);
        assert.deepEqual([isAllowed, source], [true, 'fallback'], door);
      }
      cut.isCut = false;
      assert.equal((await byStore(limits, door, rule)).allowed, false, door);
    }
  });

  once('L10 what an outage longer than a window has counted here denies nothing in the window after it', async () => {
    const cut = new Cut();
    await using world = await openWorld(store, { ...onRedis, around: (inner) => cut.around(inner) });
    const rule: NamedLimit = { ...fixed(5, 400), onOutage: 'local' };
    const { limitDoors, clock } = world;
    cut.isCut = true;
    for (const door of DOORS) for (let i = 0; i < 3; i++) assert.equal((await limitDoors[door].take(door, rule)).source, 'fallback');
    clock.advance(1000);
    await wait(450);
    cut.isCut = false;
    for (const door of DOORS) {
      const { [door]: limits } = limitDoors;
      assert.equal((await byStore(limits, door, rule)).remaining, 5, door);
      assert.equal((await limits.take(door, rule, { cost: 5 })).allowed, true, door);
      assert.equal((await byStore(limits, door, rule)).remaining, 0, door);
    }
  });

  once('L14 in twelve hours of 50 workers at all doors each hour grants what the first did', async ({ limitDoors, key, clock }) => {
    const rules = [fixed(100, 1000), { name: 'bucket', algorithm: 'token-bucket', limit: 100, windowMs: 1000 }] as const;
    for (const rule of rules) {
      const granted: number[] = [];
      for (let hour = 0; hour < 12; hour++) {
        const decisions = await Promise.all(times(50, (i) => limitDoors[DOORS[i % 3]!].take(key, rule, { cost: 3 })));
        granted.push(decisions.filter((decision) => decision.allowed).length);
        clock.advance(HOUR_MS);
        // A denial is remembered by the clock of its process, which goes on slower; nodes and library are two.
        await Promise.all([limitDoors.library.unblock(key), limitDoors.HTTP.unblock(key)]);
      }
      assert.deepEqual(granted, times(12, () => 33), rule.name);
    }
  });
}, onRedis);
