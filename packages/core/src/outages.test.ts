/** What an add gets while the store is away: by the policy of its counter. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ScriptedStore, StillWorld } from '../../../test/support/scripted-store.ts';
import type { AddOptions } from './counters.ts';
import type { AddResult } from './model/add-result.ts';
import type { CounterOptions } from './model/counter-type.ts';
import { composeTallystick } from './tallystick.ts';
import { TallystickError } from './errors.ts';

const DECLARED: Record<string, CounterOptions> = {
  'reject:*': { onOutage: 'reject' },
  'local:*': { onOutage: 'local' },
  'batched:*': { type: 'batched' },
  'strict:*': { type: 'batched', onOutage: 'reject' },
};

/** A tallystick over a store that answers, and what became of adds, in the order of their ends. */
async function setUp() {
  const world = new StillWorld();
  const store = new ScriptedStore({ mayLose: true });
  const tallystick = composeTallystick({ store, counters: DECLARED, maxPending: 100 }, world.environment);
  const ends: string[] = [];
  const add = (key: string, delta = 1, options: AddOptions = {}): void => {
    const told = ({ outcome, value }: AddResult): void => void ends.push(`${key} ${outcome} ${value}`);
    tallystick.counters.add(key, delta, options).then(told, (error: unknown) => void ends.push(`${key} ${(error as TallystickError).code}`));
  };
  const since = async (ms = 0): Promise<string[]> => {
    await world.pass(ms);
    return ends.splice(0);
  };
  /** Answers every batch there is and those to come. */
  const comeBack = (): void => {
    store.answersAtOnce = true;
    for (const sent of store.sent) sent.answer();
  };
  store.answersAtOnce = true;
  for (const kind of ['reject:k', 'local:k', 'queue:k']) add(kind, 10, { timeoutMs: 60_000 });
  await since();
  store.answersAtOnce = false;
  store.isDeaf = true;
  return { world, store, tallystick, add, since, comeBack };
}

describe('an add while the store is away', () => {
  it('waits by default: accepted at its deadline when it was sent, refused when it was not', async () => {
    const { add, since, store, comeBack } = await setUp();
    add('queue:k', 1, { timeoutMs: 900 });
    assert.deepEqual(await since(700), []);
    assert.deepEqual(await since(300), ['queue:k accepted 11']);
    comeBack();
    await since(1000);
    assert.equal(store.valueOf('queue:k'), 11);
  });

  it('is refused at once under `reject`, but for what was sent before: that waits for what becomes of it', async () => {
    const { world, store, tallystick, add, since, comeBack } = await setUp();
    // Eight batches are in flight, the last add is not sealed when the store turns out to be away.
    for (let i = 0; i < 9; i++) {
      add('reject:k', 1);
      await world.pass(1);
    }
    assert.deepEqual(await since(489), []);
    assert.deepEqual(await since(10), ['reject:k STORE_UNAVAILABLE']);
    add('reject:k');
    add('queue:k');
    assert.deepEqual(await since(), ['reject:k STORE_UNAVAILABLE']);
    assert.deepEqual([tallystick.stats().away, tallystick.stats().waiting], [1, 9]);
    comeBack();
    const told = await since(2000);
    assert.deepEqual(told.map((end) => end.split(' ')[1]), Array(9).fill('applied'));
    assert.deepEqual([store.valueOf('reject:k'), store.valueOf('queue:k'), tallystick.stats().away], [18, 11, 0]);
    add('reject:k');
    assert.deepEqual(await since(), ['reject:k applied 19']);
  });

  it('is accepted at once under `local` with an estimate, costs memory per key, and is applied once', async () => {
    const { store, tallystick, add, since, comeBack } = await setUp();
    add('local:k', 1);
    assert.deepEqual(await since(499), []);
    assert.deepEqual(await since(1), ['local:k accepted 11']);
    for (let i = 0; i < 1000; i++) add('local:k', 2);
    const told = await since();
    assert.deepEqual([told.length, told.at(-1)], [1000, 'local:k accepted 2011']);
    await since(60_000);
    const { tallies, waiting, accepted } = tallystick.stats();
    assert.deepEqual({ tallies, waiting, accepted }, { tallies: 1, waiting: 0, accepted: 1 });
    comeBack();
    await since(2000);
    assert.equal(store.valueOf('local:k'), 2011);
    assert.deepEqual([tallystick.stats().tallies, tallystick.stats().accepted], [0, 0]);
  });

  it('is accepted under `local` with a request id or a bound, too, and decided when the store is back', async () => {
    const { store, add, since, comeBack } = await setUp();
    add('local:k', 1);
    await since(500);
    for (const requestId of ['a', 'b', 'a']) add('local:k', 5, { requestId });
    add('local:k', -100, { min: 0 });
    assert.deepEqual((await since()).map((end) => end.split(' ')[1]), Array(4).fill('accepted'));
    for (let i = 0; i < 200; i++) add('local:k', 1, { requestId: `r${i}` });
    const outcomes = (await since()).map((end) => end.split(' ')[1]);
    assert.deepEqual([outcomes.filter((end) => end === 'accepted').length, outcomes.at(-1)], [95, 'OVERLOADED']);
    comeBack();
    await since(2000);
    assert.equal(store.valueOf('local:k'), 95);
  });

  it('is absorbed of a `batched` counter without asking the store, unless it says `reject`', async () => {
    const { store, add, since, comeBack } = await setUp();
    add('queue:k');
    await since(500);
    add('batched:k', 3);
    add('strict:k', 3);
    assert.deepEqual((await since()).sort(), ['batched:k accepted 3', 'strict:k STORE_UNAVAILABLE']);
    assert.equal(store.asked.length, 0);
    comeBack();
    await since(2000);
    assert.deepEqual([store.valueOf('batched:k'), store.valueOf('strict:k')], [3, 0]);
  });

  it('is known of an idle process by what it asks every second, and forgotten when it asks no more', async () => {
    const { add, since, comeBack } = await setUp();
    await since(1600);
    add('reject:k');
    assert.deepEqual(await since(), ['reject:k STORE_UNAVAILABLE']);
    comeBack();
    await since(2000);
    add('reject:k');
    assert.deepEqual(await since(), ['reject:k applied 11']);
  });
});

describe('a batch that is all or nothing', () => {
  it('is taken whole and counted once each, in an outage too: what is not counted in time is accepted, none is refused', async () => {
    const { store, tallystick, since, comeBack } = await setUp();
    const keys = ['queue:k', 'reject:k', 'local:k'];
    const addAll = () => tallystick.counters.addMany(keys.map((key) => ({ key })), { allOrNothing: true, timeoutMs: 900 });
    const told: string[][] = [];
    // Eight batches fill the window, so that the ninth is not sealed when the time is up.
    for (let i = 0; i < 9; i++) {
      void addAll().then((results) => told.push(results.map(({ outcome }) => outcome)));
      await since(1);
    }
    await since(1000);
    assert.deepEqual(told, Array(9).fill(['accepted', 'accepted', 'accepted']));
    await assert.rejects(addAll(), { code: 'STORE_UNAVAILABLE' }, 'one of them says reject');
    comeBack();
    await since(2000);
    assert.deepEqual(keys.map((key) => store.valueOf(key)), [19, 19, 19]);
  });

  it('is refused whole where a part of it would be', async () => {
    const { store, tallystick, since, comeBack } = await setUp();
    comeBack();
    await since(2000);
    const many = Array.from({ length: 101 }, (_, i) => ({ key: `k${i}` }));
    await assert.rejects(tallystick.counters.addMany(many, { allOrNothing: true }), { code: 'OVERLOADED' });
    await assert.rejects(tallystick.counters.addMany([{ key: 'a' }, { key: 'batched:b' }], { allOrNothing: true }), { code: 'INVALID_ARGUMENT', field: 'items[1].type' });
    await assert.rejects(tallystick.counters.addMany([{ key: 'a' }], { allOrNothing: 1 as never }), { code: 'INVALID_ARGUMENT', field: 'allOrNothing' });
    await since(1000);
    assert.deepEqual([store.valueOf('k0'), store.valueOf('a')], [0, 0]);
    const closing = tallystick.close();
    await assert.rejects(tallystick.counters.addMany([{ key: 'a' }], { allOrNothing: true }), { code: 'CLOSED' });
    await closing;
  });
});

describe('the policy for outages', () => {
  it('is what is declared for the key, whatever other options a call has, unless the call says otherwise', async () => {
    const { add, since } = await setUp();
    add('reject:k');
    await since(500);
    add('reject:k', 1, { ttlMs: 1000 });
    assert.deepEqual(await since(), ['reject:k STORE_UNAVAILABLE']);
    add('reject:k', 1, { onOutage: 'local' });
    assert.deepEqual(await since(), ['reject:k accepted 12']);
  });

  it('is refused when it is none', async () => {
    const { tallystick } = await setUp();
    const onOutage = 'ignore' as 'queue';
    await assert.rejects(tallystick.counters.add('k', 1, { onOutage }), { code: 'INVALID_ARGUMENT', field: 'onOutage' });
  });
});
