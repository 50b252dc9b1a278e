// Flights are driven through their lane: what it is told, and what reaches the store.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ScriptedStore, StillWorld } from '../../../../test/support/scripted-store.ts';
import { TallystickError } from '../errors.ts';
import { WINDOW } from '../model/batch.ts';
import { Replica } from '../replica/replica.ts';
import type { LaneEvent } from './events.ts';
import { Lane } from './lane.ts';
import type { LaneOptions } from './options.ts';

const SECOND = 1_000;

function setUp({ mayLose = false, ...options }: Partial<LaneOptions> & { mayLose?: boolean } = {}) {
  const store = new ScriptedStore({ mayLose });
  const world = new StillWorld();
  const events: LaneEvent[] = [];
  const onEvent = (event: LaneEvent): void => void events.push(event);
  const lane = new Lane({ store, partition: 0, environment: world.environment, maxPending: 1e6, onEvent, ...options });
  /** Adds and answers, so that there is something to lose. */
  const count = async (key: string, delta: number): Promise<number> => {
    const result = lane.add(key, delta, undefined);
    await world.pass();
    store.newest.answer();
    return (await result).value;
  };
  const add = (key: string, delta: number): Promise<number> => lane.add(key, delta, undefined).then(({ value }) => value);
  return { store, world, events, lane, count, add, types: () => events.map(({ type }) => type) };
}

describe('Flights', () => {
  it('sends batches without waiting for each other, and never more than the window', async () => {
    const { store, world, lane } = setUp();
    for (let i = 1; i <= WINDOW + 3; i++) {
      void lane.add('k', i, undefined);
      await world.pass();
    }
    assert.deepEqual(store.told, Array.from({ length: WINDOW }, (_, i) => `s.1/${i + 1} k ${i + 1}`));
  });

  it('sends a batch again under the same identity until it is answered', async () => {
    const { store, world, lane, types } = setUp();
    const result = lane.add('k', 5, undefined);
    await world.pass();
    store.newest.lose();
    await world.pass(SECOND);
    store.newest.lose();
    await world.pass(SECOND);
    assert.deepEqual(store.told, ['s.1/1 k 5', 's.1/1 k 5', 's.1/1 k 5']);
    store.newest.answer();
    assert.equal((await result).value, 5);
    assert.deepEqual(types(), ['resend', 'resend']);
    assert.equal(lane.flown.resends, 2);
  });

  it('counts once when only the reply was lost', async () => {
    const { store, world, lane } = setUp();
    const result = lane.add('k', 5, undefined);
    await world.pass();
    store.replica.apply(store.newest.batch, 0);
    store.newest.lose();
    await world.pass(SECOND);
    store.newest.answer();
    assert.equal((await result).value, 5);
    assert.equal(store.valueOf('k'), 5);
  });

  it('sends in order, one by one, what is unanswered after a fault, and seals nothing meanwhile', async () => {
    const { store, world, lane } = setUp();
    const results = [];
    for (let i = 1; i <= 3; i++) {
      results.push(lane.add('k', i, undefined));
      await world.pass();
    }
    for (const sent of store.sent) sent.lose();
    results.push(lane.add('k', 4, undefined));
    await world.pass(SECOND);
    for (const expected of ['s.1/1 k 1', 's.1/2 k 2', 's.1/3 k 3', 's.1/4 k 4']) {
      assert.equal(store.told.at(-1), expected);
      store.newest.answer();
      await world.pass();
    }
    assert.deepEqual((await Promise.all(results)).map(({ value }) => value), [1, 3, 6, 10]);
  });

  it('waits longer and longer while the store is away', async () => {
    const { store, world, lane } = setUp();
    void lane.add('k', 1, undefined);
    await world.pass();
    for (let i = 0; i < 12; i++) {
      store.newest.lose();
      await world.pass(SECOND);
    }
    const sent = store.sent.length;
    assert.equal(sent, 13);
    store.newest.lose();
    await world.pass(400);
    assert.equal(store.sent.length, sent, 'half a second at least');
  });

  it('takes a late answer to the first send, and gives it once', async () => {
    const { store, world, lane } = setUp();
    const results = [lane.add('a', 1, undefined)];
    await world.pass();
    results.push(lane.add('b', 1, undefined));
    await world.pass();
    store.sent[0]!.lose();
    await world.pass(SECOND);
    store.sent[2]!.answer();
    store.sent[1]!.answer();
    assert.deepEqual((await Promise.all(results)).map(({ value }) => value), [1, 1]);
    await world.pass(SECOND);
    assert.equal(store.valueOf('b'), 1);
  });
});

describe('Flights, when the store has lost batches,', () => {
  it('sends again everything after what it holds, as effects, without telling anybody twice', async () => {
    const { store, count, add, events, world } = setUp({ mayLose: true });
    await count('k', 1);
    const kept = store.sent.map(({ batch }) => batch);
    await count('k', 2);
    await count('k', 3);
    store.replica = new Replica();
    for (const batch of kept) store.replica.apply(batch, 0);
    const result = add('k', 4);
    await world.pass();
    store.newest.answer();
    for (let i = 0; i < 3; i++) {
      await world.pass();
      store.newest.answer();
    }
    assert.equal(await result, 10);
    assert.deepEqual(store.told.slice(4), ['s.1/2 k 2', 's.1/3 k 3', 's.1/4 k 4']);
    assert.ok(store.sent[4]!.batch.operations[0]?.effect !== undefined);
    assert.deepEqual(events, [{ type: 'behind', partition: 0, last: 1, batches: 3 }]);
  });

  it('keeps nothing for a store that never loses', async () => {
    const { store, count, add, lane, world } = setUp();
    await count('k', 1);
    store.replica = new Replica();
    const result = add('k', 4);
    await world.pass();
    store.newest.answer();
    await world.pass();
    store.newest.answer();
    assert.equal(await result, 4);
    assert.equal(lane.flown.lostBatches, 1);
  });

  it('reports what it can send no more, and goes on under another source', async () => {
    const { store, count, add, events, lane, world } = setUp({ mayLose: true, resend: { forMs: 1e9, operations: 2 } });
    for (const delta of [1, 2, 4, 8]) await count('k', delta);
    store.replica = new Replica();
    const result = add('k', 16);
    await world.pass();
    store.newest.answer();
    for (let i = 0; i < 3; i++) {
      await world.pass();
      store.newest.answer();
    }
    assert.equal(await result, 28);
    assert.deepEqual(store.told.slice(5), ['s.2/1 k 4', 's.2/2 k 8', 's.2/3 k 16']);
    assert.deepEqual(events.slice(1), [{ type: 'gap', partition: 0, from: 1, to: 2 }]);
    assert.equal(lane.flown.lostBatches, 2);
  });

  it('holds what it sent under a new source like anything else', async () => {
    const { store, count, add, world, lane, types } = setUp({ mayLose: true, resend: { forMs: 1e9, operations: 2 } });
    for (const delta of [1, 2, 4]) await count('k', delta);
    for (const delta of [8, 16]) {
      store.replica = new Replica();
      const result = add('k', delta);
      for (let i = 0; i < 5; i++) {
        await world.pass(SECOND);
        store.newest.answer();
      }
      await result;
    }
    assert.equal(lane.flown.lostBatches, 2);
    assert.equal(store.valueOf('k'), 4 + 8 + 16);
    assert.deepEqual(types(), ['behind', 'gap', 'behind', 'gap']);
  });

  it('sends nothing more once it was abandoned, and reports no gap', async () => {
    const { store, count, add, world, lane, types } = setUp({ mayLose: true, resend: { forMs: 1e9, operations: 0 } });
    await count('k', 1);
    const result = add('k', 2);
    await world.pass();
    store.newest.lose();
    await world.pass(SECOND);
    const refused = assert.rejects(result, { code: 'OUTCOME_UNKNOWN' });
    lane.abandon();
    store.newest.reply({ behind: 0 });
    await world.pass(60 * SECOND);
    await refused;
    assert.equal(store.sent.length, 3);
    assert.deepEqual(types(), ['resend']);
    assert.ok(world.isAtRest);
  });

  it('reports an effect that runs into the range when it comes back', async () => {
    const { store, count, add, events, world } = setUp({ mayLose: true });
    await count('k', 2 ** 52);
    store.replica = new Replica();
    store.replica.putCount('k', { value: 2 ** 52 });
    const result = add('k', 1);
    await world.pass();
    for (let i = 0; i < 3; i++) {
      store.newest.answer();
      await world.pass(SECOND);
    }
    assert.equal(await result, 2 ** 52 + 1);
    assert.deepEqual(events.map((event) => (event.type === 'dropped' ? [event.key, event.delta] : event.type)), ['behind', ['k', 2 ** 52]]);
  });

  it('does not hammer a store that stays behind', async () => {
    const { store, count, add, world } = setUp({ mayLose: true });
    await count('k', 1);
    void add('k', 2);
    await world.pass();
    for (let i = 0; i < 12; i++) {
      store.newest.reply({ behind: 0 });
      await world.pass(SECOND);
    }
    assert.ok(store.sent.length <= 15, `${store.sent.length} sends in 12 s`);
  });
});

describe('Flights of an idle source', () => {
  it('take a new source after an hour, long before a store forgets the old one', async () => {
    const { store, count, world } = setUp({ mayLose: true, probeEveryMs: 1e9 });
    await count('k', 1);
    await world.pass(3_600_000);
    await count('k', 1);
    await world.pass(3_600_001);
    await count('k', 1);
    assert.deepEqual(store.told, ['s.1/1 k 1', 's.1/2 k 1', 's.2/1 k 1']);
    assert.equal(store.valueOf('k'), 3);
  });

  it('hear within a second that the store has lost batches, and send them again without a further add', async () => {
    const { store, count, world, types } = setUp({ mayLose: true });
    for (const delta of [1, 2, 4]) await count('k', delta);
    store.replica = new Replica();
    store.answersAtOnce = true;
    await world.pass(SECOND);
    assert.equal(store.valueOf('k'), 7);
    assert.deepEqual(types(), ['behind']);
  });

  it('bring back the last batch by asking for it, when that alone was lost', async () => {
    const { store, count, world, types } = setUp({ mayLose: true });
    await count('k', 1);
    store.replica = new Replica();
    store.answersAtOnce = true;
    await world.pass(SECOND);
    assert.deepEqual([store.valueOf('k'), types()], [1, []]);
    await world.pass(10 * SECOND);
    assert.equal(store.valueOf('k'), 1);
  });

  it('ask no more when nothing could be sent again, and rest', async () => {
    const { store, count, world } = setUp({ mayLose: true, resend: { forMs: 5 * SECOND, operations: 100 } });
    await count('k', 1);
    store.answersAtOnce = true;
    await world.pass(10 * SECOND);
    assert.equal(store.sent.length, 1 + 4);
    assert.ok(world.isAtRest);
  });

  it('ask again after a fault, and not while anything is in flight', async () => {
    const { store, count, add, world } = setUp({ mayLose: true });
    await count('k', 1);
    await world.pass(SECOND + 1);
    store.newest.lose();
    await world.pass(SECOND + 1);
    assert.deepEqual(store.told, ['s.1/1 k 1', 's.1/1 k 1', 's.1/1 k 1']);
    store.newest.answer();
    const result = add('k', 1);
    await world.pass(3 * SECOND);
    assert.equal(store.told.filter((line) => line.startsWith('s.1/1')).length, 3);
    for (const sent of store.sent) sent.answer();
    assert.equal(await result, 2);
  });

  it('rest when somebody else has closed the store', async () => {
    const { store, count, add, world } = setUp({ mayLose: true });
    await count('k', 1);
    store.apply = () => Promise.reject(new TallystickError('CLOSED', 'closed'));
    await world.pass(SECOND + 1);
    assert.ok(world.isAtRest);
    await assert.rejects(add('k', 1), { code: 'CLOSED' });
  });

  it('never ask a store that loses nothing', async () => {
    const { count, world } = setUp();
    await count('k', 1);
    assert.ok(world.isAtRest);
  });
});
