import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ScriptedStore, StillWorld } from '../../../../test/support/scripted-store.ts';
import { Breaker } from './breaker.ts';
import type { LaneEvent } from './events.ts';
import { Lane } from './lane.ts';

function setUp() {
  const world = new StillWorld();
  const { environment } = world;
  const events: LaneEvent[] = [];
  const onEvent = (event: LaneEvent): void => void events.push(event);
  const breaker = new Breaker({ environment, onEvent });
  const stores = [new ScriptedStore(), new ScriptedStore()] as const;
  const lanes = stores.map((store, partition) => new Lane({ store, partition, environment, maxPending: 1e6, onEvent, breaker }));
  const [one, other] = lanes as [Lane, Lane];
  return { world, events, breaker, stores, one, other, types: () => events.map(({ type }) => type) };
}

describe('a breaker', () => {
  it('opens when a batch of any lane has waited for half a second, and not before', async () => {
    const { world, breaker, stores, one, other, events } = setUp();
    void one.add('k', 1, undefined);
    await world.pass(300);
    void other.add('k', 1, undefined);
    await world.pass();
    stores[0].newest.answer();
    await world.pass(499);
    assert.equal(breaker.away, 0);
    await world.pass(1);
    assert.equal(breaker.away, 1);
    assert.deepEqual(events, [{ type: 'outage', waitedMs: 500 }]);
  });

  it('closes at the first answer of a lane that is alone, and tells how long the store was away', async () => {
    const { world, breaker, stores, one, events } = setUp();
    void one.add('k', 1, undefined);
    await world.pass(2000);
    stores[0].newest.answer();
    await world.pass();
    assert.equal(breaker.away, 0);
    assert.deepEqual(events.at(-1), { type: 'recovered', awayMs: 2000 });
  });

  it('stays open until every lane is answered, and tells of each which one is not', async () => {
    const { world, stores, one, other, types } = setUp();
    void one.add('k', 1, undefined);
    void other.add('k', 1, undefined);
    await world.pass(1000);
    stores[0].newest.answer();
    await world.pass(2000);
    assert.deepEqual([one.isAway, other.isAway, types()], [false, true, ['outage']]);
    stores[1].newest.answer();
    await world.pass();
    assert.deepEqual([other.isAway, types()], [false, ['outage', 'recovered']]);
  });

  it('sees a second lane go while the first one is away', async () => {
    const { world, breaker, one, other, types } = setUp();
    void one.add('k', 1, undefined);
    await world.pass(700);
    void other.add('k', 1, undefined);
    await world.pass(499);
    assert.equal(breaker.away, 1);
    await world.pass(1);
    assert.deepEqual([breaker.away, types()], [2, ['outage']]);
  });

  it('counts a batch that is sent again from when it was sealed', async () => {
    const { world, breaker, stores, one } = setUp();
    void one.add('k', 1, undefined);
    for (let i = 0; i < 100; i++) {
      await world.pass(5);
      stores[0].newest.lose();
    }
    await world.pass(1);
    assert.equal(breaker.away, 1);
  });

  it('watches nothing while nothing is in flight', async () => {
    const { world, breaker, stores, one, types } = setUp();
    stores[0].answersAtOnce = true;
    await one.add('k', 1, undefined);
    await world.pass(501);
    assert.ok(world.isAtRest);
    assert.deepEqual([breaker.away, types()], [0, []]);
  });
});
