// The client on a network that fails: every write counts once, and every call ends in time.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { memoryStore, type Store } from 'tallystick';
import { FaultProxy } from '../../../test/support/fault-proxy.ts';
import { slowStore, startGrpcNode } from '../../../test/support/grpc-node.ts';
import { repositoryRoot, sourceRun } from '../../../test/support/server.ts';
import { createClient, TallystickError, type Client, type ClientOptions } from './index.ts';

const sleep = (delayMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delayMs));

const codeOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(() => 'answered', (error: unknown) => (error instanceof TallystickError ? error.code : String(error)));

const codeAndMessageOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(() => 'answered', (error: unknown) => (error instanceof TallystickError ? `${error.code} ${error.message}` : String(error)));

interface Setup {
  readonly proxy: FaultProxy;
  readonly client: Client;
  /** What the server counted, asked past the proxy. */
  readonly value: (key: string) => Promise<number>;
}

/** Runs `test` with a client that reaches its server through a proxy. */
async function through(test: (setup: Setup) => Promise<void>, options: ClientOptions = {}, store: Store = memoryStore()): Promise<void> {
  const node = await startGrpcNode({ store });
  const proxy = await new FaultProxy(node.port).start();
  const client = createClient({ address: proxy.address, keepaliveMs: 200, timeoutMs: 8000, ...options });
  try {
    await test({ proxy, client, value: async (key) => (await node.app.getCounter(key)).value });
  } finally {
    await client.close({ timeoutMs: 1 });
    await proxy.stop();
    await node.close();
  }
}

describe('a client on a failing network', () => {
  it('counts once what was executed and whose answer was lost', () =>
    through(async ({ proxy, client, value }) => {
      await client.counters.add('warm');
      proxy.dropReplies = true;
      const add = client.counters.add('lost', 3);
      const many = client.counters.addMany([{ key: 'lost-many' }, { key: 'lost-many' }]);
      const freq = client.frequency.add({ businessId: 1, key: 'lost', timeSpan: 60 });
      while ((await value('lost')) === 0 || (await value('lost-many')) === 0) await sleep(5);
      proxy.cut();
      proxy.heal();
      assert.deepEqual(await add, { outcome: 'applied', value: 3, exact: true, delta: 3, replayed: true });
      assert.deepEqual((await many).map((result) => result.value), [1, 2]);
      assert.equal((await freq).freq, 1);
      assert.deepEqual([await value('lost'), await value('lost-many')], [3, 2]);
    }));

  it('counts exactly through cuts at any moment', () =>
    through(async ({ proxy, client, value }) => {
      const callers = Array.from({ length: 20 }, async () => {
        for (let i = 0; i < 100; i++) assert.equal((await client.counters.add('cut')).outcome, 'applied');
      });
      const done = new AbortController();
      const cuts = (async () => {
        while (!done.signal.aborted) {
          await sleep(15 + Math.random() * 40);
          proxy.dropReplies = Math.random() < 0.5;
          await sleep(Math.random() * 10);
          proxy.cut();
          proxy.heal();
        }
      })();
      await Promise.all(callers);
      done.abort();
      await cuts;
      assert.ok(proxy.accepted > 2, `${proxy.accepted}`);
      assert.equal(await value('cut'), 2000);
    }, { timeoutMs: 30_000 }));

  it('finds out by itself that its server is gone without a word', () =>
    through(async ({ proxy, client, value }) => {
      await client.counters.add('silent');
      proxy.silence();
      const add = client.counters.add('silent');
      const get = client.counters.get('silent');
      assert.equal((await add).value, 2);
      assert.ok((await get).value >= 1);
      assert.equal(await value('silent'), 2);
    }));

  it('says that the outcome is unknown when a write may have been counted', () =>
    through(async ({ proxy, client, value }) => {
      await client.counters.add('unknown');
      proxy.dropReplies = true;
      // Much longer than it takes to be counted, on a busy machine too: a call that was not sent is told from one that was.
      const ended = codeAndMessageOf(client.counters.add('unknown', 1, { requestId: 'mine', timeoutMs: 2000 }));
      const get = client.counters.get('unknown', { timeoutMs: 2000 });
      while ((await value('unknown')) < 2) await sleep(5);
      assert.match(await ended, new RegExp(`^OUTCOME_UNKNOWN ${proxy.address}: .*"mine"`));
      assert.equal(await codeOf(get), 'TIMEOUT');
      proxy.cut();
      proxy.heal();
      assert.equal((await client.counters.add('unknown', 1, { requestId: 'mine' })).value, 2);
      assert.equal(await value('unknown'), 2);
    }));

  it('does not send writes again when it is told not to', () =>
    through(async ({ proxy, client, value }) => {
      await client.counters.add('single');
      proxy.dropReplies = true;
      const add = client.counters.add('single');
      const own = client.counters.add('single', 1, { requestId: 'own' });
      while ((await value('single')) < 3) await sleep(5);
      proxy.cut();
      proxy.heal();
      assert.equal(await codeOf(add), 'OUTCOME_UNKNOWN');
      assert.equal((await own).replayed, true);
      assert.equal(await value('single'), 3);
    }, { retryWrites: false }));

  it('repeats under one request id count once, each past its deadline', async () => {
    await through(async ({ client, value }) => {
      await client.counters.get('warm');
      const outcomes: string[] = [];
      for (let attempt = 0; attempt < 3; attempt++) {
        const add = client.counters.add('repeat', 1, { requestId: 'one', timeoutMs: 600 });
        outcomes.push(await add.then(({ outcome }) => outcome, (error: unknown) => (error as TallystickError).code));
      }
      for (const outcome of outcomes) assert.ok(['accepted', 'OUTCOME_UNKNOWN'].includes(outcome), outcome);
      const last = await client.counters.add('repeat', 1, { requestId: 'one' });
      assert.deepEqual(last, { outcome: 'applied', value: 1, exact: true, delta: 1, replayed: true });
      assert.equal(await value('repeat'), 1);
    }, {}, slowStore(2500));
  });

  it('waits for an absent server until the deadline, rejects nothing unhandled, and finds it when it comes', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const proxy = await new FaultProxy(1).start();
    const { address, port } = proxy;
    await proxy.stop();
    const client = createClient({ address, timeoutMs: 150 });
    const began = performance.now();
    const { counters, frequency } = client;
    const freq = frequency.add({ businessId: 1, key: 'a', timeSpan: 1 });
    const calls = [counters.add('a'), counters.get('a'), counters.addMany([{ key: 'a' }]), freq];
    assert.deepEqual(await Promise.all(calls.map(codeOf)), ['TIMEOUT', 'TIMEOUT', 'TIMEOUT', 'TIMEOUT']);
    assert.ok(performance.now() - began < 1500);
    await assert.rejects(counters.get('a'), {
      message: `${address}: connect ECONNREFUSED ${address}: the time was up before the call could be sent; nothing was done`,
    });
    const late = counters.add('a', 1, { timeoutMs: 10_000 });
    const node = await startGrpcNode({ port });
    assert.equal((await late).value, 1);
    await client.close();
    await node.close();
    await new Promise(setImmediate);
    process.off('unhandledRejection', note);
    assert.deepEqual(unhandled, []);
  });

  it('carries calls over a restart of the server, each counted once', async () => {
    const inner = memoryStore();
    const store: Store = {
      partitions: inner.partitions,
      apply: (batch) => inner.apply(batch),
      read: (partition, queries) => inner.read(partition, queries),
      close: () => Promise.resolve(),
    };
    let node = await startGrpcNode({ store });
    const client = createClient({ address: node.address, timeoutMs: 20_000 });
    const caller = async (): Promise<void> => {
      for (let i = 0; i < 200; i++) await client.counters.add('restart');
    };
    const callers = Promise.all(Array.from({ length: 10 }, caller));
    for (let restart = 0; restart < 3; restart++) {
      await sleep(30);
      const { port } = node;
      await node.close();
      node = await startGrpcNode({ store, port });
    }
    await callers;
    assert.equal((await client.counters.get('restart')).value, 2000);
    await client.close();
    await node.close();
    await inner.close();
  });

  it('ends what waits when it is closed in a hurry', () =>
    through(async ({ proxy, client }) => {
      await client.counters.add('hurry');
      proxy.dropReplies = true;
      const sent = client.counters.add('hurry');
      await sleep(50);
      proxy.refuse = true;
      proxy.cut();
      await sleep(50);
      const unsent = client.counters.add('hurry');
      await client.close({ timeoutMs: 50 });
      assert.deepEqual([await codeOf(sent), await codeOf(unsent)], ['OUTCOME_UNKNOWN', 'CLOSED']);
    }, { maxInFlight: 1 }));

  for (const ending of ['await client.close()', 'undefined']) {
    it(`keeps no process alive after ${ending}`, async () => {
      const node = await startGrpcNode();
      const script = `
        import { createClient } from '@tallystick/client';
        const client = createClient({ address: '${node.address}' });
        const { value } = await client.counters.add('exit');
        await client.counters.get('exit');
        ${ending};
        console.log(value);`;
      const args = [...sourceRun, '--input-type=module', '--eval', script];
      const child = spawn(process.execPath, args, { cwd: repositoryRoot, stdio: ['ignore', 'pipe', 'inherit'] });
      const guard = setTimeout(() => child.kill(), 12_000);
      const [[code]] = await Promise.all([once(child, 'exit') as Promise<[number | null]>, once(child.stdout, 'data')]);
      clearTimeout(guard);
      assert.equal(code, 0);
      assert.equal((await node.app.getCounter('exit')).value, 1);
      await node.close();
    });
  }
});
