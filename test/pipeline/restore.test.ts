// Redis loses everything under load, on a real Redis and MariaDB: what comes back is what was acknowledged, to the unit.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTallystick, type Tallystick } from 'tallystick';
import type { Destination } from '../../packages/server/src/pipeline/destination.ts';
import { startMariaDb, type MariaDb } from '../support/mariadb.ts';
import { eventually } from '../support/redis-command.ts';
import { startRedis } from '../support/redis.ts';
import { deploy, ledgerTotals, PARTITIONS, stepsOf, type Deployment, type Planted } from './restore.ts';

let db: MariaDb;
let redis: Awaited<ReturnType<typeof startRedis>>;
before(async () => {
  [db, redis] = await Promise.all([startMariaDb(), startRedis()]);
});
after(() => Promise.all([db.stop(), redis.stop()]));

const KEYS = Array.from({ length: 40 }, (_, i) => `likes:${i}`);
const SETTLES_WITHIN_MS = 10_000;
/** What is wrong stays so: a little more than Redis and ledger take to agree. */
const STAYS_WRONG_MS = 1500;
let deployments = 0;

async function deployed(planted?: Planted): Promise<Deployment> {
  await db.clear();
  return deploy(redis.url, db, `restore${deployments++}`, planted);
}

/** Adds, one after the other in each of some callers, until it is told to end; what was acknowledged is in `acknowledged`. */
class Load {
  readonly acknowledged = new Map<string, number>();
  readonly #tallystick: Tallystick;
  readonly #running: Promise<unknown>;
  #isOver = false;

  constructor(tallystick: Tallystick, callers = 32) {
    this.#tallystick = tallystick;
    this.#running = Promise.all(Array.from({ length: callers }, (_, caller) => this.#call(caller)));
  }

  get total(): number {
    return [...this.acknowledged.values()].reduce((sum, value) => sum + value, 0);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #call(caller: number): Promise<void> {
    for (let i = caller; !this.#isOver; i++) {
      const key = KEYS[(i * 7) % KEYS.length]!;
      await this.#tallystick.counters.add(key, 1 + (i % 3));
      this.acknowledged.set(key, (this.acknowledged.get(key) ?? 0) + 1 + (i % 3));
    }
  }
}

async function counts(tallystick: Tallystick): Promise<Map<string, number>> {
  const values = await Promise.all(KEYS.map(async (key) => [key, (await tallystick.counters.get(key)).value] as const));
  return new Map(values.filter(([, value]) => value !== 0));
}

const sorted = (totals: ReadonlyMap<string, number>): unknown => [...totals].sort();

async function inLedger(): Promise<Map<string, number>> {
  const connection = await db.connection();
  return ledgerTotals(connection).finally(() => connection.end());
}

/** Until Redis and ledger are the same; the account is then that of both. */
async function settled(tallystick: Tallystick, withinMs: number): Promise<Map<string, number>> {
  await eventually('Redis and ledger agree', async () => {
    const [left, right] = await Promise.all([counts(tallystick), inLedger()]);
    assert.deepEqual(sorted(left), sorted(right));
    return true;
  }, withinMs);
  return counts(tallystick);
}

/** A log that takes records at once and brings them to the ledger later, in order, as Kafka does. */
const late = (delayMs: number) => (sink: Destination): Destination => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    deliver: (partition, records) => {
      const copies = records.map((record) => Uint8Array.from(record));
      const due = new Promise((resolve) => setTimeout(resolve, delayMs));
      last = Promise.all([last, due]).then(() => void sink.deliver(partition, copies).catch(() => undefined));
      return Promise.resolve();
    },
    close: () => sink.close(),
  };
};

/** Two processes: one that has added and is gone, and one that adds while Redis loses everything. */
async function flushedUnderLoad(planted?: Planted, settlesWithinMs = SETTLES_WITHIN_MS): Promise<{ expected: Map<string, number>; found: Map<string, number> }> {
  const deployment = await deployed(planted);
  const gone = createTallystick({ store: await deployment.store() });
  const alive = createTallystick({ store: await deployment.store() });
  const first = new Load(gone, 8);
  await eventually('a first load', () => first.total > 200);
  await first.end();
  await gone.close();
  // Its records have left Redis; where the log is late, not all are in the ledger yet.
  await eventually('the outbox is empty', async () => (await outboxLength(deployment)) === 0);
  const second = new Load(alive);
  try {
    await eventually('a second load', () => second.total > 500);
    await deployment.client.flushAll();
    const before = second.total;
    await eventually('the load goes on', () => second.total > before + 500);
    await second.end();
    const expected = new Map(KEYS.map((key) => [key, (first.acknowledged.get(key) ?? 0) + (second.acknowledged.get(key) ?? 0)]));
    await eventually('the outbox is empty', async () => (await outboxLength(deployment)) === 0);
    const found = await settled(alive, settlesWithinMs).catch(() => counts(alive));
    return { expected, found };
  } finally {
    await second.end();
    await alive.close();
    await deployment.close();
  }
}

async function outboxLength({ client }: Deployment): Promise<number> {
  const lengths = await Promise.all(Array.from({ length: PARTITIONS }, (_, partition) => client.xLen(`{restore${deployments - 1}:${partition}}o`)));
  return lengths.reduce((sum, length) => sum + length, 0);
}

describe('a Redis that comes back empty', () => {
  it('is closed until it is restored, and a new deployment is open at once', async () => {
    const deployment = await deployed();
    const store = await deployment.store();
    const startedAtMs = performance.now();
    await eventually('it is open', async () => {
      for (let partition = 0; partition < PARTITIONS; partition++) await store.read(partition, []);
      return true;
    });
    assert.ok(performance.now() - startedAtMs < 1000);
    await deployment.close();
  });

  it('has what was acknowledged, when all is flushed under load (P5)', async () => {
    const { expected, found } = await flushedUnderLoad();
    assert.deepEqual(sorted(found), sorted(expected));
  });

  it('waits for what the log still carries', async () => {
    const { expected, found } = await flushedUnderLoad({ log: late(400) });
    assert.deepEqual(sorted(found), sorted(expected));
  });

  it('is restored by another when a restorer dies half-way', async () => {
    let died = 0;
    const dies = stepsOf((restoring) => ({
      loadSources: async (progress) => {
        if (progress.size === 0 || died === 2 * PARTITIONS) return restoring.loadSources(progress);
        died++;
        throw new Error('died');
      },
    }));
    const { expected, found } = await flushedUnderLoad({ store: dies });
    assert.deepEqual(sorted(found), sorted(expected));
    assert.equal(died, 2 * PARTITIONS);
  });

  const plants: Record<string, Planted> = {
    'opens before the log is drained': { log: late(400), isDrainOff: true },
    'does not restore how far sources are': { store: stepsOf(() => ({ loadSources: () => Promise.resolve(true) })) },
    'counts what it restores twice': { store: stepsOf((restoring) => ({ load: (totals) => restoring.load(totals.map(([key, value]) => [key, 2 * value])) })) },
    'opens without totals': { store: stepsOf(() => ({ load: () => Promise.resolve(true) })) },
  };
  for (const [what, planted] of Object.entries(plants)) {
    it(`is found out when it ${what}`, async () => {
      const { expected, found } = await flushedUnderLoad(planted, STAYS_WRONG_MS);
      assert.notDeepEqual(sorted(found), sorted(expected));
    });
  }
});
