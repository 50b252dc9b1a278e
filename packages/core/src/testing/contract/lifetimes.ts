/** Lifetimes: creation, amount and expiry are one step, by one clock that never runs back. */
import assert from 'node:assert/strict';
import type { Clock } from '../../model/clock.ts';
import type { Terms } from '../../model/operation.ts';
import type { Check } from './session.ts';

const living = (ttlMs: number): { terms: Terms } => ({ terms: { kind: 'count', ttlMs } });

/** 25 days, 30 days, and a thousand million seconds: all beyond the 2^31 ms of a timer. */
const LONG_MS = [2_147_483_648, 30 * 86_400_000, 1e12];

export function checkLifetimes(check: Check): void {
  check('starts a lifetime at the first add and never renews it (T04)', async (s) => {
    const endsMs = s.clock() + 10_000;
    const values = [];
    for (let i = 0; i < 11; i++) {
      const { value, expiresAtMs } = await s.add('k', 1, living(10_000));
      values.push(value);
      if (i < 2) assert.equal(expiresAtMs, endsMs);
      s.clock.advance(6000);
    }
    assert.deepEqual(values, [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1]);
  });

  check('ends a counter when a calendar says so, by when it is created; after all of these times by its lifetime', async (s) => {
    const [dayMs, nowMs] = [86_400_000, s.clock()];
    const ends = [[nowMs - 1, nowMs], [nowMs + 5, nowMs + 1000], [nowMs + dayMs, nowMs + 2 * dayMs]] as const;
    const { expiresAtMs } = await s.add('k', 1, { terms: { kind: 'count', ttlMs: 7000, ends } });
    assert.equal(expiresAtMs, nowMs + 1000);
    s.clock.advance(5);
    assert.equal((await s.add('k', 1, { terms: { kind: 'count', ttlMs: 7000, ends } })).expiresAtMs, nowMs + 1000, 'at creation only');
    assert.equal((await s.add('edge', 1, { terms: { kind: 'count', ttlMs: 7000, ends } })).expiresAtMs, nowMs + 2 * dayMs, 'created at the edge, not before it');
    s.clock.advance(995);
    const again = await s.add('k', 1, { terms: { kind: 'count', ttlMs: 7000, ends } });
    assert.deepEqual([again.value, again.expiresAtMs], [1, nowMs + 2 * dayMs]);
    s.clock.advance(2 * dayMs);
    const late = await s.add('k', 1, { terms: { kind: 'count', ttlMs: 7000, ends } });
    assert.deepEqual([late.value, late.expiresAtMs], [1, s.clock() + 7000]);
  });

  check('counts until the last millisecond and no longer (T11)', async (s) => {
    await s.add('k', 3, living(10_000));
    s.clock.advance(9999);
    assert.deepEqual(await s.reading('k'), { value: 3, found: true, ttlMs: 1 });
    s.clock.advance(1);
    assert.deepEqual(await s.reading('k'), { value: 0, found: false });
    assert.equal((await s.add('k', 1, living(10_000))).value, 1);
  });

  check('carries no count into a renewed lifetime, whenever the hits come (T03)', async (s) => {
    for (let i = 0, offMs = 0; i < 200; i++) {
      const { value, expiresAtMs } = await s.add('k', 1, living(1000));
      const ttlMs = (expiresAtMs ?? Infinity) - s.clock();
      assert.ok(ttlMs >= 1 && ttlMs <= 1000, `${ttlMs} ms`);
      assert.equal(value === 1, ttlMs === 1000, 'a new lifetime starts from nothing');
      const jitterMs = (i * 7) % 3;
      s.clock.advance(1000 + jitterMs - offMs);
      offMs = jitterMs;
    }
  });

  check('lets nothing that should expire live on (T05)', async (s) => {
    const kinds: Terms[] = [
      { kind: 'count', ttlMs: 2000 },
      { kind: 'log', windowMs: 2000 },
      { kind: 'window', windowMs: 2000, slices: 4 },
      { kind: 'unique', windowMs: 2000 },
      { kind: 'sketch', windowMs: 2000, slices: 2 },
    ];
    const keys = Array.from({ length: 200 }, (_, i) => `k${i}`);
    for (const terms of kinds) await s.send(keys.map((key) => ({ key, delta: 1, terms, member: 'm' })));
    for (const { ttlMs } of await s.store.read(0, keys.map((key) => ({ key })))) assert.equal(ttlMs, 2000);
    s.clock.advance(10_000);
    for (const terms of kinds) {
      const readings = await s.store.read(0, keys.map((key) => ({ key, terms })));
      assert.ok(readings.every(({ found, value }) => !found && value === 0), terms.kind);
    }
  });

  for (const longMs of LONG_MS) {
    check(`takes lifetimes and windows of ${longMs} ms (T06)`, async (s) => {
      const unique = { kind: 'unique', windowMs: longMs } as const;
      await s.add('k', 1, living(longMs));
      await s.add('k', 1, { terms: unique, member: 'm' });
      s.clock.advance(60_000);
      assert.deepEqual(await s.reading('k'), { value: 1, found: true, ttlMs: longMs - 60_000 });
      s.clock.advance(longMs - 60_001);
      assert.equal(await s.value('k', unique), 1);
      s.clock.advance(1);
      assert.equal((await s.reading('k')).found, false);
      assert.equal((await s.reading('k', unique)).found, false);
    });
  }

  check('never runs back when its clock is set back, nor holds a lifetime longer for it (T07)', async (s) => {
    let beforeMs = 0;
    let endsMs = Infinity;
    let setBackMs = 0;
    for (const byMs of [0, 3000, -11_000, 500, -24 * 3_600_000, 500, 24 * 3_600_000, 100]) {
      s.clock.advance(byMs);
      if (byMs < 0) setBackMs -= byMs;
      const operations = [{ key: 'k', delta: 1, ...living(10_000) }];
      const answer = await s.send(operations);
      assert.ok(answer.atMs >= beforeMs, 'time ran back');
      beforeMs = answer.atMs;
      const { expiresAtMs = Infinity } = answer.notes[0] ?? {};
      assert.ok(expiresAtMs - answer.atMs >= 1 && expiresAtMs - answer.atMs <= 10_000);
      if (beforeMs < endsMs && endsMs !== Infinity) assert.equal(expiresAtMs, endsMs);
      endsMs = expiresAtMs;
      assert.equal(answer.atMs, s.clock() + setBackMs, 'time goes on at the pace of the clock');
    }
  });

  let readings = 0;
  const ticking: Clock = () => 1_700_000_000_000 + readings++;
  check('reads its clock once for a batch (T17)', async (s) => {
    const operations = Array.from({ length: 20 }, (_, i) => ({ key: `k${i}`, delta: 1, ...living(1) }));
    const { atMs, notes } = await s.send([...operations, ...operations]);
    assert.deepEqual(notes.map(({ expiresAtMs }) => expiresAtMs), notes.map(() => atMs + 1));
    assert.deepEqual(notes.map(({ value }) => value), [...operations.map(() => 1), ...operations.map(() => 2)]);
  }, { clock: ticking });

  check('keeps the lifetime through every later add, and revives nothing that is over (T19)', async (s) => {
    await s.add('k', 1, living(50_000));
    s.clock.advance(20_000);
    for (const terms of [undefined, { kind: 'count', max: 9 }, { kind: 'count', ttlMs: 90_000 }] as const) await s.add('k', 1, { terms });
    assert.deepEqual(await s.reading('k'), { value: 4, found: true, ttlMs: 30_000 });
    s.clock.advance(30_000);
    assert.deepEqual(await s.add('k', 0, living(50_000)), { value: 0, delta: 0 });
    assert.equal((await s.reading('k')).found, false);
  });

  check('gives a counter that is found without a lifetime one, and says so (C7, T01)', async (s) => {
    await s.add('k', 5);
    const repaired = await s.add('k', 1, living(10_000));
    assert.deepEqual(repaired, { value: 6, delta: 1, expiresAtMs: s.clock() + 10_000, repaired: true });
    s.clock.advance(10_000);
    assert.deepEqual(await s.add('k', 1, living(10_000)), { value: 1, delta: 1, expiresAtMs: s.clock() + 10_000 });
  });

  check('keeps one key\'s lifetime apart from another\'s (T13)', async (s) => {
    await s.add('a', 1, living(10_000));
    s.clock.advance(7000);
    await s.add('b', 1, living(10_000));
    s.clock.advance(5000);
    assert.equal((await s.add('b', 1, living(10_000))).value, 2);
    assert.equal((await s.add('a', 1, living(10_000))).value, 1);
    s.clock.advance(5000);
    assert.equal((await s.add('b', 1, living(10_000))).value, 1);
  });
}
