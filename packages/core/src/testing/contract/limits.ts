/** Limits: what is granted and denied, what is said of it, and what changes nothing. */
import assert from 'node:assert/strict';
import { MAX_VALUE } from '../../model/amount.ts';
import type { Result } from '../../model/answer.ts';
import { effectsOf } from '../../model/batch.ts';
import type { LimitAction, LimitRule, LimitsTerms } from '../../model/limit.ts';
import type { Operation } from '../../model/operation.ts';
import type { Check, Session } from './session.ts';

const WINDOW_MS = 10_000;

/** A rule of each algorithm. */
const rulesOf = (limit: number): readonly LimitRule[] => [
  { name: 'first', id: 'first', limit, algorithm: 'fixed-window', windowMs: WINDOW_MS, align: 'first' },
  { name: 'clock', id: 'clock', limit, algorithm: 'fixed-window', windowMs: WINDOW_MS, align: 'clock' },
  { name: 'slices', id: 'slices', limit, algorithm: 'sliding-window', windowMs: WINDOW_MS, slices: 10, mode: 'conservative' },
  { name: 'parts', id: 'parts', limit, algorithm: 'sliding-window', windowMs: WINDOW_MS, slices: 10, mode: 'interpolated' },
  { name: 'log', id: 'log', limit, algorithm: 'sliding-log', windowMs: WINDOW_MS },
  { name: 'bucket', id: 'bucket', limit, algorithm: 'token-bucket', windowMs: WINDOW_MS, burst: limit },
  { name: 'leases', id: 'leases', limit, algorithm: 'concurrency', leaseMs: WINDOW_MS },
];

const [first, , , , log] = rulesOf(10) as [LimitRule, LimitRule, LimitRule, LimitRule, LimitRule];
const minute: LimitRule = { name: 'minute', id: 'minute', limit: 5, algorithm: 'fixed-window', windowMs: 60_000, align: 'first' };

const termsOf = (action: LimitAction, rules: readonly LimitRule[], more: Partial<LimitsTerms> = {}): LimitsTerms =>
  ({ kind: 'limits', action, rules, cost: 1, ...more });

/** Does something with the limits of a subject. */
function act(s: Session, action: LimitAction, rules: readonly LimitRule[], more: Partial<Operation> & { readonly terms?: LimitsTerms } = {}): Promise<Result> {
  return s.add('u', 1, { terms: termsOf(action, rules), ...more });
}

const left = ({ verdict }: Result): number | undefined => (verdict?.granted ?? verdict?.denied)?.remaining;

export function checkLimits(check: Check): void {
  for (const limit of [0, 1, 2, 10]) {
    check(`grants exactly ${limit} at the edge under every algorithm, and says what is left (T10, L13)`, async (s) => {
      for (const rule of rulesOf(limit)) {
        const results: Result[] = [];
        for (let i = 0; i < limit + 3; i++) results.push(await s.add(rule.id, 1, { terms: termsOf('take', [rule]), member: `m${i}` }));
        assert.deepEqual(results.map(({ delta }) => delta), results.map((_, i) => (i < limit ? 1 : 0)), rule.id);
        assert.deepEqual(results.map(left), results.map((_, i) => Math.max(0, limit - 1 - i)), rule.id);
      }
    });
  }

  check('grants of a combined take as much as fits, in portions of its cost', async (s) => {
    const terms = termsOf('take', [log], { cost: 3 });
    const taken = await s.add('u', 15, { terms });
    assert.deepEqual([taken.value, taken.delta, taken.verdict?.granted?.remaining, taken.verdict?.denied?.remaining], [15, 9, 1, 1]);
    assert.equal(taken.verdict?.denied?.retryAtMs, s.clock() + WINDOW_MS);
  });

  check('charges all rules or none, whatever their order (L01, L02, K12)', async (s) => {
    for (let i = 0; i < 20; i++) await act(s, 'take', i % 2 === 0 ? [minute, first] : [first, minute]);
    assert.deepEqual([left(await act(s, 'peek', [minute])), left(await act(s, 'peek', [first]))], [0, 5]);
    const { verdict } = await act(s, 'take', [first, minute]);
    assert.deepEqual(verdict?.denied, { rule: 'minute', limit: 5, remaining: 0, resetAtMs: s.clock() + 60_000, retryAtMs: s.clock() + 60_000 });
  });

  check('names no time for what never fits (T21)', async (s) => {
    const { verdict } = await s.add('u', 11, { terms: termsOf('take', [first], { cost: 11 }) });
    assert.equal(verdict?.denied?.retryAtMs, null);
    assert.equal(left(await act(s, 'peek', [first])), 10);
  });

  check('gives units back to where they came from, never below nothing (L06, L07)', async (s) => {
    await act(s, 'refund', [first]);
    assert.equal((await s.reading('u', termsOf('peek', [first]))).found, false);
    const takenAtMs = s.clock();
    await act(s, 'take', [first]);
    s.clock.advance(WINDOW_MS);
    await act(s, 'take', [first]);
    await act(s, 'refund', [first], { terms: termsOf('refund', [first], { takenAtMs }) });
    assert.equal(left(await act(s, 'peek', [first])), 9);
  });

  check('blocks, unblocks, penalizes and resets a subject (L05)', async (s) => {
    await act(s, 'take', [first]);
    await act(s, 'block', [], { terms: termsOf('block', [], { blockMs: 6000 }) });
    s.clock.advance(1000);
    const denied = { rule: null, limit: 0, remaining: 0, resetAtMs: s.clock() + 5000, retryAtMs: s.clock() + 5000 };
    assert.deepEqual((await act(s, 'take', [first])).verdict, { atMs: s.clock(), denied });
    await act(s, 'block', []);
    s.clock.advance(400 * 86_400_000);
    assert.equal((await act(s, 'peek', [first])).verdict?.denied?.retryAtMs, null);
    await act(s, 'unblock', []);
    await s.add('u', 30, { terms: termsOf('penalize', [first]) });
    assert.equal(left(await act(s, 'peek', [first])), 0);
    await act(s, 'reset', [first]);
    assert.equal(left(await act(s, 'peek', [first])), 10);
  });

  check('says the same of a request id again, after what changed since (C12)', async (s) => {
    const asked = { requestId: 'r' };
    const answer = await act(s, 'take', [minute], asked);
    for (let i = 0; i < 9; i++) await act(s, 'take', [minute]);
    assert.deepEqual(await act(s, 'take', [minute], asked), { ...answer, replayed: true });
    const denied = await act(s, 'take', [minute], { requestId: 'd' });
    await act(s, 'reset', []);
    assert.deepEqual(await act(s, 'take', [minute], { requestId: 'd' }), { ...denied, replayed: true });
  });

  check('charges effects without asking, in the time they come from', async (s) => {
    const batch = s.batch([{ key: 'u', delta: 4, terms: termsOf('take', [log]) }]);
    const decided = effectsOf(batch, { atMs: s.clock() - 9000, values: [4], notes: [{ index: 0, value: 4, delta: 3 }] });
    await s.apply(decided);
    assert.equal(left(await act(s, 'peek', [log])), 7);
    s.clock.advance(1000);
    assert.equal(left(await act(s, 'peek', [log])), 10);
  });

  check('counts units exactly up to 2^53 − 1', async (s) => {
    const most = { ...first, limit: MAX_VALUE };
    await s.add('u', MAX_VALUE - 1, { terms: termsOf('take', [most], { cost: MAX_VALUE - 1 }) });
    assert.deepEqual([left(await act(s, 'take', [most])), (await act(s, 'take', [most])).delta], [0, 0]);
  });

  check('refuses takes without rules, and amounts that are no whole number of portions', async (s) => {
    assert.equal((await act(s, 'take', [])).code, 'INVALID_ARGUMENT');
    for (const delta of [-1, 3]) assert.equal((await s.add('u', delta, { terms: termsOf('take', [first], { cost: 2 }) })).code, 'INVALID_AMOUNT');
    assert.equal((await s.reading('u', termsOf('peek', [first]))).found, false);
  });
}
