import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Verdict } from '../../model/decision.ts';
import type { LimitAction, LimitRule, LimitsTerms } from '../../model/limit.ts';
import type { Operation } from '../../model/operation.ts';
import type { Limits } from './cells.ts';
import { limits } from './index.ts';

const WINDOW_MS = 1000;
const STARTS_MS = 1_700_000_000_000;

/** One rule of each algorithm and mode, and its promise: the most units in any span of the window's length. */
const SHAPES: Record<string, { rule: (limit: number) => LimitRule; peak: (limit: number) => number }> = {
  'fixed window from the first take': {
    rule: (limit) => ({ name: 'r', id: 'first', limit, algorithm: 'fixed-window', windowMs: WINDOW_MS, align: 'first' }),
    peak: (limit) => 2 * limit,
  },
  'fixed window by the clock': {
    rule: (limit) => ({ name: 'r', id: 'clock', limit, algorithm: 'fixed-window', windowMs: WINDOW_MS, align: 'clock' }),
    peak: (limit) => 2 * limit,
  },
  'sliding window, conservative': {
    rule: (limit) => ({ name: 'r', id: 'slices', limit, algorithm: 'sliding-window', windowMs: WINDOW_MS, slices: 7, mode: 'conservative' }),
    peak: (limit) => limit,
  },
  'sliding window, interpolated': {
    rule: (limit) => ({ name: 'r', id: 'parts', limit, algorithm: 'sliding-window', windowMs: WINDOW_MS, slices: 7, mode: 'interpolated' }),
    peak: (limit) => Math.max(limit, 2 * limit - 1),
  },
  'sliding log': {
    rule: (limit) => ({ name: 'r', id: 'log', limit, algorithm: 'sliding-log', windowMs: WINDOW_MS }),
    peak: (limit) => limit,
  },
  'token bucket': {
    rule: (limit) => ({ name: 'r', id: 'bucket', limit, algorithm: 'token-bucket', windowMs: WINDOW_MS, burst: limit }),
    peak: (limit) => 2 * limit,
  },
  concurrency: {
    rule: (limit) => ({ name: 'r', id: 'leases', limit, algorithm: 'concurrency', leaseMs: WINDOW_MS }),
    peak: (limit) => limit,
  },
};

/** A subject, and how it is spoken to. */
class Subject {
  state: Limits | undefined;

  act(action: LimitAction, rules: readonly LimitRule[], nowMs: number, more: Partial<LimitsTerms> & Pick<Partial<Operation>, 'delta' | 'member' | 'effect'> = {}) {
    const { delta, member, effect, cost = 1, ...rest } = more;
    const terms: LimitsTerms = { kind: 'limits', action, rules, cost, ...rest };
    const [result, state] = limits.apply(this.state, { key: 's', delta: delta ?? cost, terms, member, effect }, nowMs);
    this.state = state;
    return result;
  }

  take(rules: readonly LimitRule[], nowMs: number, cost = 1): Verdict {
    return this.act('take', rules, nowMs, { cost }).verdict ?? assert.fail('a verdict');
  }
}

const shapes = Object.entries(SHAPES);
const limit = fc.constantFrom(0, 1, 2, 3, 10);
/** Milliseconds between takes: bursts, steady streams, and just around the borders of windows and slices. */
const gaps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 }), fc.constantFrom(142, 143, 999, 1000, 1001, 1100, 1143)), { maxLength: 120 });

/** The most units granted in any span of `spanMs`. */
function peakOf(grants: readonly { atMs: number; units: number }[], spanMs: number): number {
  const spans = grants.map(({ atMs }) => grants.filter((other) => other.atMs <= atMs && other.atMs > atMs - spanMs));
  return Math.max(0, ...spans.map((span) => span.reduce((sum, { units }) => sum + units, 0)));
}

for (const [name, { rule, peak }] of shapes) {
  describe(`limits: ${name}`, () => {
    it('keeps its promise whatever comes, and never says that less than nothing is left', () => {
      fc.assert(fc.property(limit, gaps, fc.constantFrom(1, 2), (most, trace, cost) => {
        const subject = new Subject();
        const grants: { atMs: number; units: number }[] = [];
        let nowMs = STARTS_MS;
        for (const gapMs of trace) {
          nowMs += gapMs;
          const { granted, denied } = subject.take([rule(most)], nowMs, cost);
          if (granted !== undefined) grants.push({ atMs: nowMs, units: cost });
          const { remaining } = (granted ?? denied)!;
          assert.ok(Number.isSafeInteger(remaining) && remaining >= 0 && remaining <= most, String(remaining));
        }
        assert.ok(peakOf(grants, WINDOW_MS) <= peak(most), `${peakOf(grants, WINDOW_MS)} of ${most}`);
      }), { numRuns: 300 });
    });

    it('grants under a uniform load at least slices / (slices + 1) of the limit', () => {
      const subject = new Subject();
      const most = 70;
      let granted = 0;
      for (let i = 0; i < 20 * 200; i++) if (subject.take([rule(most)], STARTS_MS + i * 5).granted !== undefined) granted++;
      assert.ok(granted >= Math.floor((20 * most * 7) / 8) && granted <= 21 * most, String(granted));
    });

    for (const most of [0, 1, 2, 10]) {
      it(`grants exactly ${most} at the edge, and says what is left (L13)`, () => {
        const subject = new Subject();
        const left = Array.from({ length: most + 5 }, () => subject.take([rule(most)], STARTS_MS));
        assert.equal(left.filter(({ granted }) => granted !== undefined).length, most);
        assert.deepEqual(left.map(({ granted, denied }) => (granted ?? denied)!.remaining), left.map((_, i) => Math.max(0, most - 1 - i)));
      });
    }

    it('grants after the wait that a denial names, and not a millisecond before', () => {
      fc.assert(fc.property(limit, gaps, fc.constantFrom(1, 2, 3), (most, trace, cost) => {
        const subject = new Subject();
        let nowMs = STARTS_MS;
        for (const gapMs of trace) {
          nowMs += gapMs;
          const { denied } = subject.take([rule(most)], nowMs, cost);
          if (denied === undefined) continue;
          assert.equal(denied.retryAtMs === null, cost > most);
          if (denied.retryAtMs === null) continue;
          assert.ok(denied.retryAtMs > nowMs);
          assert.ok(subject.act('peek', [rule(most)], denied.retryAtMs - 1, { cost }).verdict?.denied !== undefined);
          assert.ok(subject.act('peek', [rule(most)], denied.retryAtMs, { cost }).verdict?.granted !== undefined);
        }
      }), { numRuns: 200 });
    });

    it('says to callers in one operation what it says to them one by one', () => {
      fc.assert(fc.property(limit, gaps, fc.integer({ min: 1, max: 6 }), (most, trace, callers) => {
        const [together, singly] = [new Subject(), new Subject()];
        let nowMs = STARTS_MS;
        for (const gapMs of trace) {
          nowMs += gapMs;
          const { delta } = together.act('take', [rule(most)], nowMs, { cost: 2, delta: 2 * callers });
          const one = Array.from({ length: callers }, () => singly.act('take', [rule(most)], nowMs, { cost: 2 }).delta);
          assert.equal(delta, one.reduce((a, b) => a + b, 0));
          assert.deepEqual(one, one.toSorted((a, b) => b - a));
        }
      }), { numRuns: 100 });
    });

    it('changes nothing by a peek or a denial (L11, L02)', () => {
      const subject = new Subject();
      for (let i = 0; i < 4; i++) subject.take([rule(10)], STARTS_MS + i);
      const before = structuredClone(subject.state);
      assert.equal(subject.take([rule(10)], STARTS_MS + 5, 50).denied?.remaining, 6);
      subject.act('peek', [rule(10)], STARTS_MS + 5);
      assert.deepEqual(subject.state, before);
      assert.notEqual(subject.take([rule(10)], STARTS_MS + 5, 6).granted, undefined);
      assert.equal(subject.take([rule(10)], STARTS_MS + 5).denied?.remaining, 0);
    });

    it('is as good as new once nothing counts any more', () => {
      const subject = new Subject();
      for (let i = 0; i < 10; i++) subject.take([rule(10)], STARTS_MS + 30 * i);
      const endMs = limits.expiresAtMs(subject.state!) ?? assert.fail('an end');
      assert.equal(limits.read(subject.state!, endMs - 1), 1);
      assert.equal(limits.read(subject.state!, endMs), undefined);
      assert.equal(subject.act('peek', [rule(10)], endMs).verdict?.granted?.remaining, 10);
    });

    it('applies an effect as it was decided, and nothing of one that counts no more', () => {
      const subject = new Subject();
      assert.equal(subject.act('take', [rule(2)], STARTS_MS + 1, { delta: 5, effect: { atMs: STARTS_MS } }).delta, 5);
      assert.equal(subject.take([rule(2)], STARTS_MS + 1).denied?.remaining, 0);
      const late = new Subject();
      late.act('take', [rule(2)], STARTS_MS, { delta: 2, effect: { atMs: STARTS_MS - 3 * WINDOW_MS } });
      assert.equal(late.take([rule(2)], STARTS_MS).granted?.remaining, 1);
    });
  });
}

describe('limits: several rules of a subject', () => {
  const minute = (most: number): LimitRule => ({ name: 'minute', id: 'minute', limit: most, algorithm: 'fixed-window', windowMs: 60_000, align: 'first' });
  const day: LimitRule = { name: 'day', id: 'day', limit: 50, algorithm: 'fixed-window', windowMs: 86_400_000, align: 'first' };

  for (const rules of [[minute(5), day], [day, minute(5)]]) {
    it(`charge all or none, in any order: ${rules.map(({ name }) => name).join(', ')} (L01, K12)`, () => {
      const subject = new Subject();
      for (let i = 0; i < 5; i++) assert.equal(subject.take(rules, STARTS_MS).granted?.rule, 'minute');
      for (let i = 0; i < 15; i++) assert.equal(subject.take(rules, STARTS_MS).denied?.rule, 'minute');
      assert.equal(subject.act('peek', [day], STARTS_MS).verdict?.granted?.remaining, 45);
    });
  }

  it('let an edited limit hold from the next take on (L09)', () => {
    const subject = new Subject();
    assert.equal(subject.act('take', [minute(1000)], STARTS_MS, { delta: 500 }).delta, 500);
    assert.equal(subject.take([minute(400)], STARTS_MS).denied?.remaining, 0);
    assert.equal(subject.act('take', [minute(600)], STARTS_MS, { delta: 300 }).delta, 100);
  });

  it('name the rule to wait for longest', () => {
    const subject = new Subject();
    subject.act('take', [minute(5), { ...day, limit: 5 }], STARTS_MS, { delta: 5 });
    assert.equal(subject.take([minute(5), { ...day, limit: 5 }], STARTS_MS).denied?.retryAtMs, STARTS_MS + 86_400_000);
  });
});

describe('limits: refund, penalty, reset and block', () => {
  const rule: LimitRule = { name: 'r', id: 'r', limit: 2, algorithm: 'fixed-window', windowMs: 10_000, align: 'clock' };

  it('a refund never takes a count below zero, and creates nothing (L06)', () => {
    const subject = new Subject();
    subject.act('refund', [rule], STARTS_MS);
    assert.equal(subject.state, undefined);
    subject.take([rule], STARTS_MS);
    subject.act('refund', [rule], STARTS_MS, { delta: 5 });
    assert.equal(subject.act('take', [rule], STARTS_MS, { delta: 3 }).delta, 2);
  });

  it('a refund goes to the window it came from (L07)', () => {
    const subject = new Subject();
    subject.take([rule], STARTS_MS + 9900);
    subject.take([rule], STARTS_MS + 10_050);
    subject.act('refund', [rule], STARTS_MS + 10_100, { takenAtMs: STARTS_MS + 9900 });
    assert.equal(subject.act('peek', [rule], STARTS_MS + 10_100).verdict?.granted?.remaining, 1);
  });

  it('a lease is free again when it is released by its name', () => {
    const leases: LimitRule = { name: 'l', id: 'l', limit: 1, algorithm: 'concurrency', leaseMs: 5000 };
    const subject = new Subject();
    subject.act('take', [leases], STARTS_MS, { member: 'a' });
    subject.act('refund', [leases], STARTS_MS, { member: 'b' });
    assert.equal(subject.take([leases], STARTS_MS).denied?.retryAtMs, STARTS_MS + 5000);
    subject.act('refund', [leases], STARTS_MS, { member: 'a' });
    assert.notEqual(subject.take([leases], STARTS_MS).granted, undefined);
  });

  it('a penalty is charged without asking, and a reset ends it', () => {
    const subject = new Subject();
    subject.act('penalize', [rule], STARTS_MS, { delta: 7 });
    assert.equal(subject.take([rule], STARTS_MS).denied?.remaining, 0);
    subject.act('reset', [rule], STARTS_MS);
    assert.equal(subject.take([rule], STARTS_MS).granted?.remaining, 1);
  });

  it('a block outlasts the window, and one without an end stays (L05)', () => {
    const subject = new Subject();
    subject.act('block', [], STARTS_MS, { blockMs: 60_000 });
    assert.deepEqual(subject.act('peek', [rule], STARTS_MS + 6000).verdict, {
      atMs: STARTS_MS + 6000,
      denied: { rule: null, limit: 0, remaining: 0, resetAtMs: STARTS_MS + 60_000, retryAtMs: STARTS_MS + 60_000 },
    });
    assert.notEqual(subject.take([rule], STARTS_MS + 60_000).granted, undefined);
    subject.act('block', [], STARTS_MS);
    for (let i = 0; i < 10; i++) assert.equal(subject.take([rule], STARTS_MS + i * 1e9).denied?.retryAtMs, null);
    subject.act('unblock', [], STARTS_MS + 1e11);
    assert.notEqual(subject.take([rule], STARTS_MS + 1e11).granted, undefined);
  });

  it('refuses amounts that are none, and a take without rules', () => {
    const subject = new Subject();
    assert.equal(subject.act('take', [rule], STARTS_MS, { delta: -5 }).code, 'INVALID_AMOUNT');
    assert.equal(subject.act('take', [rule], STARTS_MS, { cost: 2, delta: 3 }).code, 'INVALID_AMOUNT');
    assert.equal(subject.act('take', [], STARTS_MS).code, 'INVALID_ARGUMENT');
    assert.equal(subject.state, undefined);
  });
});

describe('limits: a token bucket', () => {
  it('is full again in time after a penalty of any height', () => {
    const subject = new Subject();
    const rule: LimitRule = { name: 'r', id: 'r', limit: 7, algorithm: 'token-bucket', windowMs: 1000, burst: 14 };
    subject.act('penalize', [rule], STARTS_MS, { delta: Number.MAX_SAFE_INTEGER });
    assert.equal(subject.take([rule], STARTS_MS).denied?.resetAtMs, STARTS_MS + 2000);
    assert.equal(subject.act('peek', [rule], STARTS_MS + 2000).verdict?.granted?.remaining, 14);
  });

  it('does not drift: the last hour of twelve grants what the first did (L14, N10)', () => {
    const subject = new Subject();
    const rule: LimitRule = { name: 'r', id: 'r', limit: 7, algorithm: 'token-bucket', windowMs: 1000, burst: 1 };
    const hours = new Array<number>(12).fill(0);
    for (let ms = 0; ms < 12 * 3_600_000; ms += 97) if (subject.take([rule], STARTS_MS + ms).granted) hours[Math.floor(ms / 3_600_000)]!++;
    assert.ok(Math.abs(hours[11]! - hours[0]!) <= hours[0]! / 1000, hours.join(' '));
  });
});
