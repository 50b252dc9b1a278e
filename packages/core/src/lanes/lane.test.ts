import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ScriptedStore, StillWorld } from '../../../../test/support/scripted-store.ts';
import type { TallystickError } from '../errors.ts';
import type { AddResult } from '../model/add-result.ts';
import { MAX_VALUE } from '../model/amount.ts';
import { WINDOW } from '../model/batch.ts';
import type { Operation } from '../model/operation.ts';
import { Deadlines } from './deadline.ts';
import type { LaneEvent } from './events.ts';
import { Lane } from './lane.ts';

function setUp(maxPending = 1e6) {
  const store = new ScriptedStore();
  const world = new StillWorld();
  const events: LaneEvent[] = [];
  const lane = new Lane({ store, partition: 0, environment: world.environment, maxPending, onEvent: (event) => events.push(event) });
  const submit = (op: Operation, timeoutMs?: number): Promise<AddResult> => new Promise((resolve, reject) => {
    lane.submit(op, resolve, reject, new Deadlines(world.environment).of(timeoutMs));
  });
  return { store, world, events, lane, submit };
}

/** Fills the window, so that what comes next stays in the open batch. */
async function block({ lane, world, store }: ReturnType<typeof setUp>): Promise<() => Promise<void>> {
  const results: Promise<AddResult>[] = [];
  for (let i = 0; i < WINDOW; i++) {
    results.push(lane.add('blocker', 1, undefined));
    await world.pass();
  }
  return async () => {
    for (const sent of store.sent.slice(0, WINDOW)) sent.answer();
    await Promise.all(results);
    await world.pass();
  };
}

describe('Lane', () => {
  it('costs one operation for all callers of a turn, and gives each its own value', async () => {
    const { store, lane, world } = setUp();
    const results = [3, -1, 4].map((delta) => lane.add('k', delta, undefined));
    await world.pass();
    assert.deepEqual(store.told, ['s.1/1 k 6']);
    store.newest.answer();
    assert.deepEqual((await Promise.all(results)).map(({ value }) => value), [3, 2, 6]);
    assert.deepEqual([lane.totals.operations, lane.totals.entries, lane.flown.batches], [3, 1, 1]);
  });

  it('combines what arrives while the window is full into longer batches, not more of them', async () => {
    const set = setUp();
    const { store, lane, world } = set;
    const open = await block(set);
    for (let i = 0; i < 1000; i++) void lane.add(`k${i % 3}`, 1, undefined);
    await world.pass();
    assert.equal(store.sent.length, WINDOW);
    await open();
    assert.deepEqual(store.told.slice(WINDOW), [`s.1/${WINDOW + 1} k0 334 k1 333 k2 333`]);
  });

  it('keeps the order of a bounded operation among plain ones', async () => {
    const { store, lane, world, submit } = setUp();
    const results = [lane.add('k', 3, undefined), submit({ key: 'k', delta: -5, terms: { kind: 'count', min: 0 } }), lane.add('k', 2, undefined)];
    await world.pass();
    store.newest.answer();
    assert.deepEqual((await Promise.all(results)).map(({ value, delta }) => [value, delta]), [[3, 3], [0, -3], [2, 2]]);
  });

  it('asks singly when a combined amount is refused as a whole, so that each gets what it would alone', async () => {
    const { store, lane, world } = setUp();
    store.replica.putCount('k', { value: MAX_VALUE - 5 });
    store.answersAtOnce = true;
    const results = [4, 4, -2].map((delta) => lane.add('k', delta, undefined).then(({ value }) => value, (error: unknown) => (error as TallystickError).code));
    await world.pass();
    assert.deepEqual(await Promise.all(results), [MAX_VALUE - 1, 'OUT_OF_RANGE', MAX_VALUE - 3]);
  });

  it('refuses a key that is none, and nothing is sent', async () => {
    const { store, lane, world } = setUp();
    await assert.rejects(lane.add('', 1, undefined), { code: 'INVALID_KEY' });
    await world.pass();
    assert.deepEqual(store.told, []);
    assert.equal(lane.waiting, 0);
  });

  it('seals no batch of more than 8,192 operations, whatever waits', async () => {
    const set = setUp();
    const { store, lane } = set;
    const open = await block(set);
    for (let i = 0; i < 20_000; i++) void lane.add(`k${i}`, 1, undefined);
    await open();
    const sizes = store.sent.slice(WINDOW).map(({ batch }) => batch.operations.length);
    assert.equal(sizes.reduce((sum, size) => sum + size), 20_000);
    assert.ok(Math.max(...sizes) <= 8192, String(sizes));
  });

  it('refuses with OVERLOADED when as many wait as may, and takes more when they have gone', async () => {
    const { store, lane, world, submit } = setUp(2);
    const results = [lane.add('k', 1, undefined), lane.add('k', 1, undefined)];
    await assert.rejects(lane.add('k', 1, undefined), { code: 'OVERLOADED' });
    await assert.rejects(submit({ key: 'j', delta: 1 }), { code: 'OVERLOADED' });
    assert.deepEqual([lane.waiting, lane.totals.refused], [2, 2]);
    await world.pass();
    store.newest.answer();
    await Promise.all(results);
    store.answersAtOnce = true;
    assert.equal((await lane.add('k', 1, undefined)).value, 3);
  });

  it('reports an expiry that it repaired', async () => {
    const { store, world, events, lane, submit } = setUp();
    store.replica.putCount('k', { value: 1 });
    store.answersAtOnce = true;
    await submit({ key: 'k', delta: 1, terms: { kind: 'count', ttlMs: 500 } });
    await world.pass();
    assert.deepEqual(events, [{ type: 'repaired', partition: 0, key: 'k' }]);
    assert.equal(lane.totals.repairs, 1);
  });

  it('tells everybody what they would be told one after the other, however they are batched', async () => {
    const step = fc.record({ key: fc.constantFrom('a', 'b'), delta: fc.integer({ min: -9, max: 9 }), min: fc.boolean(), pause: fc.boolean() });
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { store, lane, world, submit } = setUp();
      const terms = { kind: 'count', min: 0 } as const;
      const results: Promise<AddResult>[] = [];
      for (const { key, delta, min, pause } of steps) {
        results.push(min ? submit({ key, delta, terms }) : lane.add(key, delta, undefined));
        if (pause) await world.pass();
      }
      await world.pass();
      for (let answered = 0; answered < store.sent.length; answered++) {
        store.sent[answered]!.answer();
        await world.pass();
      }
      const values = { a: 0, b: 0 };
      for (const [i, { key, delta, min }] of steps.entries()) {
        values[key] += min && delta < 0 ? Math.max(delta, Math.min(0, -values[key])) : delta;
        assert.equal((await results[i]!).value, values[key]);
      }
    }), { numRuns: 60 });
  });
});

describe('A deadline', () => {
  it('refuses what was not sent yet: nothing is counted', async () => {
    const set = setUp();
    const { store, lane, world, submit } = set;
    const open = await block(set);
    const late = assert.rejects(submit({ key: 'k', delta: 5 }, 20), { code: 'TIMEOUT', field: 'timeoutMs' });
    const other = lane.add('k', 1, undefined);
    await world.pass(20);
    await late;
    assert.equal(lane.waiting, WINDOW + 1);
    await open();
    assert.equal(store.told.at(-1), `s.1/${WINDOW + 1} k 1`);
    store.newest.answer();
    assert.equal((await other).value, 1);
  });

  it('accepts what is on its way: it is counted once, and the value is an estimate', async () => {
    const { store, world, lane, submit } = setUp();
    const result = submit({ key: 'k', delta: 5 }, 20);
    await world.pass(20);
    assert.deepEqual(await result, { outcome: 'accepted', value: 5, exact: false, delta: 5 });
    assert.equal(lane.waiting, 0);
    store.newest.answer();
    await world.pass();
    assert.equal(store.valueOf('k'), 5);
    const next = submit({ key: 'k', delta: 1 }, 20);
    await world.pass(20);
    assert.equal((await next).value, 6, 'estimated from the last exact value');
  });

  it('leaves no timer behind when the answer is in time', async () => {
    const { store, world, submit } = setUp();
    store.answersAtOnce = true;
    await submit({ key: 'k', delta: 5 }, 20);
    await world.pass();
    assert.ok(world.isAtRest);
  });

  it('goes with the caller when it is asked singly', async () => {
    const { store, world, lane, submit } = setUp();
    store.replica.putCount('k', { value: MAX_VALUE - 5 });
    void lane.add('k', 4, undefined);
    const result = submit({ key: 'k', delta: 4 }, 50);
    await world.pass(30);
    store.newest.answer();
    await world.pass(19);
    assert.equal(lane.waiting, 2);
    await world.pass(1);
    assert.equal((await result).outcome, 'accepted');
  });

  it('reports it when what was accepted is refused by the store', async () => {
    const { store, world, events, submit } = setUp();
    store.replica.putCount('k', { value: MAX_VALUE - 5 });
    const result = submit({ key: 'k', delta: 9 }, 20);
    await world.pass(20);
    assert.equal((await result).outcome, 'accepted');
    store.newest.answer();
    await world.pass();
    assert.deepEqual(events.map((event) => event.type === 'dropped' && [event.key, event.delta]), [['k', 9]]);
  });
});

describe('Closing a lane', () => {
  it('waits until everything that was taken is answered, also what was only accepted', async () => {
    const { store, world, lane, submit } = setUp();
    void submit({ key: 'k', delta: 1 }, 10);
    await world.pass(10);
    let isDrained = false;
    const drained = lane.drain().then(() => { isDrained = true; });
    await assert.rejects(lane.add('k', 1, undefined), { code: 'CLOSED' });
    await world.pass(100);
    assert.equal(isDrained, false);
    store.newest.answer();
    await drained;
    await lane.drain();
  });

  it('waits for nobody when all callers have left', async () => {
    const set = setUp();
    const { world, lane, submit } = set;
    const open = await block(set);
    const late = assert.rejects(submit({ key: 'k', delta: 5 }, 20), { code: 'TIMEOUT' });
    const drained = lane.drain();
    await world.pass(20);
    await late;
    await open();
    await drained;
  });

  it('can be given up: callers are told what is known, and the operations without an outcome are counted', async () => {
    const { world, lane, submit } = setUp();
    const told = (result: Promise<AddResult>): Promise<string> => result.then(({ outcome }) => outcome, (error: unknown) => (error as TallystickError).code);
    const results = [told(submit({ key: 'k', delta: 1 }, 10))];
    for (let i = 0; i < WINDOW + 1; i++) {
      await world.pass(10);
      results.push(told(lane.add('k', 1, undefined)));
    }
    assert.equal(lane.abandon(), WINDOW + 2);
    const unknown = Array.from({ length: WINDOW - 1 }, () => 'OUTCOME_UNKNOWN');
    assert.deepEqual(await Promise.all(results), ['accepted', ...unknown, 'CLOSED', 'CLOSED']);
    assert.equal(lane.waiting, 0);
    assert.equal(lane.abandon(), 0);
  });
});
