// Limits by calendar: windows are right across clock changes, and the store's clock says which one it is.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createClient } from 'redis';
import { createTallystick, memoryStore, type CalendarUnit, type Limits, type Store } from 'tallystick';
import { calendar } from 'tallystick/calendar';
import { sqliteStore } from 'tallystick/sqlite';
import { manualClock, type ManualClock } from 'tallystick/testing';
import { redisUnderTest } from '../support/redis-under-test.ts';
import { startRedis } from '../support/redis.ts';

const folder = await mkdtemp(join(tmpdir(), 'tallystick-calendar-'));
const server = await startRedis();
const client = await createClient({ url: server.url }).connect();
const redis = redisUnderTest('Redis', client);
after(async () => {
  client.destroy();
  await server.stop();
  await rm(folder, { recursive: true });
});

const HOUR_MS = 3_600_000;
const at = (iso: string): number => Date.parse(iso);

/** Begin and length in hours of the window that a moment lies in. */
function windowOf(unit: CalendarUnit, timeZone: string, iso: string): [begin: string, hours: number] {
  const edges = calendar(unit, timeZone, at(iso));
  const next = edges.findIndex((edge) => edge > at(iso));
  const begin = edges[next - 1] ?? assert.fail();
  return [new Date(begin).toISOString(), ((edges[next] ?? assert.fail()) - begin) / HOUR_MS];
}

describe('a calendar', () => {
  const windows: readonly (readonly [what: string, unit: CalendarUnit, zone: string, atIso: string, begin: string, hours: number])[] = [
    ['spring', 'day', 'Europe/Berlin', '2024-03-31T12:00:00Z', '2024-03-30T23:00:00.000Z', 23],
    ['autumn', 'day', 'Europe/Berlin', '2024-10-27T12:00:00Z', '2024-10-26T22:00:00.000Z', 25],
    ['a midnight that is skipped', 'day', 'America/Sao_Paulo', '2018-11-04T12:00:00Z', '2018-11-04T03:00:00.000Z', 23],
    ['a midnight that is skipped', 'day', 'Asia/Beirut', '2022-03-27T12:00:00Z', '2022-03-26T22:00:00.000Z', 23],
    ['an evening that comes twice', 'day', 'America/Sao_Paulo', '2018-02-18T02:30:00Z', '2018-02-17T02:00:00.000Z', 25],
    ['a midnight that comes twice', 'day', 'America/St_Johns', '2010-11-07T03:00:00Z', '2010-11-07T02:30:00.000Z', 25],
    ['a day that a zone left out', 'day', 'Pacific/Apia', '2011-12-31T00:00:00Z', '2011-12-30T10:00:00.000Z', 24],
    ['half an hour', 'day', 'Australia/Lord_Howe', '2024-04-07T03:00:00Z', '2024-04-06T13:00:00.000Z', 24.5],
    ['a week from Monday', 'week', 'Europe/Berlin', '2024-03-31T12:00:00Z', '2024-03-24T23:00:00.000Z', 167],
    ['February of a leap year', 'month', 'UTC', '2024-02-29T23:59:59Z', '2024-02-01T00:00:00.000Z', 29 * 24],
    ['a year', 'year', 'Asia/Kolkata', '2024-12-31T18:29:59Z', '2023-12-31T18:30:00.000Z', 366 * 24],
  ];
  for (const [what, unit, zone, iso, begin, hours] of windows) {
    it(`knows ${what}: ${unit}, ${zone}, ${iso}`, () => { assert.deepEqual(windowOf(unit, zone, iso), [begin, hours]); });
  }
});

let databases = 0;
const STORES: Readonly<Record<string, (clock: ManualClock) => Store | Promise<Store>>> = {
  memory: (clock) => memoryStore({ clock }),
  SQLite: (clock) => sqliteStore({ path: join(folder, `${databases++}.db`), clock }),
  Redis: (clock) => redis.open({ clock, partitions: 1 }),
};

const daily = { algorithm: 'calendar', unit: 'day', timeZone: 'Europe/Berlin', limit: 3 } as const;

async function asking(name: string, iso: string, body: (limits: Limits, clock: ManualClock) => Promise<void>): Promise<void> {
  const clock = manualClock(at(iso));
  const tallystick = createTallystick({ store: await (STORES[name] ?? assert.fail())(clock), limits: { daily }, calendar, rememberDenialsMs: 0 });
  await body(tallystick.limits, clock);
  await tallystick.close();
}

const allowedOf = (decisions: readonly { readonly allowed: boolean }[]): boolean[] => decisions.map(({ allowed }) => allowed);

for (const name of Object.keys(STORES)) {
  describe(`limits by calendar on ${name}`, () => {
    it('hold until midnight, an hour early in spring, by the store\u2019s clock, years from that of the process', () =>
      asking(name, '2024-03-30T23:00:00Z', async (limits, clock) => {
        const together = await Promise.all(Array.from({ length: 5 }, () => limits.take('u', 'daily')));
        assert.deepEqual(allowedOf(together), [true, true, true, false, false]);
        assert.equal(together[4]?.retryAfterMs, 23 * HOUR_MS);
        clock.advance(23 * HOUR_MS - 1);
        assert.equal((await limits.take('u', 'daily')).allowed, false);
        clock.advance(1);
        const next = await limits.take('u', 'daily');
        assert.deepEqual([next.allowed, next.remaining, next.resetMs], [true, 2, 24 * HOUR_MS]);
      }));

    it('are asked again where the store has gone on by a month, once, also with a request id', () =>
      asking(name, '2024-10-01T10:00:00Z', async (limits, clock) => {
        assert.equal((await limits.take('v', 'daily')).remaining, 2);
        clock.advance(40 * 24 * HOUR_MS);
        const first = await limits.take('v', 'daily', { requestId: 'r' });
        assert.deepEqual([first.remaining, (await limits.take('v', 'daily', { requestId: 'r' })).replayed], [2, true]);
        assert.equal((await limits.peek('v', 'daily')).remaining, 2);
      }));

    it('give back to the day that units came from', () =>
      asking(name, '2024-10-26T22:00:00Z', async (limits, clock) => {
        const decision = await limits.take('w', 'daily', { cost: 3 });
        clock.advance(25 * HOUR_MS - 1);
        await limits.refund('w', 'daily', { decision });
        assert.equal((await limits.peek('w', 'daily')).remaining, 1);
        await limits.penalize('w', 'daily', { cost: 9 });
        clock.advance(1);
        await limits.refund('w', 'daily', { decision });
        assert.deepEqual([(await limits.peek('w', 'daily')).remaining, (await limits.take('w', 'daily')).remaining], [3, 2]);
      }));
  });
}

describe('what a limit by calendar is given', () => {
  const refuses = (rule: object, field: RegExp): void => {
    assert.throws(() => createTallystick({ store: memoryStore(), calendar, limits: { daily: { ...daily, ...rule } } }), field);
  };
  it('is checked, naming the field', () => {
    refuses({ timeZone: 'Europe/Atlantis' }, /timeZone: expected an IANA time zone/);
    refuses({ timeZone: 7 }, /timeZone: expected an IANA time zone/);
    refuses({ unit: 'fortnight' }, /unit: expected one of day, week, month, year/);
    refuses({ windowMs: 5 }, /windowMs: not a field of calendar/);
    assert.throws(() => createTallystick({ store: memoryStore(), limits: { daily } }), /the option calendar of createTallystick/);
  });

  it('is given back in full, without where its windows begin', async () => {
    const tallystick = createTallystick({ store: memoryStore(), calendar, limits: { daily } });
    assert.deepEqual(tallystick.limits.resolve('daily'), [{ name: 'daily', ...daily }]);
    await tallystick.close();
  });
});
