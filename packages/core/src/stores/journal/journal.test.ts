import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Batch } from '../../model/batch.ts';
import { manualClock } from '../../model/manual-clock.ts';
import type { Store } from '../../store.ts';
import { memoryStore } from '../memory/memory-store.ts';
import { frameOf } from './frames.ts';
import { journaledStore, replayJournal, type JournalEvent, type JournalOptions } from './index.ts';
import { Segment } from './segment.ts';

let folder: string;
let events: JournalEvent[];
const opened: Store[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tallystick-journal-'));
  events = [];
});

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  rmSync(folder, { recursive: true });
});

const journal = (): string => join(folder, 'journal');

async function open(store: Store, options: Partial<JournalOptions> = {}): Promise<Store> {
  const journaled = await journaledStore({ store, path: journal(), onEvent: (event) => events.push(event), ...options });
  opened.push(journaled);
  return journaled;
}

const batch = (seq: number, operations: Batch['operations'] = [{ key: 'k', delta: 1 }], source = 'a'): Batch => ({ source, partition: 0, seq, operations });

const valueIn = async (store: Store, key = 'k'): Promise<number> => (await store.read(0, [{ key }]))[0]!.value;

const files = (): string[] => readdirSync(journal()).sort().flatMap((run) => readdirSync(join(journal(), run)).sort().map((name) => join(journal(), run, name)));

/** The only file that has anything in it. */
const written = (): string => files().find((path) => statSync(path).size > 0)!;

describe('a journal', () => {
  it('gives a store that came back empty all that was acknowledged, once', async () => {
    const before = await open(memoryStore());
    for (let seq = 1; seq <= 5; seq++) await before.apply(batch(seq));
    const empty = memoryStore();
    const after = await open(empty);
    assert.equal(await valueIn(after), 5);
    await open(empty);
    assert.equal(await valueIn(after), 5);
    assert.deepEqual(events, [{ type: 'journal-replayed', batches: 5, lostBatches: 0 }]);
  });

  it('has a batch on disk before it is acknowledged, though the store never answered', async () => {
    const stuck: Store = { partitions: 1, apply: () => new Promise(() => undefined), read: () => Promise.resolve([]), close: () => Promise.resolve() };
    const store = await open(stuck);
    void store.apply(batch(1));
    const deadlineMs = Date.now() + 5000;
    while (statSync(files()[0]!).size === 0) {
      assert.ok(Date.now() < deadlineMs, 'nothing was written');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal(await valueIn(await open(memoryStore())), 1);
  });

  it('sends what was decided, not the conditions', async () => {
    const before = await open(memoryStore());
    await before.apply(batch(1, [{ key: 'k', delta: 7, terms: { kind: 'count', max: 5 } }]));
    const other = memoryStore();
    await other.apply(batch(1, [{ key: 'k', delta: 3 }], 'b'));
    await open(other);
    assert.equal(await valueIn(other), 8);
  });

  it('keeps request ids, members and lifetimes', async () => {
    const clock = manualClock(1_000_000);
    const operations = [
      { key: 'r', delta: 2, requestId: 'once' },
      { key: 'u', delta: 1, terms: { kind: 'unique', windowMs: 60_000 } as const, member: 'm' },
      { key: 't', delta: 4, terms: { kind: 'count', ttlMs: 60_000 } as const },
    ];
    const before = await open(memoryStore({ clock }));
    await before.apply(batch(1, operations));
    const after = memoryStore({ clock });
    await open(after);
    await after.apply(batch(1, [operations[0]!], 'b'));
    const readings = await after.read(0, [{ key: 'r' }, { key: 'u', terms: operations[1]!.terms! }, { key: 't' }]);
    assert.deepEqual(readings.map(({ value }) => value), [2, 1, 4]);
    assert.equal(readings[2]!.ttlMs, 60_000);
  });

  it('writes a batch that is sent again down once', async () => {
    const store = await open(memoryStore());
    await store.apply(batch(1));
    const { size } = statSync(written());
    await store.apply(batch(1));
    assert.equal(statSync(written()).size, size);
  });

  it('drops what a crash cut off, and says so', async () => {
    const before = await open(memoryStore());
    await before.apply(batch(1));
    const { size } = statSync(written());
    await before.apply(batch(2));
    truncateSync(written(), size + 20);
    assert.equal(await valueIn(await open(memoryStore())), 1);
    assert.equal(events.find(({ type }) => type === 'journal-torn')?.type, 'journal-torn');
  });

  it('stops at damage in the middle, naming where', async () => {
    const before = await open(memoryStore());
    for (let seq = 1; seq <= 3; seq++) await before.apply(batch(seq));
    const bytes = readFileSync(written());
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    writeFileSync(written(), bytes);
    const empty = memoryStore();
    await assert.rejects(open(empty), { code: 'DATA_CORRUPT', message: /00000001\.log: the bytes 0 to \d+ are damaged/ });
    assert.equal(await valueIn(empty), 0);
  });

  it('counts what is lost before its first record, and guesses nothing', async () => {
    const before = await open(memoryStore());
    for (let seq = 1; seq <= 4; seq++) await before.apply(batch(seq));
    const bytes = readFileSync(written());
    writeFileSync(written(), bytes.subarray(bytes.indexOf('TSJ1', 4)));
    const empty = memoryStore();
    assert.deepEqual(await replayJournal({ store: empty, path: journal() }), { batches: 3, known: 0, sent: 0, lostBatches: 1, stranded: 3, stale: 0 });
    assert.equal(await valueIn(empty), 0);
  });

  it('sends nothing of a source that the store may have forgotten', async () => {
    const before = await open(memoryStore());
    await before.apply(batch(1));
    const old = JSON.stringify([0, Date.now() - 25 * 3_600_000, 'silent', 0, 1, [['k', 10]]]);
    appendFileSync(written(), frameOf(old));
    const empty = memoryStore();
    const { sent, stale } = await replayJournal({ store: empty, path: journal() });
    assert.deepEqual({ sent, stale, value: await valueIn(empty) }, { sent: 1, stale: 1, value: 1 });
  });

  it('says what it would send, and sends nothing, in a dry run', async () => {
    const before = await open(memoryStore());
    for (let seq = 1; seq <= 3; seq++) await before.apply(batch(seq));
    const behind = memoryStore();
    await behind.apply(batch(1));
    assert.deepEqual(await replayJournal({ store: behind, path: journal(), dryRun: true }), { batches: 3, known: 1, sent: 2, lostBatches: 0, stranded: 0, stale: 0 });
    assert.equal(await valueIn(behind), 1);
  });

  it('sends what was written within a time', async () => {
    const before = await open(memoryStore());
    await before.apply(batch(1));
    const cutMs = Date.now();
    while (Date.now() === cutMs) await new Promise((resolve) => setImmediate(resolve));
    await before.apply(batch(2));
    const empty = memoryStore();
    await replayJournal({ store: empty, path: journal(), toMs: cutMs });
    assert.equal(await valueIn(empty), 1);
  });

  it('closes full segments, copies them to the backup, and recovers from the copy', async () => {
    const backup = join(folder, 'backup');
    const store = await open(memoryStore(), { maxSegmentBytes: 4096, backup });
    const wide = Array.from({ length: 40 }, (_, i) => ({ key: `key-${'x'.repeat(40)}-${i}`, delta: 1 }));
    for (let seq = 1; seq <= 20; seq++) await store.apply(batch(seq, wide));
    await store.close();
    const copies = readdirSync(backup).flatMap((run) => readdirSync(join(backup, run)));
    assert.ok(copies.length >= 2, `${copies.length} copies`);
    const copied = memoryStore();
    const { sent } = await replayJournal({ store: copied, path: backup });
    assert.equal(await valueIn(copied, wide[0]!.key), sent);
    assert.equal(await valueIn(await open(memoryStore()), wide[0]!.key), 20);
  });

  it('removes segments that the ledger has, and no others', async () => {
    const wide = Array.from({ length: 40 }, (_, i) => ({ key: `key-${'x'.repeat(40)}-${i}`, delta: 1 }));
    let covered = 0;
    const store = await open(memoryStore(), { maxSegmentBytes: 4096, coveredSeq: () => Promise.resolve(covered) });
    for (let seq = 1; seq <= 10; seq++) {
      await store.apply(batch(seq, wide));
      if (seq === 5) covered = 5;
    }
    await store.close();
    const held = memoryStore();
    for (let seq = 1; seq <= covered; seq++) await held.apply(batch(seq, wide));
    const { known, sent } = await replayJournal({ store: held, path: journal() });
    assert.equal(sent, 5);
    assert.ok(known < 5, `${known} of 5 covered batches are still there`);
  });

  it('removes the oldest segments when there are too many bytes, and says so', async () => {
    const wide = Array.from({ length: 40 }, (_, i) => ({ key: `key-${'x'.repeat(40)}-${i}`, delta: 1 }));
    const store = await open(memoryStore(), { maxSegmentBytes: 4096, maxBytes: 8192 });
    for (let seq = 1; seq <= 20; seq++) await store.apply(batch(seq, wide));
    await store.close();
    const bytes = files().reduce((sum, path) => sum + statSync(path).size, 0);
    assert.ok(bytes < 40_000, `${bytes} bytes`);
    assert.ok(events.some(({ type }) => type === 'journal-dropped'));
  });

  it('answers STORE_UNAVAILABLE when it cannot write, and takes the batch when it can again', async (test) => {
    const store = await open(memoryStore());
    await store.apply(batch(1));
    const full = test.mock.method(Segment.prototype, 'append', () => Promise.reject(new Error('no space')));
    await assert.rejects(store.apply(batch(2)), { code: 'STORE_UNAVAILABLE', message: /cannot be written: no space/ });
    full.mock.restore();
    await store.apply(batch(2));
    assert.equal(await valueIn(await open(memoryStore())), 2);
  });

  it('names an option that is not one', async () => {
    const store = memoryStore();
    opened.push(store);
    await assert.rejects(journaledStore({ store, path: '' }), { code: 'INVALID_CONFIG', field: 'path' });
    await assert.rejects(journaledStore({ store, path: folder, keepMs: 0 }), { code: 'INVALID_CONFIG', field: 'keepMs' });
    await assert.rejects(journaledStore({ store, path: folder, ...{ paht: 1 } }), { code: 'INVALID_CONFIG', field: 'paht' });
  });
});
