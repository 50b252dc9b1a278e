import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ScriptedStore, StillWorld } from '../../../../test/support/scripted-store.ts';
import { SpreadStore } from '../../../../test/support/spread-store.ts';
import type { CounterOptions } from '../model/counter-type.ts';
import { composeTallystick } from '../tallystick.ts';
import type { NearOptions } from './options.ts';

const NEAR = { ttlMs: 100 };

function setUp(near: NearOptions = NEAR, counters: Record<string, CounterOptions> = {}) {
  const store = new ScriptedStore();
  store.answersAtOnce = true;
  const world = new StillWorld();
  const tallystick = composeTallystick({ store, near, counters }, world.environment);
  const stats = () => tallystick.stats().near!;
  return { store, world, tallystick, stats, counters: tallystick.counters };
}

describe('The near cache', () => {
  it('is not there unless it is asked for', async () => {
    const store = new ScriptedStore();
    const tallystick = composeTallystick({ store }, new StillWorld().environment);
    for (let i = 0; i < 3; i++) assert.deepEqual(await tallystick.counters.get('k', { maxAgeMs: 5 }), { value: 0, found: false, exact: true });
    assert.equal(store.asked.length, 3);
    assert.equal('near' in tallystick.stats(), false);
  });

  it('answers by a copy until it is too old, and says how old it is', async () => {
    const { store, world, counters, stats } = setUp();
    store.replica.putCount('k', { value: 7 });
    assert.deepEqual(await counters.get('k'), { value: 7, found: true, exact: true });
    store.replica.putCount('k', { value: 8 });
    await world.pass(99);
    assert.deepEqual(await counters.get('k'), { value: 7, found: true, ageMs: 99, exact: false });
    await world.pass(2);
    assert.deepEqual(await counters.getMany(['k', 'k']), [{ value: 8, found: true, exact: true }, { value: 8, found: true, exact: true }]);
    assert.equal(store.asked.length, 2);
    assert.deepEqual(stats(), { entries: 1, hits: 1, misses: 3, stale: 0, evicted: 0 });
  });

  it('gives each read a copy that is as young as it wants', async () => {
    const { store, world, counters } = setUp();
    await counters.get('k');
    store.replica.putCount('k', { value: 8 });
    await world.pass(50);
    assert.deepEqual(await counters.get('k', { maxAgeMs: 50 }), { value: 0, found: false, ageMs: 50, exact: false });
    assert.deepEqual(await counters.get('k', { maxAgeMs: 49 }), { value: 8, found: true, exact: true });
    store.replica.putCount('k', { value: 9 });
    assert.equal((await counters.get('k', { maxAgeMs: 0 })).value, 9);
    assert.deepEqual(await counters.getMany([{ key: 'k', maxAgeMs: 5 }]), [{ value: 9, found: true, ageMs: 0, exact: false }]);
  });

  it('refuses an age that is none', async () => {
    const { counters } = setUp();
    for (const maxAgeMs of [-1, 0.5, NaN, '5' as never]) {
      await assert.rejects(counters.get('k', { maxAgeMs }), { code: 'INVALID_ARGUMENT', field: 'maxAgeMs' });
      await assert.rejects(counters.getMany([{ key: 'k', maxAgeMs }]), { code: 'INVALID_ARGUMENT', field: 'items[0].maxAgeMs' });
    }
  });

  it('keeps to what is declared for a key when a read says only how old a copy may be', async () => {
    const { counters } = setUp(NEAR, { 'w:*': { type: 'sliding-log', windowMs: 1000 } });
    await counters.add('w:1', 3);
    for (const options of [undefined, {}, { maxAgeMs: 0 }, { maxAgeMs: 5, type: undefined as never }]) {
      assert.equal((await counters.get('w:1', options)).value, 3);
    }
  });

  it('asks once, however many want to know while the question is on its way', async () => {
    const { store, world, counters } = setUp();
    const release = store.holdReads();
    const [first, same] = [counters.get('k'), counters.get('k')];
    await world.pass(5);
    const later = counters.get('k');
    const exact = counters.get('k', { maxAgeMs: 0 });
    await world.pass(1);
    store.replica.putCount('k', { value: 8 });
    release();
    const none = { value: 0, found: false, exact: true };
    assert.deepEqual(await Promise.all([first, same]), [none, none]);
    assert.deepEqual(await later, { ...none, ageMs: 6, exact: false });
    assert.deepEqual(await exact, none, 'asked by itself');
    assert.equal(store.asked.length, 2);
  });

  it('joins no question that is older than the reading may be', async () => {
    const { store, world, counters } = setUp();
    const release = store.holdReads();
    const first = counters.get('k');
    await world.pass(150);
    const late = counters.get('k');
    await world.pass(1);
    release();
    await first;
    assert.equal((await late).exact, true);
    assert.equal(store.asked.length, 2);
  });

  it('keeps all counters of a key apart', async () => {
    const { counters } = setUp();
    const log = { type: 'sliding-log', windowMs: 1000 } as const;
    await counters.add('k', 1);
    await counters.add('k', 2, log);
    await counters.add('k', 3, { ...log, windowMs: 2000 });
    for (let i = 0; i < 2; i++) {
      const readings = await counters.getMany(['k', { key: 'k', ...log }, { key: 'k', ...log, windowMs: 2000 }]);
      assert.deepEqual(readings.map(({ value }) => value), [1, 2, 3]);
    }
  });

  it('keeps no more copies than it may, and drops the least lately read', async () => {
    const { counters, stats } = setUp({ maxEntries: 2 });
    for (const key of ['a', 'b', 'a', 'c', 'a']) await counters.get(key);
    assert.deepEqual(stats(), { entries: 2, hits: 1, misses: 4, stale: 0, evicted: 2 });
  });

  it('drops what is too old for any use when another copy comes', async () => {
    const { world, counters, stats } = setUp({ ttlMs: 10, staleIfErrorMs: 50 });
    for (const key of ['a', 'b', 'c']) await counters.get(key);
    await world.pass(51);
    await counters.get('d');
    assert.deepEqual([stats().entries, stats().evicted], [1, 0]);
  });

  it('lets lifetimes run out by themselves', async () => {
    const { world, counters } = setUp({ ttlMs: 1000 });
    await counters.add('k', 5, { ttlMs: 60 });
    assert.equal((await counters.get('k')).ttlMs, 60);
    await world.pass(40);
    assert.deepEqual(await counters.get('k'), { value: 5, found: true, ttlMs: 20, ageMs: 40, exact: false });
    await world.pass(20);
    assert.deepEqual(await counters.get('k'), { value: 0, found: false, ageMs: 60, exact: false });
  });
});

describe('What this process writes', () => {
  it('is what it reads, at once and without asking the store', async () => {
    const { store, world, counters } = setUp();
    await counters.get('k');
    assert.equal((await counters.add('k', 5)).value, 5);
    await world.pass(3);
    assert.deepEqual(await counters.get('k'), { value: 5, found: true, ageMs: 3, exact: false });
    await counters.addMany([{ key: 'k', delta: 2 }, { key: 'k', delta: -1, min: 0 }]);
    assert.equal((await counters.get('k')).value, 6);
    await counters.add('k', 1, { type: 'batched', requestId: 'r' });
    assert.equal((await counters.get('k')).value, 7);
    assert.equal(store.asked.length, 1);
  });

  it('makes no copy of what nobody reads', async () => {
    const { counters, stats } = setUp();
    await counters.add('k', 5);
    assert.equal(stats().entries, 0);
    assert.deepEqual(await counters.get('k'), { value: 5, found: true, exact: true });
  });

  it('is not missing from a copy that was asked for before it and came after', async () => {
    const { store, world, counters } = setUp();
    const release = store.holdReads();
    const before = counters.get('k');
    await world.pass();
    await counters.add('k', 5);
    release();
    assert.equal((await before).value, 0);
    assert.equal((await counters.get('k')).value, 5);
  });

  it('is read from the store where its answer is not the whole', async () => {
    const log = { type: 'sliding-log', windowMs: 1000 } as const;
    const { store, counters } = setUp();
    await counters.get('k', log);
    await counters.add('k', 5, log);
    assert.deepEqual(await counters.get('k', log), { value: 5, found: true, exact: true });
    assert.equal(store.asked.length, 2);
  });

  it('is read from the store where it is sharded', async () => {
    const type = 'sharded';
    const store = new SpreadStore(3);
    const { counters } = composeTallystick({ store, near: NEAR }, new StillWorld().environment);
    await counters.add('k', 5, { type });
    assert.deepEqual(await counters.get('k', { type }), { value: 5, found: true, exact: true });
    assert.deepEqual(await counters.get('k', { type }), { value: 5, found: true, ageMs: 0, exact: false });
    await counters.add('k', 5, { type });
    assert.deepEqual(await counters.get('k', { type }), { value: 10, found: true, exact: true });
    assert.deepEqual(store.reads, [2, 2, 2]);
  });

  it('leaves a copy as it is when nothing changed', async () => {
    const { store, counters } = setUp();
    await counters.add('k', 5, { requestId: 'r' });
    await counters.add('k', 5);
    await counters.get('k');
    await counters.add('k', 5, { requestId: 'r' });
    await counters.add('k', 5, { max: 10 });
    assert.equal((await counters.get('k')).value, 10);
    await counters.get('nobody');
    await counters.add('nobody', -5, { min: 0 });
    assert.equal((await counters.get('nobody')).found, false);
    assert.equal(store.asked.length, 2);
  });

  it('is in every reading while it is absorbed, on its way and counted: of batched counters', async () => {
    const { store, world, counters } = setUp({ ttlMs: 60_000 }, { 'b:*': { type: 'batched' } });
    store.replica.putCount('b:1', { value: 100 });
    store.answersAtOnce = false;
    assert.equal((await counters.get('b:1')).value, 100);
    counters.tally('b:1', 5);
    assert.deepEqual(await counters.get('b:1'), { value: 105, found: true, ageMs: 0, exact: false });
    await world.pass(101);
    assert.equal((await counters.get('b:1')).value, 105);
    store.newest.answer();
    await world.pass(1);
    assert.deepEqual(await counters.get('b:1'), { value: 105, found: true, ageMs: 2, exact: false });
    assert.equal(store.asked.length, 1);
  });

  it('is decided by the store, never by a copy', async () => {
    const { store, counters } = setUp();
    await counters.add('k', 5);
    await counters.get('k');
    store.replica.putCount('k', { value: 1 });
    assert.deepEqual(await counters.add('k', -3, { min: 0 }), { outcome: 'applied', value: 0, exact: true, delta: -1 });
    store.replica.putCount('b', { value: 7 });
    await counters.get('b');
    store.replica.putCount('b', { value: 50 });
    assert.equal((await counters.add('b', 1, { type: 'batched' })).value, 51, 'an estimate is based on the store');
  });
});

describe('While the store is unavailable', () => {
  it('a copy stands in as long as it may, and says so', async () => {
    const { store, world, counters, stats } = setUp({ ttlMs: 10, staleIfErrorMs: 1000 });
    store.replica.putCount('k', { value: 7 });
    await counters.get('k');
    store.isDeaf = true;
    await world.pass(500);
    assert.deepEqual(await counters.get('k'), { value: 7, found: true, ageMs: 500, exact: false, stale: true });
    assert.equal(stats().stale, 1);
    await assert.rejects(counters.get('k', { maxAgeMs: 0 }), { code: 'STORE_UNAVAILABLE' });
    await assert.rejects(counters.get('other'), { code: 'STORE_UNAVAILABLE' });
    await world.pass(500);
    await assert.rejects(counters.get('k'), { code: 'STORE_UNAVAILABLE' });
    store.isDeaf = false;
    assert.deepEqual(await counters.get('k'), { value: 7, found: true, exact: true });
  });

  it('a copy stands in for a store that only hangs, after half a second', async () => {
    const { store, world, counters, stats } = setUp({ ttlMs: 10, staleIfErrorMs: 5000 });
    await counters.get('k');
    await world.pass(100);
    const release = store.holdReads();
    let told: unknown;
    void counters.get('k').then((reading) => { told = reading; });
    const strict = counters.get('k', { maxAgeMs: 0 });
    await world.pass(499);
    assert.equal(told, undefined);
    await world.pass(2);
    assert.deepEqual(told, { value: 0, found: false, ageMs: 600, exact: false, stale: true });
    assert.equal(stats().stale, 1);
    release();
    assert.equal((await strict).exact, true);
  });

  it('the store is waited for when no copy may stand in any more', async () => {
    const { store, world, counters, stats } = setUp({ ttlMs: 10, staleIfErrorMs: 300 });
    await counters.get('k');
    await world.pass(100);
    const release = store.holdReads();
    const reading = counters.get('k');
    await world.pass(1000);
    release();
    assert.deepEqual([(await reading).exact, stats().stale], [true, 0]);
    assert.ok(world.isAtRest, 'no timer is left');
  });

  it('no copy stands in unless it is asked for', async () => {
    const { store, world, counters } = setUp({ ttlMs: 10 });
    await counters.get('k');
    store.isDeaf = true;
    await world.pass(11);
    await assert.rejects(counters.get('k'), { code: 'STORE_UNAVAILABLE' });
  });

  it('a read says for itself how old a copy may be that stands in, also when the store is asked first', async () => {
    const { store, world, counters } = setUp({ ttlMs: 10 });
    store.replica.putCount('k', { value: 7 });
    await counters.get('k', { staleIfErrorMs: 500 });
    await world.pass(50);
    await counters.get('other');
    store.isDeaf = true;
    await world.pass(449);
    const stale = { value: 7, found: true, ageMs: 499, exact: false, stale: true };
    assert.deepEqual(await counters.get('k', { maxAgeMs: 0, staleIfErrorMs: 500 }), stale);
    assert.deepEqual(await counters.getMany([{ key: 'k', staleIfErrorMs: 500 }]), [stale]);
    await assert.rejects(counters.get('k'), { code: 'STORE_UNAVAILABLE' });
    await assert.rejects(counters.get('k', { staleIfErrorMs: 499 }), { code: 'STORE_UNAVAILABLE' });
    for (const staleIfErrorMs of [-1, 0.5, 86_400_001, '5' as never]) {
      await assert.rejects(counters.get('k', { staleIfErrorMs }), { code: 'INVALID_ARGUMENT', field: 'staleIfErrorMs' });
    }
  });

  it('copies that may not be answered otherwise can stand in', async () => {
    const { store, counters } = setUp({ ttlMs: 0, staleIfErrorMs: 1000 });
    for (const value of [7, 8]) {
      store.replica.putCount('k', { value });
      assert.deepEqual(await counters.get('k'), { value, found: true, exact: true });
    }
    store.isDeaf = true;
    assert.deepEqual(await counters.get('k'), { value: 8, found: true, ageMs: 0, exact: false, stale: true });
  });

  it('no copy stands in for another fault', async () => {
    const { store, world, counters, tallystick } = setUp({ ttlMs: 10, staleIfErrorMs: 1000 });
    await counters.get('k');
    await world.pass(11);
    store.read = () => Promise.reject(new Error('a fault'));
    await assert.rejects(counters.get('k'), { message: 'a fault' });
    await tallystick.close();
  });

  it('a copy stands in of which a write of this process is missing, and a total with it', async () => {
    const { store, counters } = setUp({ staleIfErrorMs: 1000 });
    const unique = { type: 'unique', windowMs: 1000 } as const;
    await counters.get('k');
    await counters.get('k', unique);
    store.isDeaf = true;
    await counters.add('k', 5);
    await counters.add('k', 1, { ...unique, member: 'm' });
    assert.deepEqual(await counters.get('k'), { value: 5, found: true, ageMs: 0, exact: false });
    assert.deepEqual(await counters.get('k', unique), { value: 0, found: false, ageMs: 0, exact: false, stale: true });
  });
});
