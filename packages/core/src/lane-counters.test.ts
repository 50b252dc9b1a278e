import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ScriptedStore, StillWorld } from '../../../test/support/scripted-store.ts';
import { MAX_BATCH_ITEMS, type AddItem, type AddOptions, type GetItem } from './counters.ts';
import { MAX_VALUE } from './model/amount.ts';
import type { Reply } from './model/answer.ts';
import type { CounterOptions } from './model/counter-type.ts';
import { partitionOf } from './model/partition.ts';
import { composeTallystick } from './tallystick.ts';

function setUp(counters: Record<string, CounterOptions> = {}, partitions = 1) {
  const store = new ScriptedStore({ partitions });
  store.answersAtOnce = true;
  const world = new StillWorld();
  const tallystick = composeTallystick({ store, counters }, world.environment);
  return { store, world, tallystick, counters: tallystick.counters };
}

/** What a caller without types might send. */
const wild = (value: unknown): never => value as never;

describe('add', () => {
  it('adds one when no amount is given, and tells the exact value', async () => {
    const { counters } = setUp();
    assert.deepEqual(await counters.add('k'), { outcome: 'applied', value: 1, exact: true, delta: 1 });
    assert.equal((await counters.add('k', -5)).value, -4);
  });

  it('sends a key to its partition', async () => {
    const { store, counters } = setUp({}, 3);
    const keys = Array.from({ length: 12 }, (_, i) => `k${i}`);
    await Promise.all(keys.map((key) => counters.add(key)));
    assert.equal(store.sent.length, 3);
    for (const { batch } of store.sent) for (const { key } of batch.operations) assert.equal(partitionOf(key, 3), batch.partition);
  });

  it('keeps to what is declared, unless the call says otherwise', async () => {
    const { counters } = setUp({ 'stock:*': { min: 0 } });
    assert.deepEqual(await counters.add('stock:1', -3), { outcome: 'applied', value: 0, exact: true, delta: 0 });
    assert.equal((await counters.add('stock:1', -3, { min: -1 })).value, -1);
    assert.equal((await counters.add('stock:1', -3, { min: undefined } as never)).delta, 0);
  });

  it('answers from the request id the second time', async () => {
    const { store, counters } = setUp();
    const first = await counters.add('k', 2, { requestId: 'r' });
    assert.deepEqual(await counters.add('k', 2, { requestId: 'r' }), { ...first, replayed: true });
    assert.equal(store.valueOf('k'), 2);
  });

  it('counts members once', async () => {
    const { counters } = setUp({ 'v:*': { type: 'unique', windowMs: 1000 } });
    const seen = ['m', 'n', 'm'].map((member) => counters.add('v:1', 1, { member }));
    assert.deepEqual((await Promise.all(seen)).map(({ value, delta }) => [value, delta]), [[1, 1], [2, 1], [2, 0]]);
  });

  const refusals: readonly (readonly [string, string, number, AddOptions | undefined, object])[] = [
    ['an empty key', '', 1, undefined, { code: 'INVALID_KEY', field: 'key' }],
    ['a key that is none', wild(7), 1, {}, { code: 'INVALID_KEY', field: 'key' }],
    ['a fraction', 'k', 0.5, undefined, { code: 'INVALID_AMOUNT', field: 'delta' }],
    ['a fraction, with options', 'k', 0.5, {}, { code: 'INVALID_AMOUNT', field: 'delta' }],
    ['an amount out of range', 'k', MAX_VALUE + 1, undefined, { code: 'INVALID_AMOUNT', field: 'delta' }],
    ['an amount that is text', 'k', wild('1'), undefined, { code: 'INVALID_AMOUNT', field: 'delta' }],
    ['options that are none', 'k', 1, wild(5), { code: 'INVALID_ARGUMENT', field: 'options' }],
    ['an unknown option', 'k', 1, wild({ mim: 0 }), { code: 'UNKNOWN_FIELD', field: 'mim' }],
    ['an option of another type', 'k', 1, { type: 'batched', min: 0 }, { code: 'INVALID_ARGUMENT', field: 'min' }],
    ['an empty request id', 'k', 1, { requestId: '' }, { code: 'INVALID_ARGUMENT', field: 'requestId' }],
    ['a long request id', 'k', 1, { requestId: 'r'.repeat(129) }, { code: 'INVALID_ARGUMENT', field: 'requestId' }],
    ['an ill-formed request id', 'k', 1, { requestId: '\ud800' }, { code: 'INVALID_ARGUMENT', field: 'requestId' }],
    ['no time left', 'k', 1, { timeoutMs: 0 }, { code: 'TIMEOUT', field: 'timeoutMs' }],
    ['a deadline that is no number', 'k', 1, wild({ timeoutMs: 'soon' }), { code: 'INVALID_ARGUMENT', field: 'timeoutMs' }],
    ['a request id without characters', 'k', 1, { requestId: '' }, { code: 'INVALID_ARGUMENT', field: 'requestId' }],
    ['a lifetime of no request id', 'k', 1, { requestTtlMs: 5 }, { code: 'INVALID_ARGUMENT', field: 'requestTtlMs' }],
    ['a lifetime of nothing', 'k', 1, { requestId: 'r', requestTtlMs: 0 }, { code: 'INVALID_ARGUMENT', field: 'requestTtlMs' }],
    ['a member where there are none', 'k', 1, { member: 'm' }, { code: 'INVALID_ARGUMENT', field: 'member' }],
    ['no member where there must be one', 'k', 1, { type: 'unique', windowMs: 5 }, { code: 'INVALID_KEY', field: 'member' }],
    ['two members at once', 'k', 2, { type: 'unique', windowMs: 5, member: 'm' }, { code: 'INVALID_AMOUNT', field: 'delta' }],
    ['taking events out of a window', 'k', -1, { type: 'sliding-log', windowMs: 5 }, { code: 'INVALID_AMOUNT', field: 'delta' }],
  ];
  for (const [what, key, delta, options, expected] of refusals) {
    it(`refuses ${what}, and sends nothing`, async () => {
      const { store, world, counters } = setUp();
      await assert.rejects(counters.add(key, delta, options), expected);
      await world.pass(1000);
      assert.deepEqual(store.told, []);
    });
  }
});

describe('addMany', () => {
  it('gives results in the order of the items, a refusal among them', async () => {
    const { store, counters } = setUp();
    store.replica.putCount('full', { value: MAX_VALUE });
    const [one, refused, two] = await counters.addMany([{ key: 'a' }, { key: 'full', delta: 5 }, { key: 'a', delta: 2 }]);
    assert.deepEqual([one, two].map((result) => result?.value), [1, 3]);
    assert.deepEqual({ ...refused, msg: '' }, { outcome: 'refused', code: 'OUT_OF_RANGE', msg: '', value: MAX_VALUE });
  });

  it('executes nothing when one item is bad, and names its index', async () => {
    const { store, world, counters } = setUp();
    const bad: readonly (readonly [AddItem, object])[] = [
      [{ key: '' }, { code: 'INVALID_KEY', field: 'items[1].key', index: 1 }],
      [{ key: 'k', delta: 1.5 }, { code: 'INVALID_AMOUNT', field: 'items[1].delta' }],
      [wild({ key: 'k', detla: 1 }), { code: 'UNKNOWN_FIELD', field: 'items[1].detla' }],
      [wild('k'), { code: 'INVALID_ARGUMENT', field: 'items[1].item' }],
    ];
    for (const [item, expected] of bad) await assert.rejects(counters.addMany([{ key: 'a' }, item]), expected);
    await world.pass(1000);
    assert.deepEqual(store.told, []);
  });

  it('covers the whole call with one request id, of any length that is allowed', async () => {
    const { store, counters } = setUp();
    const items = [{ key: 'a' }, { key: 'a' }, { key: 'b', requestId: 'own' }];
    const requestId = 'r'.repeat(128);
    await counters.addMany(items, { requestId });
    const again = await counters.addMany(items, { requestId });
    assert.ok(again.every((result) => 'replayed' in result));
    await counters.add('b', 1, { requestId: 'own' });
    assert.deepEqual([store.valueOf('a'), store.valueOf('b')], [2, 1]);
  });

  it('takes a hole in a list for a bad item: nothing of the list is counted', async () => {
    const { store, world, counters } = setUp();
    const items: AddItem[] = [{ key: 'a' }];
    items.length = 2;
    await assert.rejects(counters.addMany(items), { code: 'INVALID_ARGUMENT', index: 1 });
    await assert.rejects(counters.getMany(new Array<string>(1)), { code: 'INVALID_ARGUMENT', index: 0 });
    await world.pass(1000);
    assert.deepEqual(store.told, []);
  });

  it('gives the lifetime of the call to the ids of the call, unless an item has its own', async () => {
    const { store, counters } = setUp();
    const items = [{ key: 'a' }, { key: 'b', requestTtlMs: 9 }, { key: 'c', requestId: 'own' }, { key: 'd', requestId: 'own', requestTtlMs: 7 }];
    await counters.addMany(items, { requestId: 'r', requestTtlMs: 5 });
    const sent = store.sent.flatMap(({ batch }) => batch.operations.map(({ requestId, requestTtlMs }) => [requestId, requestTtlMs]));
    assert.deepEqual(sent, [['r#0', 5], ['r#1', 9], ['own', undefined], ['own', 7]]);
    const alone = counters.addMany([{ key: 'a', requestId: 'own' }], { requestTtlMs: 5 });
    await assert.rejects(alone, { code: 'INVALID_ARGUMENT', field: 'requestTtlMs' });
    await assert.rejects(counters.addMany([{ key: 'a', requestTtlMs: 5 }]), { field: 'items[0].requestTtlMs', index: 0 });
  });

  it('holds each item to the deadline of the call, unless it has its own', async () => {
    const { store, world, counters } = setUp();
    store.answersAtOnce = false;
    const results = counters.addMany([{ key: 'a' }, { key: 'b', timeoutMs: 50 }], { timeoutMs: 10 });
    let isTold = false;
    void results.then(() => { isTold = true; });
    await world.pass(49);
    assert.equal(isTold, false);
    await world.pass(1);
    assert.deepEqual((await results).map(({ outcome }) => outcome), ['accepted', 'accepted']);
  });

  it('has nothing to wait for without items', async () => {
    assert.deepEqual(await setUp().counters.addMany([]), []);
  });

  it('refuses what is no array, too many items, and unknown options', async () => {
    const { counters } = setUp();
    await assert.rejects(counters.addMany(wild({ key: 'a' })), { code: 'INVALID_ARGUMENT', field: 'items' });
    await assert.rejects(counters.addMany(Array.from({ length: MAX_BATCH_ITEMS + 1 }, () => ({ key: 'a' }))), { code: 'BATCH_TOO_LARGE', field: 'items' });
    await assert.rejects(counters.addMany([], wild({ requestID: 'r' })), { code: 'UNKNOWN_FIELD', field: 'requestID' });
  });
});

describe('get', () => {
  it('reads what is there, and tells that nothing is', async () => {
    const { counters } = setUp();
    await counters.add('k', 4, { ttlMs: 500 });
    assert.deepEqual(await counters.get('k'), { value: 4, found: true, exact: true, ttlMs: 500 });
    assert.deepEqual(await counters.get('none'), { value: 0, found: false, exact: true });
  });

  it('reads the counter that is declared, or that the call asks for', async () => {
    const { counters } = setUp({ 'w:*': { type: 'sliding-log', windowMs: 1000 } });
    await counters.add('w:1', 3);
    await counters.add('w:1', 10, { type: 'simple' });
    assert.equal((await counters.get('w:1')).value, 3);
    assert.equal((await counters.get('w:1', { type: 'simple' })).value, 10);
    assert.equal((await counters.get('w:1', { type: 'sliding-log', windowMs: 99 })).found, false);
  });

  it('calls an estimate what is one', async () => {
    const { counters } = setUp({ 'u:*': { type: 'unique-approx', windowMs: 1000 } });
    await counters.add('u:1', 1, { member: 'm' });
    assert.deepEqual(await counters.get('u:1'), { value: 1, found: true, exact: false });
  });

  it('reads many in order, in one read per partition', async () => {
    const { store, counters } = setUp({}, 2);
    await Promise.all(['a', 'b', 'c', 'd'].map((key, i) => counters.add(key, i + 1)));
    const items: (string | GetItem)[] = ['d', { key: 'a' }, { key: 'b', type: 'simple' }, 'none'];
    assert.deepEqual((await counters.getMany(items)).map(({ value }) => value), [4, 1, 2, 0]);
    assert.equal(store.asked.length, 2);
  });

  it('refuses bad keys and options', async () => {
    const { counters } = setUp();
    await assert.rejects(counters.get(''), { code: 'INVALID_KEY' });
    await assert.rejects(counters.get('k', wild({ min: 0 })), { code: 'UNKNOWN_FIELD', field: 'min' });
    await assert.rejects(counters.getMany(['k', '']), { code: 'INVALID_KEY', index: 1 });
    await assert.rejects(counters.getMany(['k', wild(null)]), { code: 'INVALID_ARGUMENT', index: 1 });
    await assert.rejects(counters.getMany(wild('k')), { code: 'INVALID_ARGUMENT', field: 'items' });
  });

  it('passes on that the store does not answer', async () => {
    const { store, counters } = setUp();
    store.isDeaf = true;
    await assert.rejects(counters.get('k'), { code: 'STORE_UNAVAILABLE', transient: true });
  });
});

describe('A batched counter', () => {
  const batched = { 'b:*': { type: 'batched' } } as const;

  it('absorbs at once and flushes one sum', async () => {
    const { store, world, counters } = setUp(batched);
    store.replica.putCount('b:1', { value: 10 });
    const results = [counters.add('b:1', 2), counters.add('b:1', 3)];
    assert.deepEqual((await Promise.all(results)).map(({ outcome, exact }) => [outcome, exact]), [['accepted', false], ['accepted', false]]);
    assert.deepEqual(store.told, []);
    await world.pass(100);
    assert.deepEqual(store.told, ['s.1/1 b:1 5']);
    assert.equal((await counters.add('b:1', 1)).value, 16, 'estimated from the last exact value');
  });

  it('is read with what is not flushed yet', async () => {
    const { world, counters } = setUp(batched);
    counters.tally('b:1', 4);
    assert.deepEqual(await counters.get('b:1'), { value: 4, found: true, exact: false });
    await world.pass(100);
    assert.deepEqual(await counters.get('b:1'), { value: 4, found: true, exact: true });
  });

  it('has each amount in once, whether a reading that was on its way with a flush has it in or not', async () => {
    for (const isCountedFirst of [true, false]) {
      const { store, world, counters } = setUp(batched);
      store.replica.putCount('b:1', { value: 100 });
      assert.equal((await counters.add('b:1', 1)).value, 101);
      await world.pass(100);
      counters.tally('b:1', 5);
      store.answersAtOnce = false;
      await world.pass(100);
      const { batch, reply } = store.newest;
      const flush = (): Reply => store.replica.apply(batch, 0);
      const applied = isCountedFirst ? flush() : undefined;
      const release = store.holdReads();
      const readings = counters.getMany(['b:1', 'b:1']);
      await world.pass();
      if (!isCountedFirst) {
        reply(flush());
        await world.pass();
      }
      release();
      const reading = { value: 106, found: true, exact: false };
      assert.deepEqual(await readings, [reading, reading]);
      if (applied !== undefined) reply(applied);
      await world.pass();
      assert.deepEqual(await counters.get('b:1'), { ...reading, exact: true });
    }
  });

  it('is absorbed although the store does not answer', async () => {
    const { store, world, counters } = setUp(batched);
    store.isDeaf = true;
    assert.deepEqual(await counters.add('b:1', 2), { outcome: 'accepted', value: 2, exact: false, delta: 2 });
    await world.pass(100);
    assert.equal(store.valueOf('b:1'), 2);
  });

  it('goes straight to the store with a request id', async () => {
    const { counters } = setUp(batched);
    assert.deepEqual(await counters.add('b:1', 2, { requestId: 'r' }), { outcome: 'applied', value: 2, exact: true, delta: 2 });
  });

  it('is not exact with a request id while other amounts are not flushed, and repeats its first answer', async () => {
    const { counters } = setUp(batched);
    counters.tally('b:1', 4);
    assert.deepEqual(await counters.add('b:1', 2, { requestId: 'r' }), { outcome: 'applied', value: 2, exact: false, delta: 2 });
    assert.equal((await counters.add('b:1', 2, { requestId: 'r' })).value, 2);
  });

  it('keeps the lifetime of the call', async () => {
    const { world, counters } = setUp();
    await counters.add('k', 2, { type: 'batched', ttlMs: 500 });
    await world.pass(100);
    assert.equal((await counters.get('k')).ttlMs, 500);
  });

  it('is tallied without being declared, but not as another type', () => {
    const { counters } = setUp({ 's:*': { type: 'simple' } });
    counters.tally('k');
    assert.throws(() => { counters.tally('s:1'); }, { code: 'INVALID_ARGUMENT', field: 'key' });
    assert.throws(() => { counters.tally('k', 0.5); }, { code: 'INVALID_AMOUNT' });
  });
});

describe('the range of batched counters', () => {
  const batched = { 'b:*': { type: 'batched' as const } };

  it('refuses what the store could not take, also when that is learned only after the amount came', async () => {
    const { store, counters, tallystick } = setUp(batched);
    store.replica.putCount('b:1', { value: MAX_VALUE - 1 });
    const [first, second] = await Promise.allSettled([counters.add('b:1', 1), counters.add('b:1', 1)]);
    assert.deepEqual([first.status, second.status].toSorted(), ['fulfilled', 'rejected']);
    const refused = (first.status === 'rejected' ? first : second) as PromiseRejectedResult;
    assert.equal((refused.reason as { code: string }).code, 'OUT_OF_RANGE');
    await assert.rejects(counters.add('b:1', 1), { code: 'OUT_OF_RANGE', field: 'delta' });
    assert.deepEqual(await tallystick.close(), { unsettled: 0 });
    assert.equal(store.valueOf('b:1'), MAX_VALUE);
  });

  it('hands nothing over while the value of the store is being learned', async () => {
    const { store, world, counters } = setUp(batched);
    let told = (): void => undefined;
    const read = store.read.bind(store);
    store.read = async (...asked) => new Promise<void>((resolve) => (told = resolve)).then(() => read(...asked));
    const result = counters.add('b:1', 2);
    await world.pass(250);
    assert.equal(store.sent.length, 0);
    told();
    assert.equal((await result).value, 2);
    await world.pass(100);
    assert.equal(store.valueOf('b:1'), 2);
  });

  it('waits for that value no longer than the caller may wait, and counts', async () => {
    const { store, world, counters } = setUp(batched);
    store.read = () => new Promise(() => undefined);
    const result = counters.add('b:1', 2, { timeoutMs: 30 });
    await world.pass(31);
    assert.deepEqual(await result, { outcome: 'accepted', value: 2, exact: false, delta: 2 });
    await world.pass(200);
    assert.equal(store.valueOf('b:1'), 2);
  });
});
