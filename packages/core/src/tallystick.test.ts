import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ScriptedStore, StillWorld } from '../../../test/support/scripted-store.ts';
import { memoryStore } from './stores/memory/memory-store.ts';
import { composeTallystick, createTallystick, type TallystickEvent, type TallystickOptions } from './tallystick.ts';

function setUp(options: Partial<TallystickOptions> = {}) {
  const store = new ScriptedStore({ partitions: 2 });
  const world = new StillWorld();
  const events: TallystickEvent[] = [];
  const tallystick = composeTallystick({ store, onEvent: (event) => events.push(event), ...options }, world.environment);
  return { store, world, events, tallystick, counters: tallystick.counters };
}

/** What a caller without types might send. */
const wild = (value: unknown): never => value as never;

describe('createTallystick', () => {
  it('counts over a store, and closes it with itself', async () => {
    const store = memoryStore();
    await using tallystick = createTallystick({ store });
    assert.equal((await tallystick.counters.add('article:like:42')).value, 1);
    assert.deepEqual(await tallystick.close(), { unsettled: 0 });
    await assert.rejects(store.read(0, [{ key: 'k' }]), { code: 'CLOSED' });
  });

  it('judges each call by one reading of a clock that rises whenever it is read (T17)', async () => {
    let nowMs = 0;
    const tallystick = createTallystick({ store: memoryStore({ clock: () => nowMs++ }) });
    const first = await tallystick.counters.add('k', 1, { ttlMs: 1 });
    assert.deepEqual([first.value, first.ttlMs], [1, 1]);
    const second = await tallystick.counters.add('k', 1, { ttlMs: 1 });
    assert.deepEqual([second.value, second.ttlMs], [1, 1], 'the first has expired, and its successor lives as long');
    await tallystick.close();
  });

  const refusals: readonly (readonly [string, object, string])[] = [
    ['no store', {}, 'store'],
    ['a store that is none', { store: { apply: 1 } }, 'store'],
    ['a store that is nothing', { store: null }, 'store'],
    ['an unknown option', { store: memoryStore(), flush: 5 }, 'flush'],
    ['a flush interval of nothing', { store: memoryStore(), flushEveryMs: 0 }, 'flushEveryMs'],
    ['a flush interval beyond a minute', { store: memoryStore(), flushEveryMs: 60_001 }, 'flushEveryMs'],
    ['half an add', { store: memoryStore(), flushAfterAdds: 0.5 }, 'flushAfterAdds'],
    ['nobody pending', { store: memoryStore(), maxPending: 0 }, 'maxPending'],
    ['no options', wild(null), 'options'],
    ['declarations that are none', { store: memoryStore(), counters: null }, 'counters'],
    ['a declaration that is nothing', { store: memoryStore(), counters: { a: null } }, 'counters["a"].options'],
    ['a near cache that is none', { store: memoryStore(), near: true }, 'near'],
    ['a near cache of nothing', { store: memoryStore(), near: { maxEntries: 0 } }, 'near.maxEntries'],
    ['a listener that is none', { store: memoryStore(), onEvent: 5 }, 'onEvent'],
    ['a declaration that is wrong', { store: memoryStore(), counters: { 'a:*': { min: 0.5 } } }, 'counters["a:*"].min'],
  ];
  for (const [what, options, field] of refusals) {
    it(`refuses ${what}, naming the option`, () => {
      assert.throws(() => createTallystick(options as TallystickOptions), { code: 'INVALID_CONFIG', field });
    });
  }
});

describe('The figures of a tallystick', () => {
  it('add up over partitions, and tell what is pending', async () => {
    const { store, world, tallystick, counters } = setUp();
    const results = ['a', 'b', 'c', 'a'].map((key) => counters.add(key));
    counters.tally('t');
    await world.pass();
    const { operations, entries, batches, waiting, tallies } = tallystick.stats();
    assert.deepEqual({ operations, entries, batches, waiting, tallies }, { operations: 4, entries: 3, batches: 2, waiting: 4, tallies: 1 });
    for (const sent of store.sent) sent.answer();
    await Promise.all(results);
    assert.equal(tallystick.stats().waiting, 0);
  });

  it('count what was refused, sent again and repaired', async () => {
    const { store, world, events, tallystick, counters } = setUp({ maxPending: 1, counters: { 't:*': { ttlMs: 500 } } });
    store.replica.putCount('t:1', { value: 1 });
    const result = counters.add('t:1');
    await assert.rejects(counters.add('t:1'), { code: 'OVERLOADED' });
    await world.pass();
    store.newest.lose();
    await world.pass(100);
    store.newest.answer();
    await result;
    const { refused, resends, repairs, lostBatches } = tallystick.stats();
    assert.deepEqual({ refused, resends, repairs, lostBatches }, { refused: 1, resends: 1, repairs: 1, lostBatches: 0 });
    assert.deepEqual(events.map(({ type }) => type), ['resend', 'repaired']);
  });
});

describe('An outage of the store', () => {
  it('is told after half a second, and its end with the first answer', async () => {
    const { store, world, events, counters } = setUp();
    const result = counters.add('a');
    await world.pass(501);
    assert.deepEqual(events, [{ type: 'outage', waitedMs: 500 }]);
    store.newest.answer();
    assert.equal((await result).value, 1);
    assert.equal(events.at(-1)?.type, 'recovered');
  });
});

describe('Closing a tallystick', () => {
  it('flushes what was absorbed, waits for every answer, takes no more, and leaves no timer behind', async () => {
    const { store, world, tallystick, counters } = setUp();
    const result = counters.add('a', 2);
    counters.tally('b', 3);
    const closing = tallystick.close();
    assert.throws(() => { counters.tally('b'); }, { code: 'CLOSED' });
    for (let i = 0; i < 4; i++) {
      await world.pass();
      for (const sent of store.sent) sent.answer();
    }
    assert.deepEqual(await closing, { unsettled: 0 });
    assert.equal((await result).value, 2);
    assert.deepEqual([store.valueOf('a'), store.valueOf('b'), store.closed], [2, 3, 1]);
    await assert.rejects(counters.add('a'), { code: 'CLOSED' });
    assert.ok(world.isAtRest);
  });

  it('gives up after its time, and tells how much is unsettled and to whom', async () => {
    const { store, world, tallystick, counters } = setUp();
    const outcome = assert.rejects(counters.add('a', 2), { code: 'OUTCOME_UNKNOWN' });
    await world.pass();
    let report: unknown;
    void tallystick.close({ timeoutMs: 50 }).then((found) => { report = found; });
    await world.pass(49);
    assert.equal(report, undefined);
    await world.pass(2);
    assert.deepEqual(report, { unsettled: 1 });
    await outcome;
    assert.equal(store.closed, 1);
    await world.pass(5_000);
    assert.ok(world.isAtRest);
  });

  it('waits half a minute when nothing else is said', async () => {
    const { world, tallystick, counters } = setUp();
    const outcome = assert.rejects(counters.add('a', 2), { code: 'OUTCOME_UNKNOWN' });
    let isClosed = false;
    void tallystick.close().then(() => { isClosed = true; });
    await world.pass(29_999);
    assert.equal(isClosed, false);
    await world.pass(2);
    assert.equal(isClosed, true);
    await outcome;
  });

  it('refuses callers at once, while what was absorbed is still handed over', async () => {
    const { store, world, tallystick, counters } = setUp();
    counters.tally('b', 3);
    const closing = tallystick.close();
    await assert.rejects(counters.add('a'), { code: 'CLOSED' });
    await world.pass();
    store.newest.answer();
    assert.deepEqual([await closing, store.valueOf('a'), store.valueOf('b')], [{ unsettled: 0 }, 0, 3]);
  });

  it('waits no longer than its time for a store that does not close', async () => {
    const { store, world, tallystick } = setUp();
    store.close = () => new Promise(() => undefined);
    let report: unknown;
    void tallystick.close({ timeoutMs: 50 }).then((found) => { report = found; });
    await world.pass(51);
    assert.deepEqual(report, { unsettled: 0 });
  });

  it('tells whoever waits when somebody else has closed the store, and refuses from then on', async () => {
    const store = memoryStore();
    const tallysticks = [createTallystick({ store }), createTallystick({ store })] as const;
    await tallysticks[1].counters.add('a');
    await tallysticks[0].close();
    await assert.rejects(tallysticks[1].counters.add('a'), { code: 'OUTCOME_UNKNOWN' });
    await assert.rejects(tallysticks[1].counters.add('a'), { code: 'CLOSED' });
    assert.throws(() => { tallysticks[1].counters.tally('a'); }, { code: 'CLOSED' });
    assert.deepEqual(await tallysticks[1].close(), { unsettled: 0 });
  });

  for (const [what, options] of [['no number', { timeoutMs: NaN }], ['no options', null], ['an unknown option', { timeout: 5 }]] as const) {
    it(`refuses ${what}, and stays open`, async () => {
      const { store, tallystick } = setUp();
      assert.throws(() => tallystick.close(options as never), { code: 'INVALID_ARGUMENT' });
      store.answersAtOnce = true;
      assert.equal((await tallystick.counters.add('a')).value, 1);
    });
  }

  it('gives the same promise to everybody', () => {
    const { tallystick } = setUp();
    assert.equal(tallystick.close(), tallystick.close({ timeoutMs: 1 }));
  });
});
