// What a Cluster does to counters: slots that are elsewhere, on their way, or nobody's; keys that look like hash tags.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createClient } from 'redis';
import { createTallystick, type Tallystick } from 'tallystick';
import { redisStore } from 'tallystick/redis';
import { startCluster } from '../support/redis-cluster.ts';
import { connect } from '../support/redis-clients.ts';
import { eventually, redisCommand } from '../support/redis-command.ts';

const cluster = await startCluster();
const { client, close } = await connect({ topology: 'cluster', ports: cluster.ports });
const opened: Tallystick[] = [];
after(async () => {
  // A test that failed leaves its callers behind: closing is what ends them.
  await Promise.all(opened.map((tallystick) => tallystick.close({ timeoutMs: 0 })));
  await close();
  await cluster.stop();
});

const slotOf = async (prefix: string): Promise<number> => Number(await redisCommand(cluster.ports[0]!, 'CLUSTER', 'KEYSLOT', `{${prefix}:0}`));

const slot = await slotOf('moved');

/** Counters in one partition, and what its lanes heard of faults. */
async function openAt(prefix: string): Promise<{ tallystick: Tallystick; faults: string[] }> {
  const faults: string[] = [];
  const store = await redisStore({ client, prefix, partitions: 1 });
  const tallystick = createTallystick({ store, onEvent: (event) => { if (event.type === 'resend') faults.push(String(event.error)); } });
  opened.push(tallystick);
  return { tallystick, faults };
}

describe('counters on a Cluster', () => {
  it('are not counted by a node that does not have their slot (MOVED)', async () => {
    const other = cluster.shards.find((shard) => shard !== cluster.shardOf(slot))!.master;
    const direct = await createClient({ url: other.url }).connect();
    await assert.rejects(redisStore({ client: direct, prefix: 'moved', partitions: 1 }), { code: 'STORE_UNAVAILABLE', message: /MOVED/ });
    direct.destroy();
  });

  it('are counted once each while their slot moves from one node to another (ASK, TRYAGAIN)', async () => {
    const { tallystick, faults } = await openAt('moved');
    let running = true;
    let added = 0;
    const caller = async (n: number): Promise<void> => {
      for (; running; n++) {
        await tallystick.counters.add(`k${n % 50}`, 1, n % 3 === 0 ? { ttlMs: 3_600_000 } : {});
        added++;
      }
    };
    const callers = Array.from({ length: 20 }, (_, n) => caller(n));
    await eventually('under way', () => added > 200);
    const from = cluster.shardOf(slot);
    const to = cluster.shards.find((shard) => shard !== from)!;
    await cluster.migrate(slot, from.master, to.master, 2);
    const before = added;
    await eventually('flowing again', () => added > before + 200);
    running = false;
    await Promise.all(callers);
    const readings = await tallystick.counters.getMany(Array.from({ length: 50 }, (_, n) => `k${n}`));
    assert.equal(readings.reduce((sum, { value }) => sum + value, 0), added);
    assert.ok(faults.some((fault) => /TRYAGAIN|ASK/.test(fault)), faults.join('\n'));
    await tallystick.close();
  });

  it('wait while nobody has their slot, and are counted once when somebody has (CLUSTERDOWN)', async () => {
    const { tallystick, faults } = await openAt('down');
    assert.equal((await tallystick.counters.add('k')).value, 1);
    const down = await slotOf('down');
    const { port } = cluster.shardOf(down).master;
    await redisCommand(port, 'CLUSTER', 'DELSLOTS', String(down));
    const waiting = tallystick.counters.add('k');
    await eventually('the fault is told', () => faults.some((fault) => /CLUSTERDOWN/.test(fault)));
    await redisCommand(port, 'CLUSTER', 'ADDSLOTS', String(down));
    assert.deepEqual([(await waiting).value, (await tallystick.counters.get('k')).value], [2, 2]);
    await tallystick.close();
  });

  it('have keys of any form, each whole (K13)', async () => {
    const tallystick = createTallystick({ store: await redisStore({ client, prefix: 'forms', partitions: 16 }) });
    const odd = ['{', '}', '{}', '{a}b', 'a{b}', '{{a}}', '}{', '\u{1f600}', '{\u{1f600}}', '{forms:0}', 'forms:0', '{forms:0}c0'];
    const keys = [...odd, ...Array.from({ length: 2000 }, (_, i) => `k${i}{${i % 7}}`)];
    await tallystick.counters.addMany(keys.map((key, i) => ({ key, delta: i + 1 })));
    const rules = [
      { name: 'minute', algorithm: 'fixed-window', limit: 1, windowMs: 60_000 },
      { name: 'hour', algorithm: 'sliding-log', limit: 5, windowMs: 3_600_000 },
    ] as const;
    const decisions = await Promise.all(odd.flatMap((key) => [0, 1].map(() => tallystick.limits.take(key, rules))));
    assert.deepEqual(decisions.map(({ allowed }) => allowed), odd.flatMap(() => [true, false]));
    const readings = await tallystick.counters.getMany(keys);
    assert.deepEqual(readings.map(({ value }) => value), keys.map((_, i) => i + 1));
    await tallystick.close();
  });
});
