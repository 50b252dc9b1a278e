// As standard (TC39) decorators; test/decorators-legacy holds the same for legacy ones.
import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { createTallystick, memoryStore, type Counters, type TallystickError } from '../index.ts';
import { Count, type CallCounters, type CountFailure, type CountOn, type CountOptions } from './index.ts';

type Ending = 'return' | 'throw';
type Decorator = (method: (this: never, ...args: never) => unknown, context: ClassMethodDecoratorContext) => void;

const secret = Symbol('secret');
const finish = (ending: Ending, value: unknown): unknown => {
  if (ending === 'throw') throw new Error(`thrown with ${String(value)}`);
  return value;
};
const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A thenable that works each time `then` is called, as query builders do. */
class Query {
  runs = 0;
  readonly #ending: Ending;
  readonly #value: unknown;
  constructor(ending: Ending, value: unknown) {
    this.#ending = ending;
    this.#value = value;
  }
  then(onFulfilled?: ((value: unknown) => unknown) | null, onRejected?: ((reason: unknown) => unknown) | null): Promise<unknown> {
    this.runs++;
    return later().then(() => finish(this.#ending, this.#value)).then(onFulfilled, onRejected);
  }
}

/** One class, whatever it is decorated with: every kind of method, three arguments, the last with a default. */
function twin(count: Decorator) {
  class Base {
    readonly base: number = 100;
    static readonly base: number = 1000;
    @count inherited(ending: Ending, a: number, b = 7): unknown { return finish(ending, this.base + a + b); }
    @count overridden(ending: Ending, a: number, b = 7): unknown { return finish(ending, this.base + a + b); }
  }
  class Twin extends Base {
    @count sync(ending: Ending, a: number, b = 7): unknown { return finish(ending, this.base + a + b); }
    @count async async(ending: Ending, a: number, b = 7): Promise<unknown> { await later(); return finish(ending, this.base + a + b); }
    @count promise(ending: Ending, a: number, b = 7): Promise<unknown> { return later().then(() => finish(ending, this.base + a + b)); }
    @count thenable(ending: Ending, a: number, b = 7): Query { return new Query(ending, this.base + a + b); }
    @count *generator(ending: Ending, a: number, b = 7): Generator<number, unknown, unknown> { yield a; yield this.base + b; return finish(ending, 'end'); }
    @count async *asyncGenerator(ending: Ending, a: number, b = 7): AsyncGenerator<number, unknown, unknown> { yield a; await later(); yield this.base + b; return finish(ending, 'end'); }
    @count [secret](ending: Ending, a: number, b = 7): unknown { return finish(ending, this.base + a + b); }
    @count #hidden(ending: Ending, a: number, b = 7): unknown { return finish(ending, this.base + a + b); }
    hidden(...args: [Ending, number, number?]): unknown { return this.#hidden(...args); }
    override overridden(ending: Ending, a: number, b = 7): unknown { return super.overridden(ending, a, b); }
    @count static onClass(ending: Ending, a: number, b = 7): unknown { return finish(ending, this.base + a + b); }
    @count static async *onClassLater(ending: Ending, a: number, b = 7): AsyncGenerator<number, unknown, unknown> { yield this.base + a + b; return finish(ending, 'end'); }
  }
  return Twin;
}

type TwinClass = ReturnType<typeof twin>;
const ON_INSTANCE = ['inherited', 'overridden', 'sync', 'async', 'promise', 'thenable', 'generator', 'asyncGenerator', secret, 'hidden'] as const;
const ON_CLASS = ['onClass', 'onClassLater'] as const;
const KINDS = [...ON_INSTANCE, ...ON_CLASS];
const ITERATED: readonly unknown[] = ['generator', 'asyncGenerator', 'onClassLater'];
const WAYS = ['all', 'early', 'thrown into', 'dropped', 'unstarted'] as const;

interface Call { readonly kind: (typeof KINDS)[number]; readonly ending: Ending; readonly way: (typeof WAYS)[number]; readonly args: [number, number?] }

const calls: fc.Arbitrary<Call> = fc.record({
  kind: fc.constantFrom(...KINDS),
  ending: fc.constantFrom('return', 'throw'),
  way: fc.constantFrom(...WAYS),
  args: fc.oneof(fc.tuple(fc.nat(9)), fc.tuple(fc.nat(9), fc.nat(9))),
});

/** How the call ends, as far as counting is concerned. */
function endOf({ kind, ending, way }: Call): Ending | undefined {
  if (!ITERATED.includes(kind) || way === 'all') return ending;
  return way === 'early' ? 'return' : way === 'thrown into' ? 'throw' : undefined;
}

const isCounted = (call: Call, on: CountOn): boolean => endOf(call) !== undefined && (on === 'settle' || on === endOf(call));

/** Calls, takes the result to its end, and says everything a caller can see. */
async function play(Twin: TwinClass, call: Call): Promise<unknown[]> {
  const receiver = ((ON_CLASS as readonly unknown[]).includes(call.kind) ? Twin : new Twin()) as unknown as Record<PropertyKey, (...args: unknown[]) => unknown>;
  const seen: unknown[] = [];
  try {
    const result = receiver[call.kind]!(call.ending, ...call.args);
    seen.push(Object.prototype.toString.call(result), Object.keys(Object(result) as object));
    if (ITERATED.includes(call.kind)) await iterate(result as AsyncGenerator<unknown, unknown>, call.way, seen);
    else seen.push(await result);
    if (result instanceof Query) seen.push(result.runs);
  } catch (error) {
    seen.push(String(error));
  }
  return seen;
}

async function iterate(generator: AsyncGenerator<unknown, unknown>, way: Call['way'], seen: unknown[]): Promise<void> {
  if (way === 'unstarted') return;
  seen.push(await generator.next());
  if (way === 'early') seen.push(await generator.return('early'), await generator.next(), await generator.return('again'));
  if (way === 'thrown into') seen.push(await generator.throw(new Error('thrown into')));
  if (way === 'all') seen.push(await generator.next(), await generator.next(), await generator.next());
}

const tallystick = createTallystick({ store: memoryStore() });
const { counters } = tallystick;
after(() => tallystick.close());

let keys = 0;
const newKey = (): string => {
  keys++;
  return `test:${keys}`;
};
/** What is counted so far; an add of nothing comes after those before it. */
const counted = async (key: string): Promise<number> => (await counters.add(key, 0)).value;

/** Counters of which only what a test needs exists. */
const brokenCounters = (add: () => unknown): Counters => ({ add, tally: add }) as unknown as Counters;

function failures(): { readonly onError: (error: unknown, failure: CountFailure) => void; readonly told: (CountFailure & { code: unknown })[] } {
  const told: (CountFailure & { code: unknown })[] = [];
  return { told, onError: (error, failure) => told.push({ ...failure, code: (error as TallystickError).code }) };
}

describe('@Count leaves the method as it is', () => {
  const plain = twin(() => undefined);

  for (const on of ['return', 'throw', 'settle'] as const) {
    it(`gives what an undecorated twin gives, and counts each call once on ${on} (M02)`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(calls, { maxLength: 12 }), async (history) => {
          const key = newKey();
          const Counted = twin(Count({ counters, key, on }));
          for (const call of history) assert.deepEqual(await play(Counted, call), await play(plain, call));
          assert.equal(await counted(key), history.filter((call) => isCounted(call, on)).length);
        }),
        { numRuns: 150 },
      );
    });

    it(`counts every kind of method, ending and way of iterating on ${on}`, async () => {
      for (const kind of KINDS) for (const ending of ['return', 'throw'] as const) for (const way of WAYS) {
        const key = newKey();
        const call: Call = { kind, ending, way, args: [1] };
        await play(twin(Count({ counters, key, on })), call);
        assert.equal(await counted(key), isCounted(call, on) ? 1 : 0, `${String(kind)} ${ending} ${way}`);
      }
    });
  }

  it('keeps name, length, properties, kind and descriptor', () => {
    const Counted = twin(Count({ counters, key: newKey() }));
    for (const [of, to, names] of [[plain.prototype, Counted.prototype, [...ON_INSTANCE.slice(2)]], [plain, Counted, ON_CLASS]] as const) {
      for (const name of names) {
        const [a, b] = [of, to].map((owner) => Object.getOwnPropertyDescriptor(owner, name)) as [PropertyDescriptor, PropertyDescriptor];
        const [original, replaced] = [a.value, b.value] as [() => unknown, () => unknown];
        assert.deepEqual({ ...b, value: 0 }, { ...a, value: 0 });
        assert.deepEqual([replaced.name, replaced.length, Object.prototype.toString.call(replaced)], [original.name, original.length, Object.prototype.toString.call(original)]);
        assert.deepEqual(Reflect.ownKeys(replaced), Reflect.ownKeys(original));
        assert.throws(() => Reflect.construct(Object, [], replaced), TypeError);
      }
    }
  });

  it('keeps properties that decorators below attached, and shows those attached above (M01)', () => {
    const role = (name: string) => (method: object): void => void Object.assign(method, { [name]: [name] });
    class Api {
      @role('above') @Count({ counters, key: newKey() }) @role('between') @Count({ counters, key: newKey() }) @role('below')
      act(): void {}
    }
    const act = Object.getOwnPropertyDescriptor(Api.prototype, 'act')?.value as object;
    assert.deepEqual(Object.fromEntries(Object.entries(act)), { above: ['above'], between: ['between'], below: ['below'] });
  });

  it('returns the same object as the method did', async () => {
    const promise = Promise.resolve(1);
    const query = new Query('return', 1);
    const generator = (function* () { yield 1; })();
    class Same {
      @Count({ counters, key: newKey(), on: 'settle' }) give<T>(it: T): T { return it; }
    }
    for (const it of [promise, query, generator, [], null, undefined, Same]) assert.equal(new Same().give(it), it);
    assert.deepEqual([...generator], [1]);
    await query;
  });

  it('passes a receiver of any kind on, even none', () => {
    class Detached {
      @Count({ counters, key: newKey() }) self(): unknown { return this; }
    }
    const self = Object.getOwnPropertyDescriptor(Detached.prototype, 'self')?.value as () => unknown;
    assert.equal(Reflect.apply(self, undefined, []), undefined);
    assert.equal(Reflect.apply(self, 5, []), 5);
  });
});

describe('@Count counts when the call has ended (M05)', () => {
  it('counts a promise when it settles, not when it is made', async () => {
    const key = newKey();
    class Slow {
      @Count({ counters, key, on: 'settle' }) wait(promise: Promise<unknown>): Promise<unknown> { return promise; }
    }
    for (const [round, ending] of (['return', 'throw'] as const).entries()) {
      let end = (): void => undefined;
      const call = new Slow().wait(new Promise((resolve) => (end = () => { resolve(later().then(() => finish(ending, 1))); })));
      const settled = call.catch(() => undefined);
      await later();
      assert.equal(await counted(key), round);
      end();
      await settled;
      assert.equal(await counted(key), round + 1);
    }
  });

  it('counts an async generator after its last item, and starts it no earlier than asked', async () => {
    const key = newKey();
    const log: string[] = [];
    class Feed {
      @Count({ counters, key }) async *items(): AsyncGenerator<number> {
        log.push('started');
        for (let i = 1; i <= 3; i++) { await later(); yield i; }
      }
    }
    const items = new Feed().items();
    await later();
    assert.deepEqual([...log], []);
    for await (const item of items) { log.push(String(item)); assert.equal(await counted(key), 0); }
    assert.deepEqual(log, ['started', '1', '2', '3']);
    assert.equal(await counted(key), 1);
  });

  it('lets a thenable run as often as its caller asks, and counts it once', async () => {
    const key = newKey();
    class Store {
      @Count({ counters, key, on: 'settle' }) find(ending: Ending): Query { return new Query(ending, 5); }
    }
    const idle = new Store().find('return');
    await later();
    assert.deepEqual([idle.runs, await counted(key)], [0, 0]);
    assert.equal(await idle, 5);
    assert.equal(await idle.then(), 5);
    assert.deepEqual([idle.runs, await counted(key)], [2, 1]);
    await assert.rejects(async () => new Store().find('throw'), /thrown with 5/);
    await assert.rejects(new Store().find('throw').then(), /thrown with 5/);
    assert.equal(await counted(key), 3);
  });

  it('counts every call that returned the same thenable or generator, without a layer for each', async () => {
    const key = newKey();
    const query = new Query('return', 1);
    const rows = (function* () { yield 1; })();
    class Cached {
      @Count({ counters, key }) find(): Query { return query; }
      @Count({ counters, key }) rows(): Generator<number> { return rows; }
    }
    for (let i = 0; i < 20_000; i++) { new Cached().find(); new Cached().rows(); }
    await query;
    assert.deepEqual([...rows], [1]);
    assert.equal(await counted(key), 40_000);
  });

  it('counts a promise subclass, patched or not, when it settles', async () => {
    class Patient extends Promise<unknown> {}
    class Lazy extends Promise<unknown> {
      override then<A, B>(a?: ((value: unknown) => A | PromiseLike<A>) | null, b?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<A | B> { return super.then(a, b); }
    }
    const patched = Object.assign(Promise.resolve(1), { then: () => assert.fail('not called by await') });
    const key = newKey();
    class Kinds {
      @Count({ counters, key }) give(promise: Promise<unknown>): Promise<unknown> { return promise; }
    }
    for (const promise of [Patient.resolve(1), Lazy.resolve(1), patched]) assert.equal(await new Kinds().give(promise), 1);
    assert.equal(await counted(key), 3);
  });

  it('goes on while a generator that was told to end yields, and ends with it', async () => {
    const key = newKey();
    class Stubborn {
      @Count({ counters, key, on: 'settle' }) *run(): Generator<number, number, unknown> {
        try { yield 1; } finally { yield 2; }
        return 3;
      }
    }
    const run = new Stubborn().run();
    run.next();
    assert.deepEqual(run.return(9), { done: false, value: 2 });
    assert.equal(await counted(key), 0);
    assert.deepEqual(run.next(), { done: true, value: 9 });
    assert.equal(await counted(key), 1);
  });

  it('does not take a step asked for from within a step for an end', async () => {
    const key = newKey();
    class Loop {
      @Count({ counters, key, on: 'throw' }) *run(): Generator<string, void, unknown> {
        try { loop.next(); } catch (error) { yield String(error); }
      }
    }
    const loop: Generator<string> = new Loop().run();
    assert.match([...loop].join(), /already running/);
    assert.equal(await counted(key), 0);
  });

  it('makes no unhandled rejection of its own', async () => {
    const unhandled: unknown[] = [];
    const hear = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', hear);
    const fail = (() => Promise.reject(new Error('onError'))) as () => void;
    class Fails {
      @Count({ counters: brokenCounters(() => Promise.reject(new Error('store'))), key: 'k', on: 'settle', onError: fail })
      async fail(): Promise<void> { throw new Error('method'); }
    }
    await assert.rejects(new Fails().fail(), /method/);
    for (let i = 0; i < 5; i++) await later();
    process.off('unhandledRejection', hear);
    assert.deepEqual(unhandled, []);
  });
});

describe('@Count says what to count', () => {
  it('takes key and amount from functions of the arguments, with this, as they came', async () => {
    const [a, b] = [newKey(), newKey()];
    class Cart {
      readonly tenant = a;
      @Count({ counters, key(this: Cart, items: string[]) { return `${this.tenant}:${items.length}`; }, delta: (_items: string[], weight: number) => weight * 2 })
      empty(items: string[], _weight: number, _note = 'none'): void { items.length = 0; }
      @Count({ counters: (self: Cart) => self.counters, key: b, deltaOfResult: (found: string[]) => found.length })
      async find(): Promise<string[]> { return ['x', 'y', 'z']; }
      readonly counters = counters;
    }
    new Cart().empty(['x', 'y'], 4);
    assert.equal(await counted(`${a}:2`), 8);
    await new Cart().find();
    assert.equal(await counted(b), 3);
  });

  it('counts in the counter type that is given, and in the declared one otherwise', async () => {
    const declared = createTallystick({ store: memoryStore(), counters: { 'stock:*': { min: 0 } } });
    class Shop {
      @Count({ counters: declared.counters, key: 'stock:{id}', delta: -5 }) take(_item: { id: string }): void {}
      @Count({ counters: declared.counters, key: 'read:{0}', type: 'batched', delta: 2 }) read(_id: string): void {}
      @Count({ counters: declared.counters, key: 'readers:{0}', type: 'unique', windowMs: 60_000, member: '{1.id}' }) visit(_id: string, _by: { id: string }): void {}
      @Count({ counters: declared.counters, key: 'recent', type: 'sliding-log', windowMs: 60_000 }) post(): void {}
    }
    const shop = new Shop();
    await declared.counters.add('stock:9', 3);
    shop.take({ id: '9' });
    shop.read('7');
    shop.post();
    for (const id of ['ann', 'ben', 'ann']) shop.visit('7', { id });
    const window = { windowMs: 60_000 };
    assert.equal((await declared.counters.add('stock:9', 0)).value, 0);
    assert.equal((await declared.counters.get('read:7')).value, 2);
    assert.equal((await declared.counters.add('recent', 0, { type: 'sliding-log', ...window })).value, 1);
    assert.equal((await declared.counters.add('readers:7', 1, { type: 'unique', ...window, member: 'ann' })).value, 2);
    await declared.close();
  });

  it('counts with counters that only add, as those of a client, whatever the type', async () => {
    const asked: unknown[][] = [];
    const client: CallCounters = { add: (...call) => { asked.push(call); return counters.add(...call); } };
    class Article {
      @Count({ counters: client, key: 'client:{0}', type: 'batched' })
      read(_id: string): void {}
    }
    new Article().read('7');
    await Promise.resolve();
    assert.deepEqual(asked, [['client:7', 1, { type: 'batched' }]]);
  });

  it('refuses options that cannot work, at once, naming the option', () => {
    const good = { counters, key: 'k' };
    const bad: [string, unknown][] = [
      ['options', undefined], ['options', 'k'], ['kye', { ...good, kye: 1 }], ['counters', { key: 'k' }], ['counters', { ...good, counters: {} }],
      ['key', { counters }], ['key', { ...good, key: 5 }], ['key', { ...good, key: '' }], ['key', { ...good, key: 'a:{' }],
      ['on', { ...good, on: 'always' }], ['on', { ...good, on: null }], ['onError', { ...good, onError: 1 }],
      ['delta', { ...good, delta: 0.5 }], ['delta', { ...good, delta: NaN }], ['delta', { ...good, delta: '1' }],
      ['delta', { ...good, delta: -1, type: 'sliding-log', windowMs: 5 }], ['delta', { ...good, delta: 1, type: 'unique', windowMs: 5, member: '{0}' }],
      ['deltaOfResult', { ...good, deltaOfResult: 1 }], ['deltaOfResult', { ...good, deltaOfResult: () => 1, on: 'settle' }],
      ['deltaOfResult', { ...good, deltaOfResult: () => 1, delta: 1 }], ['deltaOfResult', { ...good, deltaOfResult: () => 1, type: 'unique', windowMs: 5, member: '{0}' }],
      ['type', { ...good, type: 'fast' }], ['windowMs', { ...good, type: 'sliding-log' }], ['windowMs', { ...good, windowMs: 5 }], ['min', { ...good, type: 'batched', min: 0 }],
      ['ttlMs', { ...good, type: 'batched', ttlMs: 5 }], ['member', { ...good, member: '{0}' }], ['member', { ...good, type: 'unique', windowMs: 5 }], ['member', { ...good, type: 'unique', windowMs: 5, member: '{}' }],
    ];
    for (const [field, options] of bad) assert.throws(() => Count(options as CountOptions), { code: 'INVALID_CONFIG', field }, JSON.stringify(options));
  });

  it('refuses what is not a method', () => {
    const count = Count({ counters, key: 'k' }) as unknown as (value: unknown, context: unknown) => undefined;
    assert.throws(() => { class A { @count get total(): number { return 1; } } return A; }, { code: 'INVALID_CONFIG', message: 'total: @Count expected a method, got a getter' });
    assert.throws(() => { class A { @count set total(_: number) {} } return A; }, /total: @Count expected a method, got a setter/);
    assert.throws(() => { class A { @count accessor total = 1; } return A; }, /total: @Count expected a method, got an accessor/);
    assert.throws(() => { class A { @count total = () => 1; } return A; }, /got a field/);
    assert.throws(() => { @count class A { readonly a = 1; } return A; }, /A: @Count expected a method, got a class/);
  });

  it('is typed by the method it stands on', () => {
    class Typed {
      @Count({ counters, key: (id: string) => id, delta: (_id: string, n: number) => n }) fits(_id: string, _n: number, _more?: boolean): void {}
      // @ts-expect-error the method's first argument is no string
      @Count({ counters, key: (id: string) => id }) wrongArgument(_id: number): void {}
      // @ts-expect-error the argument may be missing
      @Count({ counters, key: (id: string) => id }) maybeMissing(_id?: string): void {}
      // @ts-expect-error the method has no second argument
      @Count({ counters, key: (_id: string, n: string) => n }) tooShort(_id: string): void {}
      // @ts-expect-error the class has no such member
      @Count({ counters: (self: { readonly elsewhere: Counters }) => self.elsewhere, key: 'k' }) wrongSelf(): void {}
      // @ts-expect-error the promise brings no array
      @Count({ counters, key: 'k', deltaOfResult: (found: string[]) => found.length }) async wrongResult(): Promise<number> { return 1; }
      @Count({ counters, key: 'k', deltaOfResult: (found: number) => found }) *generator(): Generator<string, number> { yield 'x'; return 1; }
      @Count({ counters, key: (item: { id: string }) => item.id }) generic<T extends { id: string }>(item: T): T { return item; }
    }
    assert.equal(typeof Typed, 'function');
  });
});

describe('a failure of counting does not reach the call (M06)', () => {
  const silent = (): undefined => undefined;
  const hang = (): Promise<never> => new Promise<never>(silent);
  const backends: [string, () => unknown, told: number][] = [
    ['throws', () => { throw Object.assign(new Error('down'), { code: 'DOWN' }); }, 1],
    ['rejects', () => Promise.reject(Object.assign(new Error('down'), { code: 'DOWN' })), 1],
    ['hangs', hang, 0],
  ];
  for (const [name, add, times] of backends) {
    for (const type of ['simple', 'batched'] as const) {
      it(`gives results and errors on when the ${type} counters' backend ${name}`, async () => {
        const { onError, told } = failures();
        const options = { counters: brokenCounters(add), key: 'k', type, on: 'settle' } as const;
        const [plain, heard, unheard] = [twin(() => undefined), twin(Count({ ...options, onError })), twin(Count(options))];
        for (const kind of KINDS) for (const ending of ['return', 'throw'] as const) {
          const call: Call = { kind, ending, way: 'all', args: [1] };
          const expected = await play(plain, call);
          assert.deepEqual(await play(heard, call), expected);
          assert.deepEqual(await play(unheard, call), expected);
        }
        await later();
        assert.equal(told.length, times * KINDS.length * 2);
        assert.ok(told.every(({ key, code }) => key === 'k' && code === 'DOWN'));
      });
    }
  }

  it('counts nothing under a key that names nobody (K11)', async () => {
    const { onError, told } = failures();
    const own = createTallystick({ store: memoryStore() });
    const key = (give: () => unknown): string => give() as string;
    class Login {
      @Count({ counters: own.counters, key, onError }) byFunction(_give: () => unknown): string { return 'in'; }
      @Count({ counters: own.counters, key: '{id}', onError }) byTemplate(_user: { id: unknown }): string { return 'in'; }
      @Count({ counters: own.counters, key, onError, on: 'throw' }) onThrow(_give: () => unknown): string { return 'in'; }
    }
    const nobody = [undefined, null, '', NaN, {}, [], '\ud800', 'x'.repeat(513)];
    for (const value of nobody) {
      assert.equal(new Login().byFunction(() => value), 'in');
      assert.equal(new Login().byTemplate({ id: value }), 'in');
      assert.equal(new Login().onThrow(() => value), 'in');
    }
    assert.equal(new Login().byFunction(() => { throw Object.assign(new Error('no session'), { code: 'NO_SESSION' }); }), 'in');
    assert.deepEqual(told.map(({ method, key, code }) => [method, key, code]), [
      ...nobody.flatMap(() => [['byFunction', undefined, 'INVALID_KEY'], ['byTemplate', undefined, 'INVALID_KEY']]),
      ['byFunction', undefined, 'NO_SESSION'],
    ]);
    assert.equal(own.stats().waiting, 0);
    await own.close();
    assert.equal(own.stats().operations, 0);
  });

  it('tells of amounts that are none, of counters that are not there and of results that cannot be watched', async () => {
    const { onError, told } = failures();
    const frozen = Object.freeze(new Query('return', 1));
    const forbidding = new Proxy({}, { get: () => { throw Object.assign(new Error('forbidden'), { code: 'FORBIDDEN' }); } });
    class Bad {
      @Count({ counters, key: 'a', onError, delta: (amount: number) => amount }) amount(_amount: number): void {}
      @Count({ counters, key: 'b', onError, deltaOfResult: (result: number) => result }) async result(): Promise<number> { return 0.5; }
      @Count({ counters: () => undefined as unknown as Counters, key: 'c', onError }) absent(): void {}
      @Count({ counters, key: 'd', onError }) frozen(): object { return frozen; }
      @Count({ counters, key: 'e', onError }) forbidding(): object { return forbidding; }
    }
    const bad = new Bad();
    bad.amount(0.5);
    await bad.result();
    bad.absent();
    assert.equal(bad.frozen(), frozen);
    assert.equal(bad.forbidding(), forbidding);
    assert.deepEqual(told.map(({ method, key, code }) => [method, key, code]), [
      ['amount', 'a', 'INVALID_AMOUNT'], ['result', 'b', 'INVALID_AMOUNT'], ['absent', 'c', undefined], ['frozen', 'd', undefined], ['forbidding', 'e', 'FORBIDDEN'],
    ]);
  });

  it('drops what onError itself throws', () => {
    class Worse {
      @Count({ counters: brokenCounters(() => { throw new Error('down'); }), key: 'k', onError: () => { throw new Error('worse'); } }) act(): number { return 1; }
    }
    assert.equal(new Worse().act(), 1);
  });
});

describe('what @Count costs', () => {
  it('makes no promise for a sync method that is tallied, and waits for none', () => {
    const key = newKey();
    class Hot {
      @Count({ counters, key, type: 'batched' }) act(a: number): number { return a + 1; }
    }
    const hot = new Hot();
    let promises = 0;
    const hook = createHook({ init: (_id, type) => { if (type === 'PROMISE') promises++; } }).enable();
    let sum = 0;
    for (let i = 0; i < 1000; i++) sum = hot.act(sum);
    hook.disable();
    assert.deepEqual([sum, promises], [1000, 0]);
  });
});
