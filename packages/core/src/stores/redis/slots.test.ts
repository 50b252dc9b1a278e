import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { createClient } from 'redis';
import { startRedis } from '../../../../../test/support/redis.ts';
import { isBehind, type Answer } from '../../model/answer.ts';
import { effectsOf, type Batch } from '../../model/batch.ts';
import type { Operation } from '../../model/operation.ts';
import type { Store } from '../../store.ts';
import { redisStore, type RedisClient } from './index.ts';
import { Slots } from './slots.ts';

const server = await startRedis();
const client = createClient({ url: server.url });
await client.connect();
after(async () => {
  client.destroy();
  await server.stop();
});

/** One process: a store of its own, a source, and whether it names slots is seen from what the server is sent. */
class Process {
  readonly #store: Store;
  readonly #source: string;
  #seq = 0;

  constructor(store: Store, source: string) {
    this.#store = store;
    this.#source = source;
  }

  async send(...operations: Operation[]): Promise<Answer> {
    const reply = await this.#store.apply(this.batch(...operations));
    assert.ok(!isBehind(reply), 'behind');
    return reply;
  }

  batch(...operations: Operation[]): Batch {
    return { source: this.#source, partition: 0, seq: ++this.#seq, operations };
  }

  async add(key: string, delta: number): Promise<number> {
    return (await this.send({ key, delta })).values[0]!;
  }

  async value(key: string): Promise<number> {
    return (await this.#store.read(0, [{ key }]))[0]!.value;
  }

  apply(batch: Batch): ReturnType<Store['apply']> {
    return this.#store.apply(batch);
  }
}

let a: Process;
let b: Process;
beforeEach(async () => {
  await client.flushAll();
  a = new Process(await redisStore({ client, partitions: 1 }), 'a');
  b = new Process(await redisStore({ client, partitions: 1 }), 'b');
});

/** All keys, as a replica that was left behind would have them. */
async function snapshot(): Promise<() => Promise<void>> {
  const keys = await client.keys('*');
  const raw = client.withTypeMapping({ 36: Buffer });
  const dumps = await Promise.all(keys.map((key) => raw.dump(key)));
  return async () => {
    await client.flushAll();
    for (const [i, key] of keys.entries()) await client.restore(key, 0, dumps[i]!);
  };
}

const living = (ttlMs: number): Partial<Operation> => ({ terms: { kind: 'count', ttlMs } });

describe('slots', () => {
  it('hold the same counters for processes that know them and for processes that do not', async () => {
    for (let i = 1; i <= 5; i++) {
      assert.equal(await a.add('k', 1), 2 * i - 1);
      assert.equal(await b.add('k', 1), 2 * i);
    }
    assert.equal(await a.value('k'), 10);
  });

  it('are given up by a counter that outgrows them, in both directions, and by nobody else', async () => {
    await a.send({ key: 'up', delta: 2 ** 31 - 2 }, { key: 'down', delta: -(2 ** 31) + 2 }, { key: 'other', delta: 7 });
    for (const [key, delta] of [['up', 1], ['up', 5], ['down', -1], ['down', -9], ['up', 1]] as const) {
      await b.add(key, delta);
      await a.send({ key: 'other', delta: 1 }, { key, delta });
    }
    assert.deepEqual([await a.value('up'), await a.value('down')], [2 ** 31 - 2 + 14, -(2 ** 31) + 2 - 20]);
    assert.equal(await b.add('other', 0 + 1), 13);
    assert.equal(await client.lLen('{tally:0}f'), 2);
  });

  it('go to the next counter when one begins to expire, without a process that knew them adding to the wrong one', async () => {
    assert.equal(await a.add('k', 5), 5);
    assert.equal(await b.add('k', 1), 6);
    await b.send({ key: 'k', delta: 1, ...living(60_000) });
    assert.equal(await b.add('heir', 100), 100);
    assert.equal(await client.lLen('{tally:0}f'), 0, 'the slot was taken');
    assert.deepEqual((await a.send({ key: 'k', delta: 1 })).values, [8]);
    assert.deepEqual([await a.value('k'), await a.value('heir')], [8, 100]);
  });

  it('are used again after a foreign value took the place of the sources, which are lost as in a flush', async () => {
    await a.add('k', 5);
    await client.set('{tally:0}s', 'foreign');
    assert.deepEqual(await a.apply(a.batch({ key: 'k', delta: 1 })), { behind: 0 });
    const c = new Process(await redisStore({ client, partitions: 1 }), 'c');
    assert.deepEqual([await c.add('k', 1), await c.add('k', 1)], [6, 7]);
  });

  it('that were set free later in the same batch are not learned', async () => {
    await a.send({ key: 'k', delta: 1 }, { key: 'k', delta: 1, ...living(60_000) });
    await b.add('heir', 100);
    await a.add('k', 1);
    assert.deepEqual([await a.value('k'), await a.value('heir')], [3, 100]);
  });

  it('keep the order of operations on one counter', async () => {
    await a.add('k', 1);
    const bounded: Operation = { key: 'k', delta: -9, terms: { kind: 'count', min: 0 } };
    assert.deepEqual((await a.send({ key: 'k', delta: 4 }, bounded, { key: 'k', delta: 2 })).values, [5, 0, 2]);
  });

  it('that a lagging replica never assigned are not named to it', async () => {
    await a.add('old', 1);
    const failOver = await snapshot();
    // On the lost primary two counters got slots that the new one will give to others.
    await a.send({ key: 'lost1', delta: 10 }, { key: 'lost2', delta: 20 });
    await b.send({ key: 'lost1', delta: 1 });
    await failOver();
    const c = new Process(await redisStore({ client, partitions: 1 }), 'c');
    await c.send({ key: 'new1', delta: 500 }, { key: 'new2', delta: 600 });
    assert.deepEqual(await a.apply(a.batch({ key: 'lost1', delta: 1 }, { key: 'lost2', delta: 1 })), { behind: 1 });
    assert.deepEqual(await b.apply(b.batch({ key: 'lost1', delta: 1 })), { behind: 0 });
    const resent = await a.apply({ source: 'a', partition: 0, seq: 2, operations: [{ key: 'lost1', delta: 10 }, { key: 'lost2', delta: 20 }] });
    assert.deepEqual(isBehind(resent) ? resent : resent.values, [10, 20]);
    assert.deepEqual([await c.value('new1'), await c.value('new2'), await c.value('lost1')], [500, 600, 10]);
  });

  it('are forgotten when the one batch that a replica had lost is sent again before any other', async () => {
    await a.add('old', 1);
    const failOver = await snapshot();
    const lost = a.batch({ key: 'lost', delta: 10 });
    const answer = (await a.apply(lost)) as Answer;
    await failOver();
    // The slot that was the lost counter's goes to another; then an idle lane asks whether its last batch is there.
    const c = new Process(await redisStore({ client, partitions: 1 }), 'c');
    await c.add('heir', 500);
    await a.apply(effectsOf(lost, answer));
    assert.equal(await a.add('lost', 1), 11);
    assert.deepEqual([await c.value('heir'), await c.value('lost')], [500, 11]);
  });

  it('named in a call that comes late, after what it rests on was lost and sent again, are added to by nobody', async () => {
    const late: (() => Promise<unknown>)[] = [];
    let holds = false;
    const holding: RedisClient = {
      isReady: true,
      sendCommand: (args, options) => {
        if (!holds) return client.sendCommand(args, options);
        late.push(() => client.sendCommand(args, options));
        return Promise.reject(new Error('no reply came'));
      },
    };
    const d = new Process(await redisStore({ client: holding, partitions: 1 }), 'd');
    await d.add('old', 1);
    const failOver = await snapshot();
    const lost = d.batch({ key: 'lost', delta: 10 });
    await d.apply(lost);
    holds = true;
    const next = d.batch({ key: 'lost', delta: 1 });
    await assert.rejects(d.apply(next));
    holds = false;
    await failOver();
    await a.add('heir', 500);
    assert.deepEqual(await d.apply(next), { behind: 1 });
    await d.apply(lost);
    assert.equal(late.length, 1);
    await late[0]!();
    assert.deepEqual([await a.value('heir'), await a.value('lost')], [500, 10]);
    await d.apply(next);
    assert.deepEqual([await a.value('heir'), await a.value('lost')], [500, 11]);
  });

  it('are known to one source only: another one of the same process may have been behind unseen', () => {
    const slots = new Slots();
    slots.learn({ source: 'a', epoch: 1, edition: 0 }, ['k', 'none'], [7, -1]);
    assert.deepEqual([slots.serves('a'), slots.serves('b'), slots.get('k'), slots.get('none')], [true, false, '#7', undefined]);
    slots.learn({ source: 'b', epoch: 1, edition: 0 }, ['j'], [8]);
    assert.deepEqual([slots.serves('a'), slots.get('k'), slots.get('j')], [false, undefined, '#8']);
    slots.learn({ source: 'b', epoch: 2, edition: 0 }, ['i'], [9]);
    assert.deepEqual([slots.get('j'), slots.get('i'), slots.epoch], [undefined, '#9', 2]);
  });

  it('are not learned from an answer that comes after they were forgotten', () => {
    const slots = new Slots();
    slots.forget();
    slots.learn({ source: 'a', epoch: 1, edition: 0 }, ['k'], [7]);
    assert.equal(slots.get('k'), undefined);
    slots.learn({ source: 'a', epoch: 1, edition: slots.edition }, ['k'], [8]);
    assert.equal(slots.get('k'), '#8');
    assert.ok(slots.newEdition() > slots.edition);
  });

  it('are remembered for so many counters and no more, those in use before others', () => {
    const slots = new Slots();
    const learn = (from: number, count: number): void => {
      slots.learn({ source: 'a', epoch: 1, edition: 0 }, Array.from({ length: count }, (_, i) => `k${from + i}`), Array.from({ length: count }, (_, i) => from + i));
    };
    learn(0, 1);
    for (let i = 1; i < 200_000; i += 10_000) {
      learn(i, 10_000);
      assert.equal(slots.get('k0'), '#0');
    }
    assert.equal(slots.get('k1'), undefined);
    assert.equal(slots.get('k199999'), '#199999');
  });

  it('take as much memory as they need: a growing string is not given as much again', async () => {
    for (let i = 0; i < 20; i++) await a.send(...Array.from({ length: 2000 }, (_, j) => ({ key: `k${i}/${j}`, delta: 1 })));
    const bytes = await client.memoryUsage('{tally:0}v');
    assert.ok(bytes !== null && bytes < 40_000 * 4 * 1.3, String(bytes));
    assert.equal(await a.value('k19/1999'), 1);
  });
});

describe('the slots of a partition', () => {
  it('keep every count while they grow past what is copied to grow', async () => {
    const COUNTERS = 150_000;
    for (let first = 0; first < COUNTERS; first += 7500) {
      const operations = Array.from({ length: 7500 }, (_, i) => ({ key: `grow${first + i}`, delta: first + i + 1 }));
      assert.deepEqual((await a.send(...operations)).values, operations.map(({ delta }) => delta));
    }
    for (const i of [0, 1, 131_071, 131_072, 131_073, COUNTERS - 1]) assert.equal(await b.add(`grow${i}`, 1), i + 2);
    assert.ok((await client.strLen('{tally:0}v')) < 4 * COUNTERS * 1.125 + 4);
  });
});
