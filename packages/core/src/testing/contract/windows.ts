/** Windows, sets and sketches: what counts, for how long, and within which bound. */
import assert from 'node:assert/strict';
import type { Terms } from '../../model/operation.ts';
import type { Check } from './session.ts';

const SLICES = 6;
const window = (windowMs: number): Terms => ({ kind: 'window', windowMs, slices: SLICES });
const log = (windowMs: number): Terms => ({ kind: 'log', windowMs });
const unique = (windowMs: number): Terms => ({ kind: 'unique', windowMs });
const sketch = (windowMs: number): Terms => ({ kind: 'sketch', windowMs, slices: SLICES });

export function checkWindows(check: Check): void {
  for (const terms of [log(60_000), window(60_000)]) {
    check(`counts five hits on each side of a minute together: ${terms.kind} (T09)`, async (s) => {
      s.clock.set(1_699_999_999_000);
      const minuteMs = Math.ceil(s.clock() / 60_000) * 60_000;
      s.clock.set(minuteMs - 100);
      for (let i = 0; i < 5; i++) await s.add('k', 1, { terms });
      s.clock.set(minuteMs + 100);
      for (let i = 6; i <= 10; i++) assert.equal((await s.add('k', 1, { terms })).value, i);
    });

    check(`counts every hit of one millisecond, whoever sends it: ${terms.kind} (T12)`, async (s) => {
      for (let i = 0; i < 100; i++) await s.add('k', 1, { terms }, { source: `s${i % 4}` });
      assert.equal(await s.value('k', terms), 100);
    });
  }

  check('a log no longer counts an event exactly one window after it (T11)', async (s) => {
    await s.add('k', 3, { terms: log(10_000) });
    s.clock.advance(9999);
    assert.equal(await s.value('k', log(10_000)), 3);
    s.clock.advance(1);
    assert.equal((await s.add('k', 1, { terms: log(10_000) })).value, 1);
  });

  check('a window counts no less than its length and no more than one slice longer', async (s) => {
    const events: number[] = [];
    const within = (spanMs: number): number => events.filter((atMs) => s.clock() - atMs < spanMs).length;
    for (let i = 0; i < 300; i++) {
      s.clock.advance((i * 37) % 900);
      events.push(s.clock());
      const { value } = await s.add('k', 1, { terms: window(6000) });
      assert.ok(value >= within(6000) && value <= within(6000 + 6000 / SLICES), `${value} at ${i}`);
    }
  });

  check('starts the window of each key by itself (T13)', async (s) => {
    await s.add('a', 1, { terms: log(10_000) });
    s.clock.advance(7000);
    await s.add('b', 1, { terms: log(10_000) });
    s.clock.advance(5000);
    assert.equal(await s.value('b', log(10_000)), 1);
    assert.equal(await s.value('a', log(10_000)), 0);
    s.clock.advance(5000);
    assert.equal(await s.value('b', log(10_000)), 0);
  });

  check('keeps all counters of one key apart: kinds, windows, slices (C4)', async (s) => {
    const all: Terms[] = [
      { kind: 'count' }, log(1000), log(60_000), window(1000), window(60_000),
      { kind: 'window', windowMs: 60_000, slices: 60 }, unique(1000), unique(60_000), sketch(1000), sketch(60_000),
    ];
    for (const [i, terms] of all.entries()) {
      const members = terms.kind === 'unique' || terms.kind === 'sketch' ? i + 1 : 1;
      for (let m = 0; m < members; m++) await s.add('k', members === 1 ? i + 1 : 1, { terms, member: `m${m}` });
    }
    const readings = await s.store.read(0, all.map((terms) => ({ key: 'k', terms })));
    assert.deepEqual(readings.map(({ value }) => value), all.map((_, i) => i + 1));
    // A key that looks like the inside of another's counter is just a key.
    for (const key of ['log:1000:k', 'unique:1000:k', 'count::k']) assert.equal((await s.reading(key)).found, false);
  });

  check('an amount below zero has no place in a window', async (s) => {
    for (const terms of [log(1000), window(1000)]) {
      await s.add('k', 2, { terms });
      assert.deepEqual(await s.add('k', -1, { terms }), { value: 2, delta: 0, code: 'INVALID_AMOUNT' });
    }
  });

  for (const terms of [unique(6000), sketch(6000)]) {
    check(`counts a member once and renews it when it is seen again: ${terms.kind} (C6)`, async (s) => {
      assert.deepEqual(await s.add('k', 1, { terms, member: 'a' }), { value: 1, delta: 1 });
      assert.deepEqual(await s.add('k', 1, { terms, member: 'b' }), { value: 2, delta: 1 });
      s.clock.advance(4000);
      assert.deepEqual(await s.add('k', 1, { terms, member: 'a' }), { value: 2, delta: 0 });
      s.clock.advance(3000);
      assert.equal(await s.value('k', terms), 1);
      s.clock.advance(4000);
      assert.deepEqual(await s.reading('k', terms), { value: 0, found: false });
    });

    check(`refuses an operation without a member, or with another amount than 1: ${terms.kind}`, async (s) => {
      assert.equal((await s.add('k', 1, { terms })).code, 'INVALID_ARGUMENT');
      assert.equal((await s.add('k', 2, { terms, member: 'a' })).code, 'INVALID_ARGUMENT');
      assert.equal((await s.reading('k', terms)).found, false);
    });
  }

  check('a set counts 20,000 members exactly, a sketch within four standard errors of 0.81 %', async (s) => {
    const members = 20_000;
    for (let from = 0; from < members; from += 5000) {
      const batch = Array.from({ length: 5000 }, (_, i) => ({ key: 'k', delta: 1, member: `user:${from + i}` }));
      await s.send(batch.map((op) => ({ ...op, terms: unique(60_000) })));
      await s.send(batch.map((op) => ({ ...op, terms: sketch(60_000) })));
    }
    assert.equal(await s.value('k', unique(60_000)), members);
    const estimate = await s.value('k', sketch(60_000));
    assert.ok(Math.abs(estimate / members - 1) < 4 * 0.0081, String(estimate));
  });
}
