import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ScriptedStore, StillWorld } from '../../../test/support/scripted-store.ts';
import { SpreadStore } from '../../../test/support/spread-store.ts';
import type { Environment } from './lanes/environment.ts';
import { MAX_VALUE } from './model/amount.ts';
import { partitionOf } from './model/partition.ts';
import { composeTallystick, type Tallystick } from './tallystick.ts';

const SHARDED = { type: 'sharded' } as const;

let sources = 0;

/** A process over `store` that adds to the shard at `place` of all, a fraction. */
function processAt(place: number, store: SpreadStore, world = new StillWorld()): Tallystick {
  const environment: Environment = { ...world.environment, random: () => place, newSource: () => `source ${sources++}` };
  return composeTallystick({ store, counters: { 's:*': SHARDED, 'few:*': { ...SHARDED, shards: 2 } } }, environment);
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

describe('A sharded counter', () => {
  it('keeps a part in each of the first partitions from its own on, one for each process', async () => {
    const store = new SpreadStore(5);
    for (const place of [0, 0.3, 0.5, 0.7, 0.99]) {
      const { counters } = processAt(place, store);
      await counters.add('s:k', 1);
      await counters.add('few:k', 1);
    }
    assert.deepEqual(store.partsOf('s:k'), [1, 1, 1, 1, 1]);
    const home = partitionOf('few:k', 5);
    const parts = store.partsOf('few:k');
    assert.deepEqual([parts[home], parts[(home + 1) % 5], sumOf(parts)], [2, 3, 5]);
  });

  it('is read as the exact sum of all its parts, by whoever reads it', async () => {
    const store = new SpreadStore(4);
    const [one, other] = [processAt(0, store), processAt(0.9, store)];
    await Promise.all([one.counters.add('s:k', 5), other.counters.add('s:k', -2), one.counters.add('s:k', 7)]);
    for (const { counters } of [one, other, processAt(0.5, store)]) {
      assert.deepEqual(await counters.get('s:k'), { value: 10, found: true, exact: true });
      assert.deepEqual(await counters.getMany(['s:k', { key: 'k', type: 'sharded' }]), [
        { value: 10, found: true, exact: true },
        { value: 0, found: false, exact: true },
      ]);
    }
  });

  it('takes in what was counted under its key before it was sharded', async () => {
    const store = new SpreadStore(4);
    const { counters } = processAt(0.9, store);
    await counters.add('k', 40);
    await counters.add('k', 2, SHARDED);
    assert.equal((await counters.get('k', SHARDED)).value, 42);
  });

  it('answers an add with an estimate, which knows what was read last of the other parts', async () => {
    const store = new SpreadStore(4);
    const [one, other] = [processAt(0, store), processAt(0.9, store)];
    await one.counters.add('s:k', 100);
    assert.deepEqual(await other.counters.add('s:k', 1), { outcome: 'applied', value: 1, exact: false, delta: 1 });
    await other.counters.get('s:k');
    assert.deepEqual(await other.counters.add('s:k', 1), { outcome: 'applied', value: 102, exact: false, delta: 1 });
    const results = await other.counters.addMany([{ key: 's:k' }, { key: 's:k', delta: 5 }]);
    assert.deepEqual(results.map(({ value }) => value), [103, 108]);
  });

  it('reads the other parts again while it is busy, once a second at most and never for a few adds', async () => {
    const store = new SpreadStore(4);
    const world = new StillWorld();
    const [one, other] = [processAt(0, store), processAt(0.9, store, world)];
    await one.counters.add('s:k', 100);
    for (let i = 0; i < 3; i++) await other.counters.add('s:k');
    assert.deepEqual(store.reads, [0, 0, 0, 0]);
    for (let i = 0; i < 50; i++) await other.counters.add('s:k');
    assert.deepEqual(store.reads, [1, 1, 1, 1]);
    assert.equal((await other.counters.add('s:k')).value, 154);
    await one.counters.add('s:k', 100);
    await world.pass(1000);
    for (let i = 0; i < 5; i++) await other.counters.add('s:k');
    assert.deepEqual(store.reads, [2, 2, 2, 2]);
    assert.equal((await other.counters.add('s:k')).value, 260);
  });

  it('asks for a sum once in a turn, however many want it', async () => {
    const store = new SpreadStore(4);
    const { counters } = processAt(0, store);
    await Promise.all(Array.from({ length: 100 }, () => counters.get('s:k')));
    assert.deepEqual(store.reads, [1, 1, 1, 1]);
    await counters.get('s:k');
    assert.deepEqual(store.reads, [2, 2, 2, 2]);
  });

  it('gives the first answer to a request id, in whatever process and under whatever number of shards', async () => {
    const store = new SpreadStore(7);
    const ids = Array.from({ length: 40 }, (_, i) => `r${i}`);
    const processes = [0, 0.5, 0.99].map((place) => processAt(place, store).counters);
    for (const requestId of ids) {
      for (const [i, counters] of processes.entries()) {
        for (const shards of [1, 3, 1024]) {
          const { delta, replayed } = await counters.add('s:k', 1, { ...SHARDED, shards, requestId });
          assert.deepEqual([delta, replayed], [1, i === 0 && shards === 1 ? undefined : true]);
        }
      }
    }
    assert.equal((await processes[0]!.get('s:k')).value, ids.length);
    assert.ok(store.partsOf('s:k').every((part) => part > 0), 'ids are spread');
  });

  it('counts every add once while the number of shards changes, and is read between what is done and what is begun', async () => {
    const step = fc.record({ by: fc.nat(2), delta: fc.integer({ min: 1, max: 9 }), shards: fc.integer({ min: 1, max: 12 }) });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 8 }), fc.array(step, { maxLength: 30 }), async (partitions, steps) => {
        const store = new SpreadStore(partitions);
        const processes = [0, 0.4, 0.99].map((place) => processAt(place, store).counters);
        let acknowledged = 0;
        let attempted = 0;
        const adds = steps.map(async ({ by, delta, shards }) => {
          attempted += delta;
          await processes[by]!.add('k', delta, { ...SHARDED, shards });
          acknowledged += delta;
          const least = acknowledged;
          const { value } = await processes[(by + 1) % 3]!.get('k', SHARDED);
          assert.ok(least <= value && value <= attempted, `${least} ≤ ${value} ≤ ${attempted}`);
        });
        await Promise.all(adds);
        assert.equal((await processes[0]!.get('k', SHARDED)).value, attempted);
      }),
    );
  });

  it('is refused as a reading while its parts add up to more than a value can be, exactly so', async () => {
    const store = new SpreadStore(3);
    const [low, middle, high] = [processAt(0, store), processAt(0.5, store), processAt(0.9, store)];
    await low.counters.add('s:k', MAX_VALUE);
    await high.counters.add('s:k', 2);
    const refused = { code: 'OUT_OF_RANGE', field: 'key' };
    await assert.rejects(high.counters.get('s:k'), refused);
    assert.equal((await high.counters.add('s:k', 1)).value, MAX_VALUE, 'an estimate is never out of range');
    await assert.rejects(low.counters.add('s:k', 1), { code: 'OUT_OF_RANGE', field: 'delta' });
    await middle.counters.add('s:k', -4);
    assert.equal((await low.counters.get('s:k')).value, MAX_VALUE - 1);
  });

  it('holds a caller to its deadline: accepted, with an estimate of the total', async () => {
    const store = new SpreadStore(3);
    const world = new StillWorld();
    const { counters } = processAt(0, store, world);
    await processAt(0.9, store).counters.add('s:k', 100);
    await counters.get('s:k');
    await counters.add('s:k', 1);
    store.apply = () => new Promise(() => undefined);
    const late = counters.add('s:k', 1, { ...SHARDED, timeoutMs: 10 });
    await world.pass(20);
    assert.deepEqual(await late, { outcome: 'accepted', value: 101, exact: false, delta: 1 });
  });

  it('is a simple one where a key is one counter in all partitions, and where there is but one', async () => {
    for (const store of [new ScriptedStore({ partitions: 3 }), new SpreadStore(1)]) {
      if (store instanceof ScriptedStore) store.answersAtOnce = true;
      const { counters } = composeTallystick({ store, counters: { 's:*': SHARDED } }, new StillWorld().environment);
      await counters.add('s:k', 4);
      assert.deepEqual(await counters.add('s:k', 1), { outcome: 'applied', value: 5, exact: true, delta: 1 });
      assert.deepEqual(await counters.get('s:k'), { value: 5, found: true, exact: true });
    }
  });

  const refusals: readonly (readonly [string, object, { code: string; field: string }])[] = [
    ['a floor', { min: 0 }, { code: 'INVALID_ARGUMENT', field: 'min' }],
    ['a ceiling', { max: 9 }, { code: 'INVALID_ARGUMENT', field: 'max' }],
    ['a lifetime', { ttlMs: 9 }, { code: 'INVALID_ARGUMENT', field: 'ttlMs' }],
    ['a member', { member: 'm' }, { code: 'INVALID_ARGUMENT', field: 'member' }],
    ['no shards', { shards: 0 }, { code: 'INVALID_ARGUMENT', field: 'shards' }],
    ['too many shards', { shards: 1025 }, { code: 'INVALID_ARGUMENT', field: 'shards' }],
    ['half a shard', { shards: 1.5 }, { code: 'INVALID_ARGUMENT', field: 'shards' }],
    ['shards of another type', { type: 'simple', shards: 5 }, { code: 'INVALID_ARGUMENT', field: 'shards' }],
  ];
  for (const [what, options, expected] of refusals) {
    it(`refuses ${what}, and counts nothing`, async () => {
      const store = new SpreadStore(3);
      const { counters } = processAt(0, store);
      await assert.rejects(counters.add('k', 1, { ...SHARDED, ...options }), expected);
      await assert.rejects(counters.addMany([{ key: 'k' }, { key: 'k', ...SHARDED, ...options }]), { ...expected, field: `items[1].${expected.field}`, index: 1 });
      assert.deepEqual(store.partsOf('k'), [0, 0, 0]);
    });
  }

  it('cannot be counted without waiting', () => {
    const { counters } = processAt(0, new SpreadStore(3));
    assert.throws(() => { counters.tally('s:k'); }, { code: 'INVALID_ARGUMENT', field: 'key', message: /sharded/ });
  });
});
