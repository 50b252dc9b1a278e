// Cases T: lifetimes and windows.
import assert from 'node:assert/strict';
import { createTallystick } from 'tallystick';
import { manualClock } from 'tallystick/testing';
import { group, openStore, openWorld, times, withFolder } from './harness.ts';

const LOG = { type: 'sliding-log', windowMs: 10_000 } as const;
const SLICES = 6;

group('T: lifetimes and windows', ({ everywhere, once, store }) => {
  everywhere('T01 a counter found without a lifetime gets one at the next use: 7, 10 s left, and after them 1', async ({ counters, key, clock }) => {
    await counters.add(key, 6);
    assert.deepEqual(await counters.get(key), { value: 6, found: true, exact: true });
    const { value, ttlMs } = await counters.add(key, 1, { ttlMs: 10_000 });
    assert.deepEqual([value, ttlMs], [7, 10_000]);
    clock.advance(10_000);
    assert.equal((await counters.add(key, 1, { ttlMs: 10_000 })).value, 1);
  });

  everywhere('T01 creation and lifetime are one step: no counter created with a lifetime is ever seen without', async ({ counters, key }) => {
    const adds = times(50, (i) => counters.add(`${key}:${i}`, 1, { ttlMs: 5000 }));
    const reads = times(50, (i) => counters.get(`${key}:${i}`));
    for (const { ttlMs } of await Promise.all(adds)) assert.equal(ttlMs, 5000);
    for (const { found, ttlMs } of await Promise.all(reads)) assert.equal(ttlMs, found ? 5000 : undefined);
  });

  once('T03 hits every 1000 ms with jitter of 0 to 2 ms on 1000 ms: never more than 1000 ms left, 1 whenever renewed', async ({ counters, key, clock }) => {
    for (let i = 0, late = 0; i < 200; i++) {
      const { value, ttlMs = Infinity } = await counters.add(key, 1, { ttlMs: 1000 });
      assert.ok(ttlMs >= 1 && ttlMs <= 1000, `${ttlMs} ms`);
      assert.equal(value === 1, ttlMs === 1000);
      const next = (i * 7) % 3;
      clock.advance(1000 + next - late);
      late = next;
    }
  });

  everywhere('T04 a hit every 6 s on 10 s counts 1, 2, 1, 2 …: a hit renews nothing', async ({ counters, key, clock }) => {
    const values = [];
    for (let i = 0; i < 11; i++) {
      values.push((await counters.add(key, 1, { ttlMs: 10_000 })).value);
      clock.advance(6000);
    }
    assert.deepEqual(values, [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1]);
  });

  everywhere('T05 every one of 1000 counters has 2000 ms of the window of 2 s, and none is left after 10 s', async ({ counters, key, clock }) => {
    const keys = times(1000, (i) => `${key}:${i}`);
    const items = keys.map((one) => ({ key: one, ttlMs: 2000 }));
    for (const { outcome } of await counters.addMany(items)) assert.equal(outcome, 'applied');
    assert.ok((await counters.getMany(keys)).every(({ ttlMs }) => ttlMs === 2000));
    clock.advance(10_000);
    assert.ok((await counters.getMany(keys)).every(({ found }) => !found));
  });

  for (const longMs of [2_147_483_648, 30 * 86_400_000, 1e12]) {
    everywhere(`T06 a lifetime, a window and a set of ${longMs} ms are in force a minute later`, async ({ counters, key, clock }) => {
      const log = { type: 'sliding-log', windowMs: longMs } as const;
      const unique = { type: 'unique', windowMs: longMs } as const;
      await counters.add(key, 2, { ttlMs: longMs });
      await counters.add(key, 2, log);
      await counters.add(key, 1, { ...unique, member: 'm' });
      clock.advance(60_000);
      assert.deepEqual(await counters.get(key), { value: 2, found: true, exact: true, ttlMs: longMs - 60_000 });
      assert.equal((await counters.get(key, log)).value, 2);
      assert.equal((await counters.get(key, unique)).value, 1);
    });
  }

  once('T06 a flush interval above 2^31 − 1 ms is INVALID_CONFIG', async ({ tallystick: _ }) => {
    await withFolder(async (folder) => {
      const own = await openStore(store, manualClock(), folder);
      assert.throws(() => createTallystick({ store: own, flushEveryMs: 2_147_483_648 }), { code: 'INVALID_CONFIG', field: 'flushEveryMs' });
      await own.close();
    });
  });

  once('T07 clock steps of −11 s, −24 h and +24 h: never more than 10 s left, and the window ends within 10 s of running clock', async () => {
    await using world = await openWorld(store);
    const { clock, doors } = world;
    const add = (): ReturnType<typeof doors.HTTP.add> => doors.HTTP.add('k', 1, { ttlMs: 10_000 });
    for (let i = 1; i <= 3; i++) assert.equal((await add()).value, i);
    for (const [stepMs, value] of [[-11_000, 4], [-86_400_000, 5]] as const) {
      clock.advance(stepMs);
      const { value: counted, ttlMs = Infinity } = await add();
      assert.equal(counted, value);
      assert.ok(ttlMs >= 1 && ttlMs <= 10_000, `${ttlMs} ms`);
    }
    clock.advance(10_000);
    assert.equal((await add()).value, 1);
    clock.advance(86_400_000);
    assert.deepEqual([(await add()).value, (await add()).ttlMs], [1, 10_000]);
  });

  everywhere('T09 5 hits on each side of a minute: a lifetime from the first hit counts 10, and so does a window of 60 s', async ({ counters, key, clock }) => {
    const kinds = [{ ttlMs: 60_000 }, { type: 'sliding-log', windowMs: 60_000 }, { type: 'sliding-window', windowMs: 60_000, slices: SLICES }] as const;
    clock.set(Math.ceil(clock() / 60_000) * 60_000 + 59_900);
    for (const kind of kinds) for (let i = 0; i < 5; i++) await counters.add(key, 1, kind);
    clock.advance(200);
    for (const kind of kinds) assert.equal((await counters.add(key, 5, kind)).value, 10);
  });

  once('T09 a window in slices counts what is younger than the window, and nothing older than one slice more', async ({ counters, key, clock }) => {
    const events: number[] = [];
    for (let i = 0; i < 120; i++) {
      clock.advance((i * 37) % 900);
      events.push(clock());
      const { value } = await counters.add(key, 1, { type: 'sliding-window', windowMs: 6000, slices: SLICES });
      const within = (spanMs: number): number => events.filter((atMs) => clock() - atMs < spanMs).length;
      assert.ok(value >= within(6000) && value <= within(7000), `${value} at ${i}`);
    }
  });

  everywhere('T11 3 hits at 0 s are 3 until 9.999 s and 0 from exactly 10 s, for a log and for a lifetime', async ({ counters, key, clock }) => {
    await counters.add(key, 3, LOG);
    await counters.add(key, 3, { ttlMs: 10_000 });
    clock.advance(9999);
    assert.deepEqual([(await counters.get(key, LOG)).value, (await counters.get(key)).value], [3, 3]);
    clock.advance(1);
    assert.deepEqual([(await counters.get(key, LOG)).value, (await counters.get(key)).value], [0, 0]);
    clock.advance(1);
    assert.equal((await counters.add(key, 1, LOG)).value, 1);
  });

  once('T12 100 hits of one millisecond through all doors are 100', async ({ doors, key }) => {
    const all = Object.values(doors);
    await Promise.all(times(100, (i) => all[i % all.length]!.add(key, 1, LOG)));
    for (const door of all) assert.equal((await door.get(key, LOG)).value, 100);
  });

  everywhere('T13 each key has a window of its own: A at 0 s, B at 7 s is 2 at 12 s and 1 at 17 s', async ({ counters, key, clock }) => {
    const hit = async (name: string): Promise<number> => (await counters.add(`${key}:${name}`, 1, { ttlMs: 10_000 })).value;
    assert.equal(await hit('A'), 1);
    clock.advance(7000);
    assert.equal(await hit('B'), 1);
    clock.advance(5000);
    assert.deepEqual([await hit('B'), await hit('A')], [2, 1]);
    clock.advance(5000);
    assert.equal(await hit('B'), 1);
  });

  once('T17 with a clock that moves at every reading, a counter of 1 ms is judged in one period: each batch counts 1, 2, 3', async () => {
    const standing = manualClock();
    const ticking = Object.assign(() => (standing.advance(1), standing()), standing);
    await using world = await openWorld(store, { clock: ticking });
    for (let round = 0; round < 5; round++) {
      const results = await world.doors.HTTP.addMany(times(3, () => ({ key: 'k', ttlMs: 1 })));
      assert.deepEqual(results.map(({ value }) => value), [1, 2, 3]);
    }
  });

  everywhere('T19 no add changes a lifetime: 50 s, after 20 s 30 s, and after 30 s more it stays absent', async ({ counters, key, clock }) => {
    await counters.add(key, 1, { ttlMs: 50_000 });
    clock.advance(20_000);
    for (const options of [undefined, { max: 9 }, { ttlMs: 90_000 }]) await counters.add(key, 1, options);
    assert.deepEqual(await counters.get(key), { value: 4, found: true, exact: true, ttlMs: 30_000 });
    clock.advance(30_000);
    assert.equal((await counters.add(key, 0, { ttlMs: 50_000 })).value, 0);
    assert.deepEqual(await counters.get(key), { value: 0, found: false, exact: true });
  });

  everywhere('T22 20,000 counters expire at once and every other one answers within 1 s and right', async ({ counters, key, clock }) => {
    for (let from = 0; from < 20_000; from += 1000) await counters.addMany(times(1000, (i) => ({ key: `${key}:${from + i}`, ttlMs: 30_000 })));
    clock.advance(30_000);
    const began = performance.now();
    for (let i = 1, last = began; performance.now() - began < 1200; i++) {
      assert.equal((await counters.add(key)).value, i);
      assert.ok(performance.now() - last < 1000, `${performance.now() - last} ms`);
      last = performance.now();
    }
    assert.equal((await counters.get(`${key}:7`)).found, false);
  });

  if (store === 'sqlite') {
    once('T19 reopened after 20 s, a counter of 50 s has 30 s left, one that expired meanwhile is absent, one without stays', () =>
      withFolder(async (folder) => {
        const clock = manualClock();
        const first = createTallystick({ store: await openStore(store, clock, folder) });
        await first.counters.add('lives', 5, { ttlMs: 50_000 });
        await first.counters.add('ends', 5, { ttlMs: 20_000 });
        await first.counters.add('stays', 5);
        await first.counters.add('log', 5, { type: 'sliding-log', windowMs: 20_001 });
        await first.close();
        clock.advance(20_000);
        const second = createTallystick({ store: await openStore(store, clock, folder) });
        assert.deepEqual(await second.counters.getMany(['lives', 'ends', 'stays', { key: 'log', type: 'sliding-log', windowMs: 20_001 }]), [
          { value: 5, found: true, exact: true, ttlMs: 30_000 },
          { value: 0, found: false, exact: true },
          { value: 5, found: true, exact: true },
          { value: 5, found: true, exact: true },
        ]);
        assert.equal((await second.counters.add('lives', 1, { ttlMs: 90_000 })).ttlMs, 30_000);
        await second.close();
      }));
  }
});
