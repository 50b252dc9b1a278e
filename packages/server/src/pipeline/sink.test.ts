import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { FaultProxy } from '../../../../test/support/fault-proxy.ts';
import { startMariaDb, type MariaDb } from '../../../../test/support/mariadb.ts';
import { seededRandom } from '../../../../test/support/random.ts';
import type { Ledger } from './ledger/ledger.ts';
import { openMysqlLedger } from './ledger/mysql/mysql-ledger.ts';
import { encodeRecord } from './record.ts';
import { Sink, type SinkEvent } from './sink.ts';

const PARTITION = 1;

/** A log of `count` records of some sources, each source's in its order, and the totals it comes to. */
function randomLog(count: number, seed: number): { log: Buffer[]; totals: Map<string, bigint> } {
  const random = seededRandom(seed);
  const seqs = new Map<string, number>();
  const totals = new Map<string, bigint>();
  const log = Array.from({ length: count }, () => {
    const source = `s${Math.floor(random() * 4)}`;
    const seq = (seqs.get(source) ?? 0) + 1;
    seqs.set(source, seq);
    const entries = Array.from({ length: Math.floor(random() * 4) }, (): [string, number] => [`k${Math.floor(random() * 30)}`, Math.floor(random() * 21) - 10]);
    for (const [key, delta] of entries) totals.set(key, (totals.get(key) ?? 0n) + BigInt(delta));
    return encodeRecord({ source, seq, atMs: Date.now(), entries });
  });
  return { log, totals };
}

describe('the sink', () => {
  let db: MariaDb;
  let proxy: FaultProxy;
  const ledgers: Ledger[] = [];
  const open = async (port = db.port): Promise<Ledger> => {
    const target = { host: '127.0.0.1', port, user: 'root', database: 'tallystick', tls: false };
    const ledger = await openMysqlLedger({ target, partitions: 2, transactionTimeoutMs: 3000 });
    ledgers.push(ledger);
    return ledger;
  };
  const assertTotals = async (ledger: Ledger, totals: ReadonlyMap<string, bigint>): Promise<void> => {
    assert.deepEqual(await ledger.values(PARTITION, [...totals.keys()]), totals);
    assert.deepEqual(await ledger.deadLetters.count(), new Map());
  };
  before(async () => {
    db = await startMariaDb();
    proxy = await new FaultProxy(db.port).start();
  });
  after(async () => {
    await proxy.stop();
    await db.stop();
  });
  beforeEach(() => { proxy.heal(); });
  afterEach(async () => {
    await Promise.all(ledgers.splice(0).map((ledger) => ledger.close()));
    await db.clear();
  });

  it('comes to the sums of the log with duplicates, a log read again from any place, and two sinks at once (Q01, Q05, Q07)', async () => {
    const pieces = fc.array(fc.tuple(fc.nat(199), fc.nat(60), fc.boolean()), { minLength: 1, maxLength: 8 });
    await fc.assert(fc.asyncProperty(fc.nat(), pieces, async (seed, some) => {
      const opened = [await open(), await open()];
      const { log, totals } = randomLog(200, seed);
      const sinks = opened.map((ledger) => new Sink({ ledger, delayMs: 1 }));
      const deliver = (sink: number, from: number, to: number): Promise<void> => sinks[sink]!.deliver(PARTITION, log.slice(from, to));
      // As consumers of a log do: each begins at or before the end of what was committed.
      let end = 0;
      for (const [at, count, first] of some) {
        const from = Math.min(at, end);
        await Promise.all([deliver(first ? 0 : 1, from, from + count), deliver(first ? 1 : 0, Math.floor(from / 2), end)]);
        end = Math.max(end, from + count);
      }
      await deliver(0, Math.floor(end / 2), log.length);
      await Promise.all(sinks.map((sink) => sink.close()));
      await assertTotals(opened[0]!, totals);
      await Promise.all(opened.map((ledger) => ledger.close()));
      await db.clear();
    }), { numRuns: 12 });
  });

  it('waits out a database that is killed and started again', async () => {
    const { log, totals } = randomLog(400, 7);
    const ledger = await open();
    const events: SinkEvent[] = [];
    const sink = new Sink({ ledger, delayMs: 1, onEvent: (event) => events.push(event) });
    await sink.deliver(PARTITION, log.slice(0, 200));
    await db.kill();
    const waiting = sink.deliver(PARTITION, log.slice(200));
    await db.start();
    await waiting;
    await assertTotals(ledger, totals);
    await sink.close();
  });

  it('applies a batch once whose commit was done and whose answer was cut off (S02)', async () => {
    const { log, totals } = randomLog(300, 11);
    const ledger = await open(proxy.port);
    const sink = new Sink({ ledger, delayMs: 0, batchRecords: 1 });
    const random = seededRandom(11);
    for (let from = 0; from < log.length; from += 30) {
      const delivered = sink.deliver(PARTITION, log.slice(from, from + 30));
      proxy.delayMs = 1;
      setTimeout(() => {
        proxy.dropReplies = true;
        setTimeout(() => {
          proxy.heal();
          proxy.cut();
        }, 10);
      }, random() * 40);
      await delivered;
    }
    assert.ok(sink.stats.faults > 0, 'some answers were cut off');
    await assertTotals(await open(), totals);
    await sink.close();
  });

  it('applies what waited for a record as soon as that has come', async () => {
    const { log, totals } = randomLog(100, 3);
    const ledger = await open();
    const sink = new Sink({ ledger, delayMs: 1 });
    await sink.deliver(PARTITION, [...log.slice(0, 40), ...log.slice(41)]);
    assert.notDeepEqual(await ledger.deadLetters.count(), new Map());
    await sink.deliver(PARTITION, log.slice(40, 41));
    await assertTotals(ledger, totals);
    await sink.close();
  });

  it('loses and repeats nothing when four sinks write the same keys in opposite orders (S01)', async () => {
    const keys = Array.from({ length: 200 }, (_, i) => `key-${i}`);
    const workers = await Promise.all(Array.from({ length: 4 }, () => open()));
    await Promise.all(workers.map(async (ledger, worker) => {
      const sink = new Sink({ ledger, delayMs: 0, batchRecords: 1 });
      for (let seq = 1; seq <= 20; seq++) {
        const entries = (worker % 2 === 0 ? keys : keys.toReversed()).map((key): [string, number] => [key, 1]);
        await sink.deliver(PARTITION, [encodeRecord({ source: `w${worker}`, seq, atMs: 1, entries })]);
      }
      await sink.close();
    }));
    await assertTotals(workers[0]!, new Map(keys.map((key) => [key, 80n])));
  });

  it('stops while the database is away, and rejects what is not committed (Q08)', async () => {
    const ledger = await open(proxy.port);
    const sink = new Sink({ ledger, delayMs: 1 });
    await sink.deliver(PARTITION, randomLog(10, 1).log);
    proxy.refuse = true;
    proxy.cut();
    const delivered = sink.deliver(PARTITION, randomLog(20, 1).log);
    const rejected = assert.rejects(delivered, { code: 'CLOSED' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await sink.close();
    await rejected;
    await assert.rejects(sink.deliver(PARTITION, [Buffer.of(0)]), { code: 'CLOSED' });
  });

  it('takes no more than it may hold', async () => {
    const ledger = await open();
    const sink = new Sink({ ledger, delayMs: 50, maxPendingBytes: 2000 });
    const { log } = randomLog(60, 1);
    const first = sink.deliver(PARTITION, log.slice(0, 30));
    await assert.rejects(sink.deliver(PARTITION, [...log, ...log]), { code: 'OVERLOADED' });
    await first;
    await sink.close();
  });
});
