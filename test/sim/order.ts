/**
 * Whether the exact values that callers were given are those of one linear order. Each result is a step of
 * its counter, from `value − added` to `value`.
 */
import assert from 'node:assert/strict';
import { groupBy } from './group.ts';
import type { Ask, History } from './history.ts';
import { kindOf } from './keys.ts';
import type { Server } from './server.ts';

export function checkOrder(history: History, { replica }: Server): void {
  for (const [key, asks] of groupBy(history.asks, (ask) => ask.key)) {
    if (kindOf(key) === 'expiring') continue;
    const steps = stepsOf(asks);
    if (kindOf(key) === 'unit') checkRising(key, steps);
    const isKnown = asks.every(({ outcome }) => outcome === 'applied' || outcome === 'refused');
    if (isKnown) checkTrail(key, steps, replica.read({ key }, 0).value);
  }
}

type Step = Pick<Ask, 'value' | 'added' | 'askedAt' | 'toldAt'>;

/** What counted, once per request id: asked when it was first asked, told when it was first told. */
function stepsOf(asks: readonly Ask[]): Step[] {
  const steps: Step[] = [];
  for (const [id, same] of groupBy(asks, ({ requestId }) => requestId ?? '')) {
    const applied = same.filter(({ outcome }) => outcome === 'applied');
    if (id === '') steps.push(...applied);
    else if (applied[0] !== undefined) steps.push({ ...applied[0], askedAt: same[0]!.askedAt });
  }
  return steps;
}

/** Ones only: every value is given once, and a call that was over before another was asked has the lower one. */
function checkRising(key: string, steps: readonly Step[]): void {
  const falling = [...steps].sort((a, b) => b.value - a.value);
  let earliestTold = Infinity;
  for (const [i, { value, askedAt, toldAt }] of falling.entries()) {
    assert.notEqual(value, falling[i + 1]?.value, `${key}: ${value} was given to two callers`);
    assert.ok(askedAt < earliestTold, `${key}: ${value} was given to a caller who asked after a higher value was told`);
    earliestTold = Math.min(earliestTold, toldAt);
  }
}

/** All results are known: the steps lead from 0 to the value at rest, each taken once (they balance at every value). */
function checkTrail(key: string, steps: readonly Step[], atRest: number): void {
  const balance = new Map([[atRest, 1]]);
  const count = (value: number, by: number): unknown => balance.set(value, (balance.get(value) ?? 0) + by);
  count(0, -1);
  for (const { value, added } of steps) {
    count(value - added, 1);
    count(value, -1);
  }
  for (const [value, off] of balance) assert.equal(off, 0, `${key}: the steps do not join at ${value}`);
}
