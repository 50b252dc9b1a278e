// The relay on a real Redis: whatever fails, every record arrives, in order, and none is removed before.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createClient } from 'redis';
import { outboxKey, RedisOutbox, redisStore } from 'tallystick/redis';
import type { Store } from 'tallystick';
import type { Destination } from '../../packages/server/src/pipeline/destination.ts';
import { ownerOf } from '../../packages/server/src/pipeline/relay/leases.ts';
import { Relay } from '../../packages/server/src/pipeline/relay/relay.ts';
import { OutboxLoad, RecordAccount } from '../support/outbox-load.ts';
import { eventually } from '../support/redis-command.ts';
import { startRedis } from '../support/redis.ts';

const server = await startRedis();
const client = await createClient({ url: server.url }).connect();
after(async () => {
  client.destroy();
  await server.stop();
});

const PARTITIONS = 4;
const LEASE_MS = 300;
let deployments = 0;

interface Deployment {
  readonly prefix: string;
  readonly store: Store;
  readonly outbox: RedisOutbox;
}

async function deploy(): Promise<Deployment> {
  const prefix = `r${deployments++}`;
  const store = await redisStore({ client, prefix, partitions: PARTITIONS, outbox: true });
  return { prefix, store, outbox: new RedisOutbox({ client, prefix, partitions: PARTITIONS }) };
}

async function left(prefix: string): Promise<number> {
  const lengths = await Promise.all(Array.from({ length: PARTITIONS }, (_, partition) => client.xLen(outboxKey(prefix, partition))));
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** A destination that takes records, and rejects some deliveries: before it took any, in the middle, or after all. */
function faulty(account: RecordAccount, everyNth: number): Destination {
  let deliveries = 0;
  return {
    deliver: (partition, records) => {
      const fails = everyNth > 0 && ++deliveries % everyNth === 0;
      const taken = fails ? Math.floor((records.length * (deliveries % 3)) / 2) : records.length;
      account.take(partition, records.slice(0, taken));
      return fails ? Promise.reject(new Error('unknown')) : Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}

const page = { records: 10, bytes: 64 * 1024 };

describe('the relay', () => {
  it('takes every record on, in order, though deliveries fail in every way (Q01, Q02)', async () => {
    const { prefix, store, outbox } = await deploy();
    const account = new RecordAccount();
    const relay = new Relay({ outbox, destination: faulty(account, 4), leaseMs: LEASE_MS, page });
    const load = new OutboxLoad(store);
    for (let i = 0; i < 60; i++) await load.round();
    await eventually('the outbox is empty', async () => (await left(prefix)) === 0);
    await relay.close();
    assert.deepEqual(account.gaps, []);
    assert.deepEqual(account.totals, load.totals);
    assert.ok(account.duplicates > 0, 'the fault did its work');
  });

  it('removes nothing that was not acknowledged, and says how far behind it is', async () => {
    const { prefix, store, outbox } = await deploy();
    const faults: unknown[] = [];
    const relay = new Relay({ outbox, destination: faulty(new RecordAccount(), 1), leaseMs: LEASE_MS, onFault: (fault) => faults.push(fault) });
    const load = new OutboxLoad(store);
    for (let i = 0; i < 5; i++) await load.round();
    await eventually('it is seen', () => relay.lags.every(({ length, isHeld, oldestAgeMs }) => isHeld && length === 5 && oldestAgeMs > 50));
    assert.equal(await left(prefix), 5 * PARTITIONS);
    assert.ok(faults.length > 0);
    await relay.close();
  });

  it('shares the partitions with others, and takes over those of one that leaves', async () => {
    const { outbox } = await deploy();
    const open = (): Relay => new Relay({ outbox, destination: faulty(new RecordAccount(), 0), leaseMs: LEASE_MS });
    const relays = [open(), open(), open()];
    const held = (): number[] => relays.map(({ lags }) => lags.filter(({ isHeld }) => isHeld).length);
    await eventually('each partition has one relay', () => held().reduce((a, b) => a + b) === PARTITIONS);
    await relays[0]!.close();
    await relays[1]!.close();
    await eventually('one has them all', () => held()[2] === PARTITIONS);
    await relays[2]!.close();
  });

  it('takes over from one that went silent, no sooner than its lease ends', async () => {
    const { outbox } = await deploy();
    for (let partition = 0; partition < PARTITIONS; partition++) assert.ok(await outbox.lease(partition, 'silent', LEASE_MS));
    const relay = new Relay({ outbox, destination: faulty(new RecordAccount(), 0), leaseMs: LEASE_MS });
    assert.equal(await outbox.lease(0, 'other', LEASE_MS), false);
    await eventually('it has them', () => relay.lags.every(({ isHeld }) => isHeld));
    await relay.close();
  });

  it('leaves each partition but its own share alone: few change hands when one comes', () => {
    const before = Array.from({ length: 100 }, (_, partition) => ownerOf(partition, ['a', 'b', 'c']));
    const then = Array.from({ length: 100 }, (_, partition) => ownerOf(partition, ['a', 'b', 'c', 'd']));
    assert.ok(before.every((owner, i) => owner === then[i] || then[i] === 'd'));
    for (const name of ['a', 'b', 'c', 'd']) assert.ok(then.filter((owner) => owner === name).length > 10, name);
  });

  it('refuses settings that make no sense', async () => {
    const { outbox } = await deploy();
    assert.throws(() => new Relay({ outbox, destination: faulty(new RecordAccount(), 0), leaseMs: 5 }), { code: 'INVALID_CONFIG', field: 'leaseMs' });
  });
});

describe('the outbox, trimmed by a zombie', () => {
  it('keeps what came after the zombie has read', async () => {
    const { prefix, store, outbox } = await deploy();
    const load = new OutboxLoad(store);
    await load.round();
    const read = await outbox.read(0, page);
    await load.round();
    assert.equal(await outbox.trim(0, read), true);
    assert.equal(await outbox.trim(0, read), false);
    assert.equal(await client.xLen(outboxKey(prefix, 0)), 1);
  });

  it('keeps records that got the ids of others, which a failover lost', async () => {
    const { prefix, store, outbox } = await deploy();
    const load = new OutboxLoad(store);
    await load.round();
    await load.round();
    const read = await outbox.read(0, page);
    await client.del(outboxKey(prefix, 0));
    for (const id of ['1-1', read.lastId]) await client.xAdd(outboxKey(prefix, 0), id, { r: 'never delivered' });
    assert.equal(await outbox.trim(0, read), false);
    assert.equal(await client.xLen(outboxKey(prefix, 0)), 2);
  });

  it('is read in pages of bounded size, oldest first', async () => {
    const { store, outbox } = await deploy();
    const load = new OutboxLoad(store);
    for (let i = 0; i < 40; i++) await load.round(100);
    const small = await outbox.read(0, { records: 1000, bytes: 2000 });
    assert.ok(small.length === 40 && small.records.length < 20, String(small.records.length));
    assert.equal((await outbox.read(0, { records: 16, bytes: 10 ** 6 })).records.length, 16);
  });
});
