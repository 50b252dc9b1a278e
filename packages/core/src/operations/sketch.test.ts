import assert from 'node:assert/strict';
import { deserialize, serialize } from 'node:v8';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Operation, SketchTerms } from '../model/operation.ts';
import { sketch, type Sketch } from './sketch.ts';

const terms: SketchTerms = { kind: 'sketch', windowMs: 6000, slices: 6 };
const seeing = (member: string, atMs?: number): Operation => ({
  key: 'k',
  delta: 1,
  terms,
  member,
  ...(atMs !== undefined && { effect: { atMs } }),
});

/** Applies sights in order and returns the state. */
function after(sights: readonly (readonly [number, string])[], from?: Sketch): Sketch | undefined {
  let state = from;
  for (const [nowMs, member] of sights) state = sketch.apply(state, seeing(member), nowMs)[1];
  return state;
}

describe('sketch', () => {
  it('answers the estimate after each touch, and a delta that says whether the registers changed', () => {
    const [first, one] = sketch.apply(undefined, seeing('a'), 1000);
    assert.deepEqual(first, { value: 1, delta: 1 });
    const [again, same] = sketch.apply(one, seeing('a'), 1001);
    assert.deepEqual(again, { value: 1, delta: 0 });
    assert.deepEqual(sketch.apply(same, seeing('b'), 1002)[0], { value: 2, delta: 1 });
  });

  it('keeps its bound: a member counts for windowMs, and for no more than one slice longer', () => {
    const at = fc.integer({ min: 0, max: 20_000 });
    const member = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    fc.assert(
      fc.property(fc.array(fc.tuple(at, member), { maxLength: 40 }), at, (unsorted, pauseMs) => {
        const sights = unsorted.sort((x, y) => x[0] - y[0]);
        const nowMs = (sights.at(-1)?.[0] ?? 0) + pauseMs;
        const distinct = (spanMs: number): number =>
          new Set(sights.filter(([t]) => t > nowMs - spanMs).map(([, name]) => name)).size;
        const state = after(sights);
        const value = state === undefined ? 0 : (sketch.read(state, nowMs) ?? 0);
        assert.ok(value >= distinct(6000), `${value} is less than the window's`);
        assert.ok(value <= distinct(7000), `${value} is more than that of one slice more`);
      }),
    );
  });

  it('renews a member that is seen again', () => {
    const state = after([[0, 'a'], [5000, 'a']]);
    assert.equal(sketch.read(state!, 10_999), 1);
    assert.equal(sketch.read(state!, 12_000), undefined);
  });

  it('does not let reads change what is answered later', () => {
    const sights = [[0, 'a'], [1500, 'b'], [4000, 'c']] as const;
    const plain = after(sights)!;
    const busy = after(sights)!;
    for (let t = 4000; t < 7500; t += 100) sketch.read(busy, t);
    const expiresAtMs = sketch.expiresAtMs(plain);
    assert.equal(sketch.expiresAtMs(busy), expiresAtMs);
    assert.deepEqual(sketch.apply(busy, seeing('d'), 7500), sketch.apply(plain, seeing('d'), 7500));
  });

  it('puts a late effect in its own slice, and drops one older than the ring', () => {
    const state = after([[10_000, 'now']])!;
    assert.deepEqual(sketch.apply(state, seeing('late', 6500), 10_000)[0], { value: 2, delta: 1 });
    assert.deepEqual(sketch.apply(state, seeing('lost', 3999), 10_000)[0], { value: 2, delta: 0 });
    assert.equal(sketch.read(state, 12_999), 2);
    assert.equal(sketch.read(state, 13_000), 1);
  });

  it('expires when nothing counts any more, and not before', () => {
    const state = after([[1500, 'a']])!;
    const expiresAtMs = sketch.expiresAtMs(state)!;
    assert.equal(sketch.read(state, expiresAtMs - 1), 1);
    assert.equal(sketch.read(state, expiresAtMs), undefined);
  });

  it('creates nothing for an amount of 0 or a member that is missing', () => {
    assert.deepEqual(sketch.apply(undefined, { key: 'k', delta: 0, terms, member: 'a' }, 5), [{ value: 0, delta: 0 }, undefined]);
    const [result, state] = sketch.apply(undefined, { key: 'k', delta: 1, terms }, 5);
    assert.deepEqual([result.code, state], ['INVALID_ARGUMENT', undefined]);
    assert.equal(sketch.apply(undefined, { key: 'k', delta: 2, terms, member: 'a' }, 5)[0].code, 'INVALID_ARGUMENT');
  });

  it('goes on after being serialised as if it had not been', () => {
    const sights = Array.from({ length: 300 }, (_, i) => [i * 20, `m${i % 90}`] as const);
    const straight = after(sights)!;
    const half = deserialize(serialize(after(sights.slice(0, 150)))) as Sketch;
    assert.deepEqual(after(sights.slice(150), half), straight);
  });

  it('walks the registers only when a slice leaves the window', () => {
    const userUs = (stepMs: number): number => {
      const sights = Array.from({ length: 1000 }, (_, i) => [60_000 + i * stepMs, `m${i}`] as const);
      const from = process.cpuUsage();
      after(sights);
      return process.cpuUsage(from).user;
    };
    userUs(0);
    const rotating = userUs(1000);
    assert.ok(userUs(0) < rotating / 5, 'CPU time of touches within a slice against touches of a new slice each');
  });
});
