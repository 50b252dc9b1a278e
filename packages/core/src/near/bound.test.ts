/** The bound that a near cache states, held by real stores while other processes write. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createClient } from 'redis';
import { startRedis } from '../../../../test/support/redis.ts';
import type { CounterOptions } from '../model/counter-type.ts';
import type { Store } from '../store.ts';
import { memoryStore } from '../stores/memory/memory-store.ts';
import { redisStore } from '../stores/redis/index.ts';
import { createTallystick } from '../tallystick.ts';

const server = await startRedis();
const clients = await Promise.all([0, 1].map(() => createClient({ url: server.url }).connect()));
after(async () => {
  for (const client of clients) client.destroy();
  await server.stop();
});

const LOAD_MS = 700;
const NEAR = { ttlMs: 20, maxEntries: 3 };
const KEYS = ['a', 'b', 'c', 'd', 'e'];
const TYPES: readonly CounterOptions[] = [{}, { type: 'sharded' }, { type: 'batched' }, { type: 'sliding-log', windowMs: 60_000 }];
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What was written to one counter: amounts begun, and those done by when. */
class Written {
  attempted = 0;
  readonly #done = [{ atMs: -Infinity, total: 0 }];

  done(delta: number): void {
    this.#done.push({ atMs: performance.now(), total: this.doneBy(Infinity) + delta });
  }

  doneBy(ms: number): number {
    let at = this.#done.length - 1;
    while (this.#done[at]!.atMs > ms) at--;
    return this.#done[at]!.total;
  }
}

/** Two processes write and one of them reads; every reading is held to the bound. Returns how many were copies. */
async function hold(stores: readonly [Store, Store], options: CounterOptions): Promise<number> {
  const reader = createTallystick({ store: stores[0], counters: { '*': options }, near: NEAR });
  const other = createTallystick({ store: stores[1], counters: { '*': options } });
  const isKept = options.type === 'batched';
  const [own, all] = [new Map(KEYS.map((key) => [key, new Written()])), new Map(KEYS.map((key) => [key, new Written()]))];
  const endMs = performance.now() + LOAD_MS;
  const write = async ({ counters }: typeof reader, isOwn: boolean): Promise<void> => {
    for (let i = 0; performance.now() < endMs; i++) {
      const key = KEYS[i % KEYS.length]!;
      all.get(key)!.attempted++;
      await counters.add(key, 1);
      if (!isKept) all.get(key)!.done(1);
      if (isOwn) own.get(key)!.done(1);
      if (i % 50 === 0) await pause(3);
    }
  };
  let copies = 0;
  const read = async (start: number): Promise<void> => {
    for (let i = start; performance.now() < endMs; i++) {
      const key = KEYS[(i * i) % KEYS.length]!;
      const begunMs = performance.now();
      const ownDone = own.get(key)!.doneBy(begunMs);
      const { value, ageMs, exact } = await reader.counters.get(key, i % 4 === 0 ? { maxAgeMs: 10 } : {});
      if (ageMs !== undefined) copies++;
      assert.ok(!(exact && ageMs !== undefined));
      assert.ok((ageMs ?? 0) <= NEAR.ttlMs + (performance.now() - begunMs) + 1, `${ageMs} ms old`);
      const least = all.get(key)!.doneBy(begunMs - (ageMs ?? 0));
      assert.ok(value >= least && value >= ownDone, `${value} of at least ${least}, own ${ownDone}, ${ageMs} ms old`);
      if (!isKept) assert.ok(value <= all.get(key)!.attempted);
      if (i % 20 === 0) await pause(1);
    }
  };
  const ends = await Promise.allSettled([write(reader, true), write(other, false), read(0), read(1), read(2)]);
  await Promise.all([reader.close(), other.close()]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return copies;
}

describe('a copy is never older than it says, and misses nothing that its process wrote', () => {
  for (const options of TYPES) {
    const name = options.type ?? 'simple';
    it(`on the memory store: ${name}`, async () => {
      const store = memoryStore({ partitions: 2 });
      assert.ok((await hold([store, store], options)) > 0);
    });
    it(`on Redis: ${name}`, async () => {
      const open = (i: number): Promise<Store> => redisStore({ client: clients[i]!, prefix: name, partitions: 4 });
      assert.ok((await hold([await open(0), await open(1)], options)) > 0);
    });
  }
});
