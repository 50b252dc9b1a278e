import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createClient } from 'redis';
import { startRedis } from '../../../../../test/support/redis.ts';
import { MAX_VALUE } from '../../model/amount.ts';
import { openRedisStore } from './redis-store.ts';
import { RedisTotals } from './totals.ts';

const server = await startRedis();
const client = await createClient({ url: server.url }).connect();
after(async () => {
  client.destroy();
  await server.stop();
});

/** Every total of a partition, and in how many steps they were read. */
async function all(totals: RedisTotals, partition: number): Promise<{ found: Map<string, number>; steps: number }> {
  const found = new Map<string, number>();
  let steps = 0;
  for (let from = 0; from < totals.buckets(partition); steps++) {
    const page = await totals.read(partition, from);
    assert.ok(page.next > from);
    for (const [key, value] of page.totals) {
      const bucket = totals.bucketOf(partition, key);
      assert.ok(bucket >= from && bucket < page.next, `${key} is of bucket ${bucket}, read from ${from} to ${page.next}`);
      found.set(key, value);
    }
    from = page.next;
  }
  return { found, steps };
}

describe('totals', () => {
  it('are those of every counter that does not expire, wherever it is kept, partition by partition', async () => {
    const store = await openRedisStore({ client, prefix: 'a', partitions: 2 });
    const expected = new Map<string, number>([['big', MAX_VALUE], ['low', -MAX_VALUE], ['grown', 2 ** 31], ['é'.repeat(256), -7], ['zero', 0]]);
    for (let i = 0; i < 9000; i++) expected.set(`key:${i}`, i - 4000);
    const operations = [...expected].map(([key, delta]) => ({ key, delta }));
    let seq = 0;
    const apply = (partition: number, some: { key: string; delta: number; terms?: { kind: 'count'; ttlMs: number } }[]): Promise<unknown> =>
      store.apply({ source: 's', partition, seq: ++seq, operations: some });
    for (let from = 0; from < operations.length; from += 3000) await apply(1, operations.slice(from, from + 3000));
    await apply(1, [{ key: 'mortal', delta: 5, terms: { kind: 'count', ttlMs: 60_000 } }]);
    await apply(1, [{ key: 'zero', delta: 1 }]);
    await apply(1, [{ key: 'zero', delta: -1 }]);
    const totals = new RedisTotals({ client, prefix: 'a', partitions: 2 });
    const { found, steps } = await all(totals, 1);
    for (const key of [...expected.keys()].filter((each) => expected.get(each) === 0 && each !== 'zero')) expected.delete(key);
    assert.deepEqual(new Map([...found].toSorted()), new Map([...expected].toSorted()));
    assert.ok(steps > 5 && steps < 200, `${steps} steps`);
    assert.equal((await all(totals, 0)).found.size, 0);
    await store.close();
  });

  it('go by the number of buckets the data has, and pass over what is not theirs', async () => {
    await openRedisStore({ client, prefix: 'b', partitions: 1 });
    await client.hSet('{b:0}m', 'b', '128');
    const store = await openRedisStore({ client, prefix: 'b', partitions: 1 });
    await store.apply({ source: 's', partition: 0, seq: 1, operations: [{ key: 'x', delta: 3 }, { key: 'y', delta: 4 }] });
    const totals = new RedisTotals({ client, prefix: 'b', partitions: 1 });
    await client.hSet(`{b:0}c${(totals.bucketOf(0, 'x') % 128)}`, 'strange', 'no counter');
    assert.deepEqual((await all(totals, 0)).found, new Map([['x', 3], ['y', 4]]));
    assert.equal(totals.buckets(0), 128);
    await client.set('{b:0}c5', 'no bucket');
    assert.equal((await all(totals, 0)).found.size, 2);
    await store.close();
  });

  it('says which setting is wrong, and that Redis does not answer', async () => {
    assert.throws(() => new RedisTotals({ client, partitions: 0 }), { code: 'INVALID_CONFIG', field: 'partitions' });
    const closed = createClient({ url: server.url });
    await assert.rejects(new RedisTotals({ client: closed }).read(0, 0), { code: 'STORE_UNAVAILABLE' });
  });
});
