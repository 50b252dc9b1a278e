// Cases D: counting twice, and concurrency.
import assert from 'node:assert/strict';
import { createClient } from '@tallystick/client';
import { TallystickError, type Store } from 'tallystick';
import { FaultProxy } from '../support/fault-proxy.ts';
import { codeOf, group, openWorld, standsAt, times, valueOf } from './harness.ts';
import { post } from './http-door.ts';

const HOUR_MS = 3_600_000;
const REPLY_DELAY_MS = 300;

/** Applies at once and answers late. */
const answersLate = (inner: Store): Store => ({
  partitions: inner.partitions,
  apply: async (batch) => {
    const reply = await inner.apply(batch);
    await new Promise((resolve) => setTimeout(resolve, REPLY_DELAY_MS));
    return reply;
  },
  read: (partition, queries) => inner.read(partition, queries),
  close: () => inner.close(),
});

/** Executes everything and loses one answer in ten. */
function losesAnswers(inner: Store): Store {
  let answers = 0;
  return {
    partitions: inner.partitions,
    apply: async (batch) => {
      const reply = await inner.apply(batch);
      if (++answers % 10 === 0) throw new TallystickError('STORE_UNAVAILABLE', 'the answer was lost');
      return reply;
    },
    read: (partition, queries) => inner.read(partition, queries),
    close: () => inner.close(),
  };
}

group('D: counting twice', ({ everywhere, once, store }) => {
  everywhere('D01 one decrement of 10, sent 20 times at once and once an hour later under one id, leaves 9', async (at) => {
    const { counters, key, clock } = at;
    await counters.add(key, 10);
    const undo = (): ReturnType<typeof counters.add> => counters.add(key, -1, { requestId: 'undo' });
    const results = await Promise.all(times(20, undo));
    assert.equal(results.filter(({ replayed }) => replayed !== true).length, 1);
    assert.ok(results.every(({ value, delta }) => value === 9 && delta === -1));
    clock.advance(HOUR_MS);
    assert.deepEqual(await undo(), { outcome: 'applied', value: 9, exact: true, delta: -1, replayed: true });
    await standsAt(at, key, 9);
  });

  once('D01 one id sent through every door counts once', async (at) => {
    for (const door of Object.values(at.doors)) assert.equal((await door.add(at.key, 1, { requestId: 'same' })).value, 1);
    await standsAt(at, at.key, 1);
  });

  everywhere('D01 a batch of 100 sent again under one id gives the first results and counts nothing', async ({ counters, key }) => {
    const items = times(100, (i) => ({ key: `${key}:${i % 10}`, delta: i }));
    const first = await counters.addMany(items, { requestId: 'batch' });
    const again = await counters.addMany(items, { requestId: 'batch' });
    assert.deepEqual(again.map(({ value }) => value), first.map(({ value }) => value));
    assert.ok(again.every((result) => 'replayed' in result && result.replayed));
    assert.equal((await counters.getMany(times(10, (i) => `${key}:${i}`))).reduce((sum, { value }) => sum + value, 0), 4950);
  });

  once('D03 10,000 adds without ids while one store answer in ten is lost: 10,000 exactly', async () => {
    await using world = await openWorld(store, { around: losesAnswers });
    const { tallystick, doors } = world;
    for (let round = 0; round < 50; round++) await Promise.all(times(200, () => tallystick.counters.add('k')));
    assert.ok(tallystick.stats().resends > 0, 'answers were lost');
    await standsAt({ doors }, 'k', 10_000);
  });

  once('D03 answers lost on the network are OUTCOME_UNKNOWN: confirmed ≤ value ≤ attempted', async ({ grpc, key, doors }) => {
    const proxy = await new FaultProxy(Number(grpc.split(':')[1])).start();
    const client = createClient({ address: proxy.address, retryWrites: false, timeoutMs: 5000 });
    await client.counters.add(key);
    const codes = new Map<string, number>([['answered', 1]]);
    for (let round = 0; round < 10; round++) {
      proxy.dropReplies = round % 2 === 1;
      const calls = times(20, () => codeOf(client.counters.add(key)));
      if (proxy.dropReplies) setTimeout(() => { proxy.cut(); }, 20);
      for (const code of await Promise.all(calls)) codes.set(code, (codes.get(code) ?? 0) + 1);
      proxy.heal();
    }
    await client.close();
    await proxy.stop();
    const confirmed = codes.get('answered') ?? 0;
    const value = await valueOf(doors.library, key);
    assert.deepEqual([...codes.keys()].sort(), ['OUTCOME_UNKNOWN', 'answered']);
    assert.ok(confirmed <= value && value <= 201, `${confirmed} confirmed, found ${value}`);
  });

  once('D04 three attempts of 100 ms against answers that take 300 ms, under one id: 1', async () => {
    await using world = await openWorld(store, { around: answersLate });
    const client = createClient({ address: world.grpc });
    await client.counters.get('warm');
    const outcomes = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      const add = client.counters.add('k', 1, { requestId: 'one', timeoutMs: 100 });
      outcomes.push(await add.then(({ outcome }) => outcome, (error: unknown) => (error as TallystickError).code));
    }
    assert.ok(outcomes.every((outcome) => outcome === 'accepted' || outcome === 'OUTCOME_UNKNOWN'), outcomes.join());
    assert.deepEqual(await client.counters.add('k', 1, { requestId: 'one' }), { outcome: 'applied', value: 1, exact: true, delta: 1, replayed: true });
    await client.close();
    await standsAt(world, 'k', 1);
  });

  everywhere('D05 the first hit of a fresh key is 1, for every type', async ({ counters, key }) => {
    for (const options of [
      {}, { ttlMs: 1000 }, { min: 0, max: 9 }, { type: 'batched' }, { type: 'sliding-log', windowMs: 1000 }, { type: 'sliding-window', windowMs: 1000 },
      { type: 'unique', windowMs: 1000, member: 'm' }, { type: 'unique-approx', windowMs: 1000, member: 'm' },
    ] as const) {
      const fresh = `${key}:${JSON.stringify(options)}`;
      assert.equal((await counters.add(fresh, 1, options)).value, 1, fresh);
    }
  });

  once('D05 the first like and the first occurrence are 1', async ({ url, key }) => {
    assert.equal((await post(`${url}/v1/frequency/add`, { business_id: 1, key, time_span: 60 }))['freq'], 1);
    assert.equal(((await post(`${url}/api/counter/like`, { userId: 'u', resourceId: key }))['data'] as { count: number }).count, 1);
  });

  everywhere('D06 500 first hits at once are 1 to 500, each once', async (at) => {
    const { counters, key } = at;
    const values = await Promise.all(times(500, async () => (await counters.add(key)).value));
    assert.deepEqual(values.sort((a, b) => a - b), times(500, (i) => i + 1));
    await standsAt(at, key, 500);
  });

  everywhere('D06 500 first hits with a lifetime of 3 ms that runs out between them: no error, never without lifetime', async ({ counters, key, clock }) => {
    const ticks = setInterval(() => { clock.advance(1); }, 1);
    for (let round = 0; round < 20; round++) {
      const results = await Promise.all(times(25, () => counters.add(key, 1, { ttlMs: 3 })));
      for (const { ttlMs = 0, outcome } of results) assert.ok(outcome === 'applied' && ttlMs >= 1 && ttlMs <= 3, `${ttlMs}`);
    }
    clearInterval(ticks);
    clock.advance(3);
    assert.equal((await counters.get(key)).found, false);
  });
});
