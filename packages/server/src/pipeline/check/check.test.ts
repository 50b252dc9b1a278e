/** The check on a real Redis and MariaDB, while the log is carried from one to the other. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { createClient } from 'redis';
import { createTallystick, type Store, type Tallystick } from 'tallystick';
import { RedisOutbox, RedisTotals, redisStore } from 'tallystick/redis';
import { startMariaDb, type MariaDb } from '../../../../../test/support/mariadb.ts';
import { seededRandom } from '../../../../../test/support/random.ts';
import { startRedis, type RedisServer } from '../../../../../test/support/redis.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openMysqlLedger } from '../ledger/mysql/mysql-ledger.ts';
import { encodeRecord } from '../record.ts';
import { Relay } from '../relay/relay.ts';
import { Sink } from '../sink.ts';
import { check, isConsistent, type CheckOptions, type CheckReport } from './check.ts';
import { repairLedger, repairStore } from './repair.ts';

const PARTITIONS = 4;
const KEYS = Array.from({ length: 3000 }, (_, i) => `key:${i}`);

/** Both servers, and what carries the log between them. */
class Stack {
  readonly client;
  readonly store: Store;
  readonly ledger: Ledger;
  readonly tallystick: Tallystick;
  readonly live: RedisTotals;
  #sink: Sink | undefined;
  #relay: Relay | undefined;

  private constructor(client: Awaited<ReturnType<typeof connect>>, store: Store, ledger: Ledger) {
    this.client = client;
    this.store = store;
    this.ledger = ledger;
    this.tallystick = createTallystick({ store });
    this.live = new RedisTotals({ client, partitions: PARTITIONS });
  }

  static async open(redis: RedisServer, db: MariaDb): Promise<Stack> {
    const client = await connect(redis);
    const target = { host: '127.0.0.1', port: db.port, user: 'root', database: 'tallystick', tls: false };
    const ledger = await openMysqlLedger({ target, partitions: PARTITIONS, connections: 8 });
    return new Stack(client, await redisStore({ client, partitions: PARTITIONS, outbox: true }), ledger);
  }

  carry(): void {
    this.#sink = new Sink({ ledger: this.ledger, delayMs: 20 });
    this.#relay = new Relay({ outbox: new RedisOutbox({ client: this.client, partitions: PARTITIONS }), destination: this.#sink, leaseMs: 300 });
  }

  async stopCarrying(): Promise<void> {
    await this.#relay?.close();
    await this.#sink?.close();
  }

  check(options: Partial<CheckOptions> = {}): Promise<CheckReport> {
    return check({ live: this.live, store: this.store, ledger: this.ledger, confirmMs: 50, ...options });
  }

  async close(): Promise<void> {
    await this.tallystick.close();
    await this.stopCarrying();
    await this.store.close();
    await this.ledger.close();
    this.client.destroy();
  }
}

const connect = (redis: RedisServer): ReturnType<ReturnType<typeof createClient>['connect']> => createClient({ url: redis.url }).connect();

describe('the check', () => {
  let db: MariaDb;
  let redis: RedisServer;
  let stack: Stack;
  let seq = 0;
  before(async () => {
    [db, redis] = await Promise.all([startMariaDb(), startRedis()]);
  });
  after(() => Promise.all([db.stop(), redis.stop()]));
  beforeEach(async () => {
    stack = await Stack.open(redis, db);
    stack.carry();
    await stack.tallystick.counters.addMany(KEYS.map((key, i) => ({ key, delta: i + 1 })));
  });
  afterEach(async () => {
    await stack.client.sendCommand(['FLUSHALL']);
    await stack.close();
    await db.clear();
  });

  /** In the ledger alone. */
  const plantInLedger = (partition: number, key: string, delta: number): Promise<unknown> =>
    stack.ledger.apply(partition, [encodeRecord({ source: `planted${++seq}`, seq: 1, atMs: Date.now(), entries: [[key, delta]] })]);

  /** Adds as fast as they come until it is told to end. */
  function load(): { end: () => Promise<void>; readonly adds: number } {
    const random = seededRandom(5);
    let ended = false;
    let adds = 0;
    const callers = Array.from({ length: 32 }, async () => {
      for (; !ended; adds++) await stack.tallystick.counters.add(KEYS[Math.floor(random() * KEYS.length)]!, 1 + Math.floor(random() * 3));
    });
    const end = async (): Promise<void> => {
      ended = true;
      await Promise.all(callers);
    };
    return { end, get adds() { return adds; } };
  }

  const whereIs = async (key: string): Promise<number> => {
    for (let partition = 0; partition < PARTITIONS; partition++) {
      for (let from = 0; from < stack.live.buckets(partition); ) {
        const page = await stack.live.read(partition, from);
        if (page.totals.some(([each]) => each === key)) return partition;
        from = page.next;
      }
    }
    throw new Error(`no ${key}`);
  };

  it('finds nothing while both go on at full load, though much differs when it is read', async () => {
    const running = load();
    const reports = [await stack.check(), await stack.check(), await stack.check({ sample: 400 })];
    await running.end();
    for (const { differing, unsettled, looked } of reports) assert.deepEqual({ differing, unsettled, many: looked >= 200 }, { differing: 0, unsettled: 0, many: true });
    assert.equal(reports[0]!.looked, KEYS.length);
    assert.ok(reports[0]!.inFlight > 0, 'the load was faster than the log');
  });

  it('finds what either side lacks or has otherwise, to the key, under load', async () => {
    const running = load();
    await stack.tallystick.counters.addMany([{ key: 'torn out', delta: 8 }, { key: 'right' }]);
    const partition = await whereIs('torn out');
    await stack.client.hDel(`{tally:${partition}}c${stack.live.bucketOf(partition, 'torn out')}`, 'torn out');
    await plantInLedger(2, 'only in the ledger', 5);
    await plantInLedger(await whereIs('key:7'), 'key:7', -3);
    const off = await redisStore({ client: stack.client, partitions: PARTITIONS });
    await off.apply({ source: 'off', partition: 3, seq: 1, operations: [{ key: 'only in Redis', delta: 9 }] });
    const report = await stack.check();
    await running.end();
    assert.deepEqual(report.examples.map(({ key }) => key).toSorted(), ['key:7', 'only in Redis', 'only in the ledger', 'torn out']);
    assert.deepEqual([report.differing, report.unsettled, report.looked], [4, 0, KEYS.length + 4]);
    const own = report.examples.find(({ key }) => key === 'only in Redis');
    assert.deepEqual(own, { partition: 3, key: 'only in Redis', live: 9n, ledger: 0n, isTotal: true });
    assert.equal(report.differingPercent, 400 / (KEYS.length + 4));
    assert.ok(!isConsistent(report));
    await off.close();
  });

  for (const [side, repair] of [
    ['the ledger', () => repairLedger(stack.ledger)],
    ['Redis', async () => repairStore(await redisStore({ client: stack.client, partitions: PARTITIONS }))],
  ] as const) {
    it(`puts ${side} right under load, by what it lacks`, async () => {
      const running = load();
      for (let partition = 0; partition < PARTITIONS; partition++) await plantInLedger(partition, KEYS[partition]!, 1000 + partition);
      const report = await stack.check({ repair: await repair() });
      assert.deepEqual([report.differing, report.repaired, isConsistent(report)], [4, 4, true]);
      const again = await stack.check();
      await running.end();
      assert.deepEqual([again.differing, again.unsettled], [0, 0]);
      const values = await Promise.all(KEYS.slice(0, PARTITIONS).map((key, partition) => stack.store.read(partition, [{ key }])));
      const isRaised = values.every(([reading]) => reading!.value >= 1000);
      assert.equal(isRaised, side === 'Redis', 'only Redis is given what the ledger has more');
    });
  }

  it('leaves a ledger alone in whose partition records are parked', async () => {
    await stack.ledger.apply(1, [encodeRecord({ source: 'late', seq: 2, atMs: Date.now(), entries: [['waits', 4]] })]);
    await plantInLedger(1, 'wrong', 1);
    await plantInLedger(2, 'wrong', 1);
    const report = await stack.check({ repair: repairLedger(stack.ledger) });
    assert.deepEqual([report.differing, report.repaired, report.deadLetters], [2, 1, { gap: 1 }]);
  });

  it('takes a counter that expires for no total, and gives it none', async () => {
    const partition = 1;
    await stack.store.apply({ source: 'm', partition, seq: 1, operations: [{ key: 'mortal', delta: 5, terms: { kind: 'count', ttlMs: 60_000 } }] });
    assert.equal((await stack.check()).differing, 0);
    await plantInLedger(partition, 'mortal', 2);
    const off = await redisStore({ client: stack.client, partitions: PARTITIONS });
    const report = await stack.check({ repair: repairStore(off) });
    assert.deepEqual([report.differing, report.repaired, report.examples[0]?.isTotal], [1, 0, false]);
    assert.equal((await stack.store.read(partition, [{ key: 'mortal' }]))[0]!.value, 5);
    await off.close();
  });

  it('tells what it cannot tell while the log stands still, and waits for it once', async () => {
    assert.equal((await stack.check()).differing, 0);
    await stack.stopCarrying();
    await stack.tallystick.counters.addMany(KEYS.slice(0, 100).map((key) => ({ key, delta: 1 })));
    const beganMs = performance.now();
    const report = await stack.check({ waitMs: 300 });
    assert.ok(performance.now() - beganMs < 3000);
    assert.deepEqual([report.unsettled, report.differing, isConsistent(report)], [100, 0, false]);
    stack.carry();
    assert.ok(isConsistent(await stack.check()));
    const connection = await db.connection();
    const [{ left }] = await connection.query<[{ left: bigint }]>('SELECT COUNT(*) AS `left` FROM check_reading');
    await connection.end();
    assert.equal(Number(left), 0);
  });
});
