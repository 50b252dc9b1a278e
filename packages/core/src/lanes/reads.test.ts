import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ScriptedStore, StillWorld } from '../../../../test/support/scripted-store.ts';
import { Reads } from './reads.ts';

function setUp() {
  const store = new ScriptedStore();
  const reads = new Reads(store, 0, new StillWorld().environment);
  store.replica.putCount('a', { value: 1 });
  store.replica.putCount('b', { value: 2 });
  return { store, reads };
}

describe('Reads', () => {
  it('makes one read of the questions of a turn, each asked once', async () => {
    const { store, reads } = setUp();
    const readings = await Promise.all([reads.get({ key: 'a' }), reads.get({ key: 'b' }), reads.get({ key: 'a' })]);
    assert.deepEqual(readings.map(({ value }) => value), [1, 2, 1]);
    assert.deepEqual(store.asked.map((queries) => queries.map(({ key }) => key)), [['a', 'b']]);
  });

  it('asks anew in the next turn', async () => {
    const { store, reads } = setUp();
    await reads.get({ key: 'a' });
    store.replica.putCount('a', { value: 9 });
    assert.equal((await reads.get({ key: 'a' })).value, 9);
    assert.equal(store.asked.length, 2);
  });

  it('keeps apart the counters of one key', async () => {
    const { store, reads } = setUp();
    const log = { kind: 'log', windowMs: 5 } as const;
    const [count, events] = await Promise.all([reads.get({ key: 'a' }), reads.get({ key: 'a', terms: log })]);
    assert.deepEqual([count.value, events.found], [1, false]);
    assert.equal(store.asked[0]?.length, 2);
  });

  it('tells everybody of a turn when the store does not answer, and asks again next time', async () => {
    const { store, reads } = setUp();
    store.isDeaf = true;
    const asked = [reads.get({ key: 'a' }), reads.get({ key: 'b' })];
    for (const answer of asked) await assert.rejects(answer, { code: 'STORE_UNAVAILABLE' });
    store.isDeaf = false;
    assert.equal((await reads.get({ key: 'a' })).value, 1);
  });
});
