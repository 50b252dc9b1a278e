// Failures that happened to others, by their ids, on a real Redis behind a network that fails.
import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { createClient } from 'redis';
import { createTallystick, TallystickError, type Tallystick } from 'tallystick';
import { redisStore, type RedisStoreOptions } from 'tallystick/redis';
import { FaultProxy } from '../support/fault-proxy.ts';
import { connect } from '../support/redis-clients.ts';
import { eventually, redisCommand, replicated } from '../support/redis-command.ts';
import { startSentinels } from '../support/redis-sentinels.ts';
import { startRedis } from '../support/redis.ts';

const server = await startRedis();
const proxy = await new FaultProxy(server.port).start();
const client = createClient({ url: `redis://${proxy.address}`, disableOfflineQueue: true, socket: { reconnectStrategy: 10 } });
client.on('error', () => undefined);
await client.connect();
const direct = await createClient({ url: server.url }).connect();
const opened: Tallystick[] = [];
after(async () => {
  // A test that failed leaves its callers behind: closing is what ends them.
  await Promise.all(opened.map((tallystick) => tallystick.close({ timeoutMs: 0 })));
  client.destroy();
  direct.destroy();
  await proxy.stop();
  await server.stop();
});
beforeEach(async () => {
  server.resume();
  proxy.heal();
  await eventually('connected', () => client.isReady);
  await direct.flushAll();
});

async function open(options: Partial<RedisStoreOptions> = {}): Promise<Tallystick> {
  const tallystick = createTallystick({ store: await redisStore({ client, partitions: 2, ...options }) });
  opened.push(tallystick);
  return tallystick;
}

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then((result) => JSON.stringify(result), (error: unknown) => (error instanceof TallystickError ? error.code : String(error)));

/** Stops the server from being heard, and hears it again at the end. */
async function away(run: () => Promise<void>): Promise<void> {
  proxy.refuse = true;
  proxy.cut();
  await eventually('the client has seen it', () => !client.isReady);
  await run().finally(() => { proxy.heal(); });
  await eventually('connected', () => client.isReady);
}

describe('cases on Redis', () => {
  it('tells an outage from a limit that is reached, in every call (R01)', async () => {
    const tallystick = await open();
    const { counters, limits } = tallystick;
    const rules = { name: 'r', algorithm: 'fixed-window', limit: 1, windowMs: 60_000 } as const;
    let accepted = NaN;
    await away(async () => {
      const timeoutMs = 100;
      assert.match(await codeOf(limits.take('s', rules, { timeoutMs })), /^(STORE_UNAVAILABLE|OUTCOME_UNKNOWN|TIMEOUT)$/);
      assert.equal(await codeOf(counters.get('k')), 'STORE_UNAVAILABLE');
      // Behind what is sent again in vain it is not sent, and says so; elsewhere it is, and is not lost.
      accepted = await counters.add('k', 1, { timeoutMs }).then(({ outcome }) => (outcome === 'accepted' ? 1 : NaN), (error: unknown) => {
        assert.ok(error instanceof TallystickError && error.code === 'TIMEOUT', String(error));
        return 0;
      });
    });
    assert.equal((await counters.add('k')).value, accepted + 1, 'what was accepted is counted, once');
    await tallystick.close();
  });

  for (const [what, fail] of [
    ['refuses connections', (): void => { proxy.refuse = true; proxy.cut(); }],
    ['accepts and never answers', (): void => { proxy.dropReplies = true; }],
  ] as const) {
    it(`settles every call within its deadline while the server ${what} (R03)`, async () => {
      const tallystick = await open({ commandTimeoutMs: 200 });
      await tallystick.counters.add('k0');
      fail();
      const beganMs = performance.now();
      await Promise.all([
        ...times(50, (i) => codeOf(tallystick.counters.add(`k${i}`, 1, { timeoutMs: 200 }))),
        ...times(50, (i) => codeOf(tallystick.counters.get(`k${i}`))),
      ]);
      const tookMs = performance.now() - beganMs;
      assert.ok(tookMs < 700, `${tookMs} ms`);
      proxy.heal();
      proxy.cut();
      assert.deepEqual(await tallystick.close(), { unsettled: 0 });
    });
  }

  it('keeps in an outage one entry for each key, settles every call, and counts what it acknowledged (R04)', async () => {
    const tallystick = await open();
    const KEYS = 10;
    let acknowledged = 0;
    await away(async () => {
      const results = await Promise.all(times(5000, (i) => tallystick.counters.add(`k${i % KEYS}`, 1, { timeoutMs: 200 }).catch(() => undefined)));
      acknowledged = results.filter((result) => result !== undefined).length;
    });
    await eventually('all is counted', async () => {
      const now = await tallystick.counters.getMany(times(KEYS, (i) => `k${i}`));
      return now.reduce((sum, { value }) => sum + value, 0) === acknowledged;
    });
    const { entries, waiting } = tallystick.stats();
    assert.ok(acknowledged > 0);
    // Eight batches on their way and one that is open, of each partition, have a key once each.
    assert.ok(entries <= 9 * KEYS, `${entries} entries`);
    assert.equal(waiting, 0);
    await tallystick.close();
  });

  it('counts an add once that timed out and came through all the same, with an id and without (R05)', async () => {
    const tallystick = await open({ commandTimeoutMs: 150 });
    await Promise.all([tallystick.counters.add('id', 0), tallystick.counters.add('none', 0)]);
    server.pause();
    const withId = tallystick.counters.add('id', 1, { requestId: 'r' });
    const without = tallystick.counters.add('none', 1, { timeoutMs: 100 });
    assert.equal((await without).outcome, 'accepted', 'the outcome is not known yet, and it says so');
    await eventually('sent again', () => tallystick.stats().resends > 0);
    server.resume();
    assert.equal((await withId).value, 1);
    const again = await tallystick.counters.add('id', 1, { requestId: 'r' });
    assert.deepEqual([again.value, again.replayed], [1, true]);
    await eventually('counted', async () => (await tallystick.counters.get('none')).value === 1);
    await tallystick.close();
    assert.equal((await (await open()).counters.get('none')).value, 1);
  });

  it('writes again after primary and replica were swapped under load, without a restart (R06)', async (t) => {
    const sentinels = await startSentinels();
    t.after(() => sentinels.stop());
    const connection = await connect({ topology: 'sentinel', ports: sentinels.ports });
    t.after(() => connection.close());
    const tallystick = await open({ client: connection.client, commandTimeoutMs: 500 });
    let running = true;
    let added = 0;
    const callers = times(8, async () => {
      while (running) {
        await tallystick.counters.add('k');
        added++;
      }
    });
    await eventually('under way', () => added > 100);
    await sentinels.swap();
    const swapped = added;
    await eventually('writes succeed', () => added > swapped + 100, 10_000);
    running = false;
    await Promise.all(callers);
    await eventually('nothing is lost', async () => (await tallystick.counters.get('k')).value === added);
    await tallystick.close();
  });

  it('shares one limit between instances, whatever their own clocks say (R14, T08)', async (t) => {
    const real = Date.now;
    let offMs = 0;
    t.mock.method(Date, 'now', () => real() + offMs);
    const instances = await Promise.all(times(3, () => open()));
    const rules = { name: 'r', algorithm: 'fixed-window', limit: 10, windowMs: 10_000 } as const;
    const decisions = [];
    for (let hit = 0; hit < 60; hit++) {
      offMs = [5000, -5000, 0][hit % 3]!;
      decisions.push(await instances[hit % 3]!.limits.take('s', rules));
    }
    assert.equal(decisions.filter(({ allowed }) => allowed).length, 10);
    // The same moment by the store's clock, whoever is asked.
    const ends = decisions.filter(({ source }) => source === 'store').map(({ atMs, resetMs }) => atMs + resetMs!);
    assert.ok(Math.max(...ends) - Math.min(...ends) <= 1, ends.join(' '));
    for (const instance of instances) await instance.close();
  });

  it('leaves nothing behind of state that is over, and gives each of it a time to live (T05)', async () => {
    const tallystick = await open();
    const { counters } = tallystick;
    const windowMs = 1000;
    await Promise.all(times(100, (i) => Promise.all([
      counters.add(`log${i}`, 1, { type: 'sliding-log', windowMs }),
      counters.add(`window${i}`, 1, { type: 'sliding-window', windowMs }),
      counters.add(`seen${i}`, 1, { type: 'unique', windowMs, member: 'm' }),
    ])));
    const cells = await direct.keys('{tally:*}#*');
    assert.ok(cells.length >= 300);
    const lefts = await Promise.all(cells.map((key) => direct.pTTL(key)));
    // Two windows, and the two minutes after which Redis drops what the partition's clock has ended.
    assert.ok(lefts.every((left) => left > 0 && left <= 2 * windowMs + 120_000), lefts.join(' '));
    await tallystick.close();
  });

  it('gives a window back its end when it is asked at its last millisecond (T03)', async () => {
    const tallystick = await open();
    const windowMs = 100;
    let previous: { end: number } | undefined;
    for (let hit = 0; hit < 20; hit++) {
      const { allowed, atMs, resetMs, retryAfterMs } = await tallystick.limits.take('s', { name: 'r', algorithm: 'fixed-window', limit: 1, windowMs });
      assert.ok(resetMs! <= windowMs, `${resetMs}`);
      if (allowed && previous !== undefined) assert.ok(atMs >= previous.end, 'the window before is over');
      if (allowed) previous = { end: atMs + resetMs! };
      await new Promise((resolve) => setTimeout(resolve, retryAfterMs ?? windowMs));
    }
    await tallystick.close();
  });

  it('shows no expired counter, on a replica or after its promotion (T18)', async (t) => {
    const replica = await startRedis({ replicaof: `127.0.0.1 ${server.port}` });
    t.after(() => replica.stop());
    await replicated(replica.port);
    const tallystick = await open();
    await tallystick.counters.add('k', 7, { ttlMs: 300 });
    await tallystick.counters.add('lasting', 3, { ttlMs: 60_000 });
    // A store is not opened where there is nothing yet: that would be a write.
    await eventually('the replica has it', async () => (await redisCommand(replica.port, 'DBSIZE')) === (await redisCommand(server.port, 'DBSIZE')));
    const replicaClient = await createClient({ url: replica.url }).on('error', () => undefined).connect();
    t.after(() => { replicaClient.destroy(); });
    const shadow = await open({ client: replicaClient });
    await eventually('replicated', async () => (await shadow.counters.get('lasting')).found);
    await eventually('expired', async () => !(await shadow.counters.get('k')).found);
    const { value, ttlMs } = await shadow.counters.get('lasting');
    assert.ok(value === 3 && ttlMs! > 0 && ttlMs! <= 60_000, `${value} ${ttlMs}`);
    await redisCommand(replica.port, 'REPLICAOF', 'NO', 'ONE');
    assert.deepEqual(await shadow.counters.get('k'), { value: 0, found: false, exact: true });
    assert.equal((await shadow.counters.add('k')).value, 1, 'the expired one is not revived');
    await Promise.all([tallystick.close(), shadow.close()]);
  });

  it('keeps what is left of a lifetime through a restart of the server (T19)', async (t) => {
    const saved = await startRedis({ appendonly: 'yes' });
    t.after(() => saved.stop());
    const mine = createClient({ url: saved.url, disableOfflineQueue: true, socket: { reconnectStrategy: 10 } });
    await mine.on('error', () => undefined).connect();
    t.after(() => { mine.destroy(); });
    const tallystick = await open({ client: mine });
    await tallystick.counters.add('k', 5, { ttlMs: 50_000 });
    await saved.kill();
    await saved.start();
    const { value, ttlMs } = await tallystick.counters.add('k', 1, { ttlMs: 90_000 });
    assert.ok(value === 6 && ttlMs! > 0 && ttlMs! < 50_000, `${value} ${ttlMs}`);
    await tallystick.close();
  });

  it('counts an undo once, though it came twenty times, from several processes, over a network that loses replies (D01, D04)', async () => {
    const processes = await Promise.all(times(3, () => open({ commandTimeoutMs: 200 })));
    await processes[0]!.counters.add('k', 10);
    proxy.dropReplies = true;
    const undone = Promise.all(times(20, (i) => processes[i % 3]!.counters.add('k', -1, { requestId: 'undo' })));
    await eventually('sent again', () => processes.some((each) => each.stats().resends > 0));
    proxy.heal();
    proxy.cut();
    const values = (await undone).map(({ value }) => value);
    assert.deepEqual(values, times(20, () => 9));
    for (const each of processes) await each.close();
  });

  it('counts 500 first hits at the same time as 500, of several processes, and leaves none without a lifetime (D05, D06)', async () => {
    const processes = await Promise.all(times(4, () => open()));
    const results = await Promise.all(times(500, (i) => processes[i % 4]!.counters.add('k')));
    assert.deepEqual(results.map(({ value }) => value).toSorted((a, b) => a - b), times(500, (i) => i + 1));
    const brief = await Promise.all(times(500, (i) => processes[i % 4]!.counters.add('brief', 1, { ttlMs: 1 + (i % 5) })));
    assert.ok(brief.every(({ outcome }) => outcome === 'applied'));
    await eventually('expired', async () => !(await processes[0]!.counters.get('brief')).found);
    for (const each of processes) await each.close();
  });
});
