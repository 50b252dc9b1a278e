// Cases of limits: L, and those of N, K and T that are about limits.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { createClient } from 'redis';
import type { NamedLimit } from 'tallystick';
import { startRedis } from '../support/redis.ts';
import { redisUnderTest } from '../support/redis-under-test.ts';
import { codeOf, group, times } from './harness.ts';
import { algorithms, allowed, fixed, MINUTE_MS } from './rules.ts';

const server = await startRedis();
const client = await createClient({ url: server.url }).connect();
const redis = redisUnderTest('Redis', client);
after(async () => {
  client.destroy();
  await server.stop();
});

group('L, N, K, T: limits', ({ everywhere, once }) => {
  everywhere('N08 a cost of -5 is INVALID_AMOUNT and gives nothing back: of 5, all used, none is left', async ({ limits, key }) => {
    assert.equal(await allowed(limits, key, fixed(5), 5), 5);
    assert.equal(await codeOf(limits.take(key, fixed(5), { cost: -5 })), 'INVALID_AMOUNT');
    assert.equal((await limits.take(key, fixed(5))).allowed, false);
  });

  everywhere('N09 a cost that is no whole number of at least 1 is INVALID_AMOUNT, and takes nothing', async ({ limits, key }) => {
    for (const cost of [0, -0, -3, 1.5, true, '', ' 1 ', '5abc', '0x10', '1e3', [], {}]) {
      assert.equal(await codeOf(limits.take(key, fixed(5), { cost: cost as number })), 'INVALID_AMOUNT', JSON.stringify(cost));
    }
    assert.equal((await limits.peek(key, fixed(5))).remaining, 5);
  });

  everywhere('N10 a limit of 0 denies all, with 0 remaining, by every algorithm', async ({ limits, key }) => {
    for (const rule of algorithms(0)) {
      const { allowed: isAllowed, remaining, limit } = await limits.take(key, rule);
      assert.deepEqual([isAllowed, remaining, limit], [false, 0, 0], rule.name);
    }
  });

  once('N10 of 6,000 and 8,000 a second, and 1,000 a minute, exactly so many of three times as many pass', async ({ tallystick, key }) => {
    for (const [limit, windowMs] of [[6000, 1000], [8000, 1000], [1000, MINUTE_MS], [1, 1000]] as const) {
      for (const rule of algorithms(limit, windowMs)) {
        const subject = `${key}:${limit}`;
        const decisions = await Promise.all(times(3 * limit, () => tallystick.limits.take(subject, rule)));
        assert.equal(decisions.filter((decision) => decision.allowed).length, limit, rule.name);
        assert.ok(decisions.every(({ remaining }) => remaining >= 0 && remaining <= limit));
      }
    }
  });

  everywhere('K12 5 a minute and 50 a day: the sixth is denied, the minute has counted 5 and the day 5, each with its own end', async ({ limits, key }) => {
    const [minute, day] = [fixed(5, MINUTE_MS, 'minute'), fixed(50, 86_400_000, 'day')];
    const decisions = [];
    for (let i = 0; i < 6; i++) decisions.push((await limits.take(key, [minute, day])).allowed);
    assert.deepEqual(decisions, [true, true, true, true, true, false]);
    const [ofMinute, ofDay] = [await limits.peek(key, minute), await limits.peek(key, day)];
    assert.deepEqual([ofMinute.remaining, ofMinute.resetMs, ofDay.remaining, ofDay.resetMs], [0, MINUTE_MS, 45, 86_400_000]);
  });

  everywhere('K13 subjects with any brackets and characters are each limited by themselves', async ({ limits, key }) => {
    for (const subject of ['{', '}', '{}', '{a}b', '{b}a', '\u{1f600}']) {
      assert.equal(await allowed(limits, subject + key, fixed(2), 3), 2, subject);
    }
  });

  everywhere('T04 3 in 10 s, a take every 6 s: all are allowed, as a take renews no window', async ({ limits, key, clock }) => {
    for (let i = 0; i < 11; i++) {
      assert.equal((await limits.take(key, fixed(3, 10_000))).allowed, true);
      clock.advance(6000);
    }
  });

  for (const windowMs of [2_147_483_648, 30 * 86_400_000]) {
    everywhere(`T06 a window and a block of ${windowMs} ms hold a minute later`, async ({ limits, key, clock }) => {
      await limits.take(key, fixed(1, windowMs));
      await limits.block(`${key}:b`, { forMs: windowMs });
      clock.advance(MINUTE_MS);
      assert.equal((await limits.peek(key, fixed(1, windowMs))).retryAfterMs, windowMs - MINUTE_MS);
      assert.equal((await limits.peek(`${key}:b`, fixed(1))).retryAfterMs, windowMs - MINUTE_MS);
    });
  }

  everywhere('T06 a window of 1e12 ms is INVALID_ARGUMENT', async ({ limits, key }) => {
    assert.equal(await codeOf(limits.take(key, fixed(1, 1e12))), 'INVALID_ARGUMENT');
  });

  everywhere('T09 5 on each side of a minute: windows of the clock allow 10, sliding ones and logs 5', async ({ limits, key, clock }) => {
    clock.set(Math.ceil(clock() / MINUTE_MS) * MINUTE_MS + 59_900);
    const rules = algorithms(5).filter(({ name }) => ['clock', 'slices', 'log'].includes(name));
    for (const rule of rules) assert.equal(await allowed(limits, key, rule, 5), 5);
    clock.advance(200);
    const after: number[] = [];
    for (const rule of rules) after.push(await allowed(limits, key, rule, 5));
    assert.deepEqual(after, [5, 0, 0]);
  });

  everywhere('T10 L13 limits of 1, 2 and 10: exactly as many are allowed by every algorithm; remaining counts down to 0 and stays', async ({ limits, key }) => {
    for (const limit of [1, 2, 10]) {
      for (const rule of algorithms(limit)) {
        const left = [];
        for (let i = 0; i < limit + 5; i++) left.push((await limits.take(`${key}:${limit}`, rule)).remaining);
        assert.deepEqual(left, [...times(limit, (i) => limit - 1 - i), ...times(5, () => 0)], rule.name);
      }
    }
  });

  everywhere('T11 3 in 10 s by a log: denied until 9.999 s, allowed at exactly 10 s', async ({ limits, key, clock }) => {
    const log = { name: 'log', algorithm: 'sliding-log', limit: 3, windowMs: 10_000 } as const;
    assert.equal(await allowed(limits, key, log, 3), 3);
    clock.advance(9999);
    assert.equal((await limits.peek(key, log)).allowed, false);
    clock.advance(1);
    assert.equal((await limits.take(key, log)).allowed, true);
  });

  once('T12 of 100 takes of one millisecond through all doors 10 are allowed, by every algorithm', async ({ limitDoors, key }) => {
    const all = Object.values(limitDoors);
    for (const rule of algorithms(10)) {
      const decisions = await Promise.all(times(100, (i) => all[i % all.length]!.take(key, rule)));
      assert.equal(decisions.filter((decision) => decision.allowed).length, 10, rule.name);
    }
  });

  everywhere('T13 each subject has a window of its own: B of 7 s is denied at 12 s and allowed at 17 s', async ({ limits, key, clock }) => {
    const rule = fixed(1, 10_000);
    await limits.take(`${key}:A`, rule);
    clock.advance(7000);
    await limits.take(`${key}:B`, rule);
    clock.advance(5000);
    assert.deepEqual([(await limits.peek(`${key}:A`, rule)).allowed, (await limits.peek(`${key}:B`, rule)).allowed], [true, false]);
    clock.advance(5000);
    assert.equal((await limits.take(`${key}:B`, rule)).allowed, true);
  });

  everywhere('T20 the wait is exact: 1900, 900, 200 and 1 ms of a window, 800 ms of a bucket, and after it one is allowed', async ({ limits, key, clock }) => {
    const rule = fixed(1, 2000);
    const bucket = { name: 'bucket', algorithm: 'token-bucket', limit: 1, windowMs: 1000 } as const;
    await limits.take(key, rule);
    const waits = [];
    for (const passMs of [100, 1000, 700, 199]) {
      clock.advance(passMs);
      waits.push((await limits.peek(key, rule)).retryAfterMs);
    }
    assert.deepEqual(waits, [1900, 900, 200, 1]);
    clock.advance(1);
    assert.equal((await limits.take(key, rule)).allowed, true);
    await limits.take(key, bucket);
    clock.advance(200);
    assert.equal((await limits.peek(key, bucket)).retryAfterMs, 800);
    clock.advance(800);
    assert.equal((await limits.take(key, bucket)).allowed, true);
  });

  everywhere('T21 a cost of 4 of 3 is denied for ever, no time to wait, and nothing is taken', async ({ limits, key }) => {
    for (const rule of algorithms(3)) {
      const denied = await limits.take(key, rule, { cost: 4 });
      assert.deepEqual([denied.allowed, denied.retryAfterMs, (await limits.peek(key, rule)).remaining], [false, null, 3], rule.name);
    }
  });

  everywhere('L01 1 and 10 a minute: of 20 takes the large rule has counted 1, whichever comes first', async ({ limits, key }) => {
    const [small, large] = [fixed(1, MINUTE_MS, 'small'), fixed(10, MINUTE_MS, 'large')];
    for (const [i, rules] of [[small, large], [large, small]].entries()) {
      for (let n = 0; n < 20; n++) assert.equal((await limits.take(`${key}:${i}`, rules)).allowed, n === 0);
      assert.equal((await limits.peek(`${key}:${i}`, large)).remaining, 9);
    }
  });

  everywhere('L02 of 10 with 4 used: a cost of 50 is denied with 6 left, 6 is allowed, 1 is denied', async ({ limits, key }) => {
    await limits.take(key, fixed(10), { cost: 4 });
    const decisions = [];
    for (const cost of [50, 6, 1]) decisions.push(await limits.take(key, fixed(10), { cost }));
    assert.deepEqual(decisions.map(({ allowed: isAllowed, remaining }) => [isAllowed, remaining]), [[false, 6], [true, 0], [false, 0]]);
  });

  everywhere('L05 a block of 60 s is told at once and at 6 s; one without an end stays after 10 takes', async ({ limits, key, clock }) => {
    const status = async () => {
      const { reason, retryAfterMs } = await limits.peek(key, fixed(5, 5000));
      return [reason, retryAfterMs];
    };
    await limits.block(key, { forMs: 60_000 });
    assert.deepEqual(await status(), ['blocked', 60_000]);
    clock.advance(6000);
    assert.deepEqual(await status(), ['blocked', 54_000]);
    await limits.block(key);
    assert.equal(await allowed(limits, key, fixed(5, 5000), 10), 0);
    clock.advance(365 * 86_400_000);
    assert.deepEqual(await status(), ['blocked', null]);
    await limits.unblock(key);
    assert.equal((await limits.take(key, fixed(5, 5000))).allowed, true);
  });

  everywhere('L06 a refund to a new subject gives nothing: of 2, two are allowed and the third is denied', async ({ limits, key }) => {
    await limits.refund(key, fixed(2));
    assert.equal(await allowed(limits, key, fixed(2), 3), 2);
    await limits.refund(key, fixed(2), { cost: 5 });
    assert.equal(await allowed(limits, key, fixed(2), 3), 2, 'more is given back than was taken');
  });

  everywhere('L07 a refund after the window leaves the next one as it is, and a denial gives nothing back', async ({ limits, key, clock }) => {
    const rule = fixed(2, 10_000);
    await limits.take(key, rule);
    clock.advance(9900);
    const decision = await limits.take(key, rule);
    const denied = await limits.take(key, rule);
    clock.advance(200);
    await limits.take(`${key}:other`, rule);
    await limits.refund(key, rule, { decision });
    assert.equal((await limits.peek(key, rule)).remaining, 2);
    await limits.refund(key, rule, { decision: denied });
    assert.equal((await limits.peek(key, rule)).remaining, 2);
  });

  everywhere('L09 500 of 1000 used: denied under 400, and under 600 exactly 100 more are allowed', async ({ limits, key }) => {
    await limits.take(key, fixed(1000), { cost: 500 });
    assert.equal((await limits.take(key, fixed(400))).allowed, false);
    assert.equal((await limits.take(key, fixed(600), { cost: 101 })).allowed, false);
    assert.equal((await limits.take(key, fixed(600), { cost: 100 })).allowed, true);
    assert.equal((await limits.take(key, fixed(600))).allowed, false);
  });

  everywhere('L11 limit 1: looking, taking, looking, taking, looking: allowed, taken, denied, denied, denied', async ({ limits, key }) => {
    const told = [];
    for (const ask of ['peek', 'take', 'peek', 'take', 'peek'] as const) told.push((await limits[ask](key, fixed(1))).allowed);
    assert.deepEqual(told, [true, true, false, false, false]);
  });

  everywhere('L12 a rule without a window, with a field of another or a number as text is refused', async ({ limits, key }) => {
    const rules = [{ windowMs: undefined }, { windowMs: '60000' }, { limit: '5' }, { windowMs: 0 }, { slices: 5 }, { max: 5 }];
    for (const change of rules) {
      const code = await codeOf(limits.take(key, { ...fixed(5), ...change } as NamedLimit));
      assert.ok(['INVALID_ARGUMENT', 'INVALID_AMOUNT', 'UNKNOWN_FIELD'].includes(code), `${JSON.stringify(change)}: ${code}`);
    }
    assert.equal((await limits.peek(key, fixed(5))).remaining, 5);
  });
}, { redis: (clock) => redis.open({ clock, partitions: 16 }) });
