// Cases M: decorators and transport. The decorators' own tests hold every kind of method; here are the ends.
import assert from 'node:assert/strict';
import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { createClient } from '@tallystick/client';
import { countersService } from '@tallystick/client/wire';
import { createTallystick, memoryStore, TallystickError, type Counters, type Store } from 'tallystick';
import { Count } from 'tallystick/decorators';
import { startGrpcNode } from '../support/grpc-node.ts';
import { manualClock } from 'tallystick/testing';
import { codeOf, group, openStore, standsAt, times, valueOf, withFolder } from './harness.ts';

const deaf = (): Store => ({
  partitions: 1,
  apply: () => Promise.reject(new TallystickError('STORE_UNAVAILABLE', 'away')),
  read: () => Promise.reject(new TallystickError('STORE_UNAVAILABLE', 'away')),
  close: () => Promise.resolve(),
});

group('M: methods and messages', ({ once, store }) => {
  once('M01 name, length, and a guard that reads properties of the method are what they were above, between and below @Count', async ({ tallystick, key }) => {
    const roles = new WeakMap<object, string>();
    const Roles = (role: string) => <M extends object>(method: M, _context: ClassMethodDecoratorContext): M => (roles.set(method, role), Object.assign(method, { route: '/x' }));
    const counted = Count({ counters: () => tallystick.counters, key });
    class Routes {
      @Roles('admin') @counted above(a: string, _b = 'b'): string { return a; }
      @counted @Roles('admin') below(a: string, _b = 'b'): string { return a; }
    }
    const methods = Routes.prototype as unknown as Record<string, object>;
    for (const name of ['above', 'below']) {
      const method = methods[name] as { name: string; length: number; route: string };
      assert.deepEqual([method.name, method.length, method.route], [name, 1, '/x']);
    }
    assert.equal(roles.get(methods['above']!), 'admin');
    assert.equal(new Routes().above('a') + new Routes().below('b'), 'ab');
    await tallystick.counters.add(key, 0);
    assert.equal(await valueOf(tallystick.counters, key), 2);
  });

  once('M02 sync, async, static, inherited, symbol-named, generator and async generator: results as undecorated, 1 count each', async ({ tallystick, key }) => {
    const named = Symbol('named');
    const counted = (kind: string): ReturnType<typeof Count> => Count({ counters: () => tallystick.counters, key: `${key}:${kind}` });
    class Base {
      base = 100;
      @counted('inherited') inherited(a: number, b: number, c = 3): number { return this.base + a + b + c; }
    }
    class Kinds extends Base {
      static base = 1000;
      @counted('sync') sync(a: number, b: number, c = 3): number { return this.base + a + b + c; }
      @counted('async') async async(a: number, b: number, c = 3): Promise<number> { return this.base + a + b + c; }
      @counted('symbol') [named](a: number, b: number, c = 3): number { return this.base + a + b + c; }
      @counted('generator') *generator(a: number, b: number, c = 3): Generator<number> { yield this.base + a; yield b + c; }
      @counted('asyncGenerator') async *asyncGenerator(a: number, b: number, c = 3): AsyncGenerator<number> { yield this.base + a; yield b + c; }
      @counted('static') static static(a: number, b: number, c = 3): number { return this.base + a + b + c; }
    }
    const kinds = new Kinds();
    assert.deepEqual([kinds.inherited(1, 2), kinds.sync(1, 2), await kinds.async(1, 2), kinds[named](1, 2), Kinds.static(1, 2)], [106, 106, 106, 106, 1006]);
    assert.deepEqual([...kinds.generator(1, 2)], [101, 5]);
    const yielded = [];
    for await (const value of kinds.asyncGenerator(1, 2)) yielded.push(value);
    assert.deepEqual(yielded, [101, 5]);
    for (const kind of ['inherited', 'sync', 'async', 'symbol', 'generator', 'asyncGenerator', 'static']) {
      assert.equal((await tallystick.counters.add(`${key}:${kind}`, 0)).value, 1, kind);
    }
  });

  once('M05 an async call of 30 ms counts when it settles, not when it begins; one that rejects counts for throw', async ({ tallystick, key }) => {
    const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));
    const of = { counters: () => tallystick.counters };
    class Slow {
      @Count({ ...of, key }) async done(): Promise<void> { await wait(); }
      @Count({ ...of, key: `${key}:failed`, on: 'throw' }) async fails(): Promise<void> { await wait(); throw new Error('no'); }
    }
    const slow = new Slow();
    const [done, fails] = [slow.done(), slow.fails()];
    assert.equal((await tallystick.counters.add(key, 0)).value, 0);
    await done;
    await assert.rejects(fails, { message: 'no' });
    assert.deepEqual([(await tallystick.counters.add(key, 0)).value, (await tallystick.counters.add(`${key}:failed`, 0)).value], [1, 1]);
  });

  once('M06 counters that throw, reject or hang leave the result 42 and delay it by less than 100 ms', async () => {
    const failures: unknown[] = [];
    const never = createTallystick({ store: deaf() });
    const broken: Counters[] = [
      { add: () => { throw new Error('thrown'); } } as unknown as Counters,
      { add: () => Promise.reject(new Error('rejected')) } as unknown as Counters,
      { add: () => new Promise(() => undefined) } as unknown as Counters,
      never.counters,
    ];
    for (const counters of broken) {
      class Business {
        @Count({ counters, key: 'k', onError: (error) => { failures.push(error); throw new Error('and this'); } })
        async answer(): Promise<number> { return 42; }
      }
      const began = performance.now();
      assert.equal(await new Business().answer(), 42);
      assert.ok(performance.now() - began < 100);
    }
    await new Promise(setImmediate);
    assert.equal(failures.length, 2);
    await never.close({ timeoutMs: 1 });
  });

  once('M07 a batch of too many, of too many bytes, and a counter out of range have different codes; the first two count nothing', async () => {
    await withFolder(async (folder) => {
      await using node = await startGrpcNode({ store: await openStore(store, manualClock(), folder), maxMessageBytes: 100_000 });
      const client = createClient({ address: node.address, retryWrites: false });
      const items = times(10_001, (i) => ({ key: `k${i}` }));
      const heavy = items.map(({ key }) => ({ key: key + 'x'.repeat(300) }));
      await assert.rejects(client.counters.addMany(heavy.slice(0, 500)), { code: 'PAYLOAD_TOO_LARGE' });
      await assert.rejects(client.counters.addMany(items.slice(0, 1001)), { code: 'BATCH_TOO_LARGE' });
      assert.equal(await codeOf(client.counters.add('k0', Number.MAX_SAFE_INTEGER)), 'answered');
      assert.equal(await codeOf(client.counters.add('k0', 1)), 'OUT_OF_RANGE');
      assert.equal((await client.counters.get('k1')).found, false);
      const library = createTallystick({ store: memoryStore() });
      assert.equal(await codeOf(library.counters.addMany(items)), 'BATCH_TOO_LARGE');
      await library.close();
      await client.close();
    });
  });

  once('M08 a deadline of −16 ms or 0 ms is refused at once and counts nothing, over gRPC and in the library; 1 ms never counts twice', async (at) => {
    const { key, doors, grpc, tallystick } = at;
    const channel = new Client(grpc, credentials.createInsecure());
    const { path, requestSerialize, responseDeserialize } = countersService.Add;
    const call = (leftMs: number): Promise<number> =>
      new Promise((resolve) => {
        channel.makeUnaryRequest(path, requestSerialize, responseDeserialize, { key }, new Metadata(), { deadline: Date.now() + leftMs }, (error: ServiceError | null) => {
          resolve(error === null ? 0 : error.code);
        });
      });
    await new Promise<void>((resolve, reject) => channel.waitForReady(Date.now() + 5000, (error) => { if (error) reject(error); else resolve(); }));
    for (const leftMs of [-16, 0]) {
      const began = performance.now();
      assert.equal(await call(leftMs), status.DEADLINE_EXCEEDED);
      assert.ok(performance.now() - began < 500);
      assert.equal(await codeOf(tallystick.counters.add(key, 1, { timeoutMs: leftMs })), 'TIMEOUT');
    }
    await standsAt(at, key, 0);
    await call(1);
    channel.close();
    assert.ok((await valueOf(doors.library, key)) <= 1);
  });
});
