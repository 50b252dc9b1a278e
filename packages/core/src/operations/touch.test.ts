import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Operation } from '../model/operation.ts';
import { MAX_MEMBERS, touch, type Members } from './touch.ts';

const WINDOW_MS = 100;
const op = (member: string | undefined, atMs?: number): Operation => ({
  key: 'k',
  delta: 1,
  terms: { kind: 'unique', windowMs: WINDOW_MS },
  member,
  ...(atMs !== undefined && { effect: { atMs } }),
});

const history = fc.array(
  fc.record({
    pauseMs: fc.nat(40),
    member: fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'),
    lateMs: fc.option(fc.integer({ min: -20, max: 150 }), { nil: undefined }),
    read: fc.boolean(),
  }),
  { maxLength: 60 },
);

describe('touch', () => {
  it('counts exactly the members seen in the last windowMs, also those whose effects come late', () => {
    fc.assert(
      fc.property(history, fc.nat(200), (steps, restMs) => {
        const last = new Map<string, number>();
        const live = (nowMs: number): number => [...last.values()].filter((atMs) => nowMs - atMs < WINDOW_MS).length;
        let state: Members | undefined;
        let nowMs = 1000;
        for (const { pauseMs, member, lateMs, read } of steps) {
          nowMs += pauseMs;
          if (read && state !== undefined) assert.equal(touch.read(state, nowMs) ?? 0, live(nowMs));
          const before = live(nowMs);
          const atMs = nowMs - (lateMs ?? 0);
          last.set(member, Math.max(last.get(member) ?? 0, atMs));
          const [result, next] = touch.apply(state, op(member, lateMs === undefined ? undefined : atMs), nowMs);
          assert.deepEqual(result, { value: live(nowMs), delta: live(nowMs) - before });
          state = next;
        }
        nowMs += restMs;
        assert.equal(state === undefined ? 0 : (touch.read(state, nowMs) ?? 0), live(nowMs));
        if (state !== undefined) assert.equal(touch.read(state, touch.expiresAtMs(state)!), undefined);
      }),
      { numRuns: 1000 },
    );
  });

  it('renews a member that is seen again, although the value does not change', () => {
    const [, one] = touch.apply(undefined, op('a'), 0);
    const [result, two] = touch.apply(one, op('a'), 60);
    assert.deepEqual(result, { value: 1, delta: 0 });
    assert.equal(touch.read(two!, 159), 1);
    assert.equal(touch.read(two!, 160), undefined);
  });

  it('keeps memory in proportion to the members, however often they are seen', () => {
    let state: Members | undefined;
    for (let i = 0; i < 10_000; i++) state = touch.apply(state, op(`m${i % 5}`), i / 1000)[1];
    assert.ok(state!.sights.length < 50, String(state!.sights.length));
    assert.equal(touch.read(state!, 10), 5);
  });

  it('takes a large set that moves on in one touch after the other, without walking it', () => {
    let state: Members | undefined;
    const members = 200_000;
    const terms = { kind: 'unique', windowMs: members } as const;
    const from = process.cpuUsage();
    for (let t = 0; t < 1.25 * members; t++) state = touch.apply(state, { key: 'k', delta: 1, terms, member: `m${t}` }, t)[1];
    assert.equal(touch.read(state!, 1.25 * members - 1), members);
    // Walking costs tens of seconds here; this takes about a third of one.
    assert.ok(process.cpuUsage(from).user < 3_000_000, `${process.cpuUsage(from).user} µs`);
  });

  it('refuses what is no member, and more members than it may keep', () => {
    assert.deepEqual(touch.apply(undefined, op(undefined), 0), [{ value: 0, delta: 0, code: 'INVALID_ARGUMENT' }, undefined]);
    assert.equal(touch.apply(undefined, { ...op('a'), delta: 2 }, 0)[0].code, 'INVALID_ARGUMENT');
    assert.deepEqual(touch.apply(undefined, { ...op('a'), delta: 0 }, 0), [{ value: 0, delta: 0 }, undefined]);
    const sights = Array.from({ length: MAX_MEMBERS }, (_, i) => `m${i}`);
    const sightsMs = sights.map(() => 0);
    const full: Members = { windowMs: WINDOW_MS, seenMs: new Map(sights.map((member) => [member, 0])), sights, sightsMs, head: 0 };
    const [refused, state] = touch.apply(full, op('new'), 1);
    assert.deepEqual(refused, { value: MAX_MEMBERS, delta: 0, code: 'STATE_TOO_LARGE' });
    assert.deepEqual(touch.apply(state, op('m7'), 1)[0], { value: MAX_MEMBERS, delta: 0 });
  });
});
