import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { isBehind, type Answer, type Reply } from '../../model/answer.ts';
import { WINDOW, type Batch } from '../../model/batch.ts';
import { steadyClock } from '../../model/clock.ts';
import type { Operation, Query, Terms } from '../../model/operation.ts';
import { Replica } from '../../replica/replica.ts';
import { SOURCE_RETENTION_MS } from '../../replica/sources.ts';
import { histories, HISTORY_RETENTION_MS, HISTORY_STARTS_MS, manualClock, type History, type Step } from '../../testing/index.ts';
import { openDatabase, type Database } from './database.ts';
import { Keeper } from './keeper.ts';
import type { WorkerSettings } from './protocol.ts';
import { toRecord } from './record.ts';
import { Residents } from './residents.ts';

const folder = mkdtempSync(join(tmpdir(), 'tallystick-keeper-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** A store without its threads: decides, commits and loads in one go, and can be cut off at any moment. */
class Bare {
  readonly #settings: WorkerSettings;
  #database: Database | undefined;
  #keeper: Keeper | undefined;
  readonly #maxResident: number;
  #residents = new Residents({}, 1, true);
  #position = 0;
  clockMs = 0;

  /** @param maxResident With 1, whatever is asked comes from the keeper. */
  constructor(folding: WorkerSettings['folding'], maxResident = 1000) {
    const path = join(folder, `${files++}.db`);
    this.#settings = { path, partitions: 1, requestRetentionMs: HISTORY_RETENTION_MS, nowMs: HISTORY_STARTS_MS, folding, mustExist: false };
    this.#maxResident = maxResident;
  }

  get keeper(): Keeper {
    return this.#keeper!;
  }

  async open(): Promise<void> {
    this.#database = await openDatabase(this.#settings, () => this.#settings.nowMs);
    this.#database.sqlite.pragma('synchronous = OFF'); // nothing here cuts the power
    this.#keeper = new Keeper(this.#database, this.#settings);
    const { position, clockMs, isEmpty, answers } = this.#keeper.recover();
    this.#position = position;
    this.clockMs = clockMs;
    this.#residents = new Residents({ requestRetentionMs: HISTORY_RETENTION_MS }, this.#maxResident, isEmpty);
    for (const { partition, source, seq, answer } of answers) this.#residents.replica.sources.applied(`${partition}/${source}`, seq, answer);
  }

  /** What is in memory is lost; what was committed is all there is. */
  async crash(): Promise<void> {
    this.#database!.sqlite.close();
    await this.open();
  }

  apply(batch: Batch, nowMs: number): Reply {
    this.#load(batch.operations);
    const before = this.#residents.replica.sources.reply(`${batch.partition}/${batch.source}`, batch.seq);
    if (before !== undefined) return before;
    const answer = this.#residents.replica.apply(batch, nowMs) as Answer;
    const records = [toRecord(++this.#position, batch, answer)];
    this.keeper.commit(records);
    this.keeper.absorb(records);
    // Twice: what is recent becomes earlier, what is earlier goes.
    this.#residents.shrink();
    if (this.#maxResident === 1) this.#residents.shrink();
    return answer;
  }

  read(queries: readonly Query[], nowMs: number): unknown {
    this.#load(queries);
    return queries.map((query) => this.#residents.replica.read(query, nowMs));
  }

  rows(sql: string): unknown[] {
    return this.#database!.sqlite.prepare(sql).all();
  }

  close(): void {
    this.#database!.sqlite.close();
  }

  #load(asked: readonly (Operation | Query)[]): void {
    const missing = this.#residents.missing(asked);
    // Cloned, as it is on its way from thread to thread.
    if (missing !== undefined) this.#residents.put(missing, structuredClone(this.keeper.load(missing)));
  }
}

/** What happens after a step: nothing, a piece of idle time, or a crash. */
const aside = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ type: 'nothing' as const, step: 0 }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('idle' as const), step: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.constant({ type: 'crash' as const, step: 0 }) },
);
const asides = fc.array(aside, { minLength: 20, maxLength: 60 });
const settings = fc.record({
  folding: fc.record({ maxCells: fc.integer({ min: 2, max: 12 }), maxLogBytes: fc.integer({ min: 300, max: 6000 }) }),
  maxResident: fc.constantFrom(1, 1000),
});

/** All kinds on few keys, in windows that outlast the test: a change that is lost or made twice stays to be seen. */
const lasting = fc
  .record({
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
    terms: fc.constantFrom<Terms | undefined>(
      undefined,
      { kind: 'count', min: 0, ttlMs: 1e9 },
      { kind: 'log', windowMs: 1e9 },
      { kind: 'window', windowMs: 1e9, slices: 4 },
      { kind: 'unique', windowMs: 1e9 },
    ),
    delta: fc.constantFrom(1, 1, 1, 2, -1, 0),
    member: fc.constantFrom('m1', 'm2', 'm3', 'm4'),
    requestId: fc.constantFrom(undefined, undefined, 'r1', 'r2', 'r3', 'r4'),
    isEffect: fc.boolean(),
  })
  .map(({ isEffect, ...op }): Operation => {
    const isCount = op.terms === undefined || op.terms.kind === 'count';
    const reach = isCount && op.delta === 0 ? { reach: 4 } : {};
    const expiry = isCount && op.terms !== undefined ? { expiresAtMs: HISTORY_STARTS_MS + 1e8 } : {};
    return { ...op, ...reach, ...(isEffect && { effect: { atMs: HISTORY_STARTS_MS - 5, ...expiry } }) };
  });

const lastingHistories = fc.array(fc.array(lasting, { minLength: 1, maxLength: 3 }), { minLength: 20, maxLength: 60 }).map((batches) =>
  batches.flatMap((operations, i): Step[] => [
    { type: 'apply', batch: { source: 's', partition: 0, seq: i + 1, operations } },
    { type: 'read', partition: 0, queries: operations },
  ]),
);

async function follow(history: History, besides: readonly { type: string; step: number }[], bare: Bare): Promise<void> {
  const raw = manualClock(HISTORY_STARTS_MS);
  const clock = steadyClock(raw);
  const replica = new Replica({ requestRetentionMs: HISTORY_RETENTION_MS });
  await bare.open();
  for (const [i, step] of history.entries()) {
    if (step.type === 'clock') raw.set(step.nowMs);
    const nowMs = clock();
    if (step.type === 'apply') assert.deepEqual(bare.apply(step.batch, nowMs), replica.apply(step.batch, nowMs));
    if (step.type === 'read') assert.deepEqual(bare.read(step.queries, nowMs), step.queries.map((query) => replica.read(query, nowMs)));
    const next = besides[i % besides.length]!;
    if (next.type === 'idle') {
      bare.keeper.tick(nowMs);
      bare.keeper.idle(next.step);
    }
    if (next.type === 'crash') await bare.crash();
    assert.ok(bare.clockMs <= nowMs, 'a time was found that never was');
  }
}

describe('a keeper', () => {
  for (const [name, arbitrary] of [['random', histories({ maxSteps: 50 })], ['lasting', lastingHistories]] as const) {
    it(`agrees with a replica that never crashes, however often it crashes while folding: ${name} histories`, async () => {
      const property = fc.asyncProperty(arbitrary, asides, settings, async (history, besides, { folding, maxResident }) => {
        const bare = new Bare(folding, maxResident);
        try {
          await follow(history, besides, bare);
        } finally {
          bare.close();
        }
      });
      await fc.assert(property, { numRuns: 60 });
    });
  }

  it('keeps the log short: what is folded goes, but for the last results of each source', async () => {
    const bare = new Bare({ maxCells: 10, maxLogBytes: 5000 });
    await bare.open();
    for (let seq = 1; seq <= 500; seq++) {
      const operations = [{ key: `k${seq % 25}`, delta: 1 }];
      bare.apply({ source: `s${seq % 2}`, partition: 0, seq: Math.ceil(seq / 2), operations }, seq);
    }
    const { length } = bare.rows('SELECT 1 FROM batch');
    assert.ok(length < 120, `${length} rows of the log are left`);
    while (bare.keeper.idle());
    assert.equal(bare.rows('SELECT 1 FROM batch').length, 2 * WINDOW);
    assert.equal(bare.rows('SELECT 1 FROM count').length, 25);
    bare.close();
  });

  it('forgets a source that was silent for twice the retention time', async () => {
    const bare = new Bare({ maxCells: 1, maxLogBytes: 1000 });
    await bare.open();
    bare.apply({ source: 'old', partition: 0, seq: 1, operations: [{ key: 'k', delta: 1 }] }, 1000);
    bare.apply({ source: 'new', partition: 0, seq: 1, operations: [{ key: 'k', delta: 1 }] }, 1000 + 2 * SOURCE_RETENTION_MS);
    while (bare.keeper.idle());
    assert.deepEqual(bare.rows('SELECT source FROM batch'), [{ source: 'new' }]);
    await bare.crash();
    assert.ok(isBehind(bare.apply({ source: 'old', partition: 0, seq: 2, operations: [] }, 1000 + 2 * SOURCE_RETENTION_MS)));
    bare.close();
  });

  it('writes no request id to its table that is forgotten before it is folded, and keeps the others through a crash', async () => {
    const bare = new Bare({ maxCells: 1000, maxLogBytes: 100_000 });
    await bare.open();
    const requests = [{ requestId: 'short', requestTtlMs: 50 }, { requestId: 'longer', requestTtlMs: 150 }];
    const operations = requests.map((request) => ({ key: 'k', delta: 1, ...request }));
    bare.apply({ source: 's', partition: 0, seq: 1, operations }, 1000);
    await bare.crash();
    // The time goes on without a tick, after which rows that were written would be dropped.
    bare.apply({ source: 's', partition: 0, seq: 2, operations: [] }, 1060);
    while (bare.keeper.idle());
    assert.deepEqual(bare.rows('SELECT expires_ms FROM cell'), [{ expires_ms: 1150 }]);
    await bare.crash();
    const again = bare.apply({ source: 's', partition: 0, seq: 3, operations }, 1149) as Answer;
    assert.deepEqual([again.values, again.notes.map(({ index }) => index)], [[3, 2], [1]]);
    bare.close();
  });

  it('drops rows that have expired, and finds no earlier time after that', async () => {
    const bare = new Bare({ maxCells: 1000, maxLogBytes: 100_000 });
    await bare.open();
    const terms = { kind: 'count', ttlMs: 1000 } as const;
    const operations = Array.from({ length: 1200 }, (_, i) => ({ key: `k${i}`, delta: 1, terms, requestId: 'r' }));
    bare.apply({ source: 's', partition: 0, seq: 1, operations }, 5000);
    while (bare.keeper.idle());
    assert.equal(bare.rows('SELECT 1 FROM count').length, 1200);
    bare.keeper.tick(5000 + HISTORY_RETENTION_MS);
    while (bare.keeper.idle());
    assert.deepEqual([bare.rows('SELECT 1 FROM count').length, bare.rows('SELECT 1 FROM cell').length], [0, 0]);
    await bare.crash();
    assert.equal(bare.clockMs, 5000 + HISTORY_RETENTION_MS);
    bare.close();
  });
});
