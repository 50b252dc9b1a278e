import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { isBehind, type Answer } from '../../model/answer.ts';
import { WINDOW, type Batch } from '../../model/batch.ts';
import type { Operation } from '../../model/operation.ts';
import { Replica } from '../../replica/replica.ts';
import type { Store } from '../../store.ts';
import { sqliteStore, type SqliteStoreEvent } from './index.ts';
import { openSqliteStore, type Internals } from './sqlite-store.ts';
import { startWorker } from './start-worker.ts';

const folder = mkdtempSync(join(tmpdir(), 'tallystick-recovery-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** A store whose worker can be ended under its hands, and which folds all the time. */
class Victim {
  readonly path = join(folder, `${files++}.db`);
  readonly events: SqliteStoreEvent[] = [];
  store!: Store;
  #worker: Worker | undefined;

  async open(internals: Internals = {}): Promise<void> {
    this.store = await openSqliteStore(
      { path: this.path, clock: () => 1_700_000_000_000, onEvent: (event) => this.events.push(event) },
      {
        folding: { maxCells: 50, maxLogBytes: 4000 },
        startWorker: (settings) => (this.#worker = startWorker(settings)),
        ...internals,
      },
    );
  }

  kill(): void {
    void this.#worker?.terminate();
  }
}

/** Sends a batch until it is answered, as a lane does. */
async function insist(store: Store, batch: Batch): Promise<Answer> {
  for (let tries = 0; tries < 20; tries++) {
    try {
      const reply = await store.apply(batch);
      assert.ok(!isBehind(reply), `behind ${JSON.stringify(reply)} at ${batch.seq}`);
      return reply;
    } catch (error) {
      assert.equal((error as { code: string }).code, 'STORE_UNAVAILABLE');
    }
  }
  throw new Error('the store did not come back');
}

const operationsOf = (seq: number): Operation[] =>
  Array.from({ length: 5 }, (_, i): Operation => {
    const key = `k${(seq * 7 + i * 3) % 40}`;
    if (i === 3) return { key, delta: 1, terms: { kind: 'log', windowMs: 1e9 } };
    if (i === 4) return { key, delta: 1, requestId: `r${seq % 60}` };
    return { key, delta: seq % 5 };
  });

describe('a SQLite store that fails', () => {
  it('gives exact answers to batches sent again, when its worker is killed with batches in flight', async () => {
    const random = fc.sample(fc.integer({ min: 0, max: 30 }), { numRuns: 6, seed: Math.floor(Math.random() * 2 ** 31) });
    const victim = new Victim();
    await victim.open();
    const replica = new Replica();
    let seq = 0;
    for (const before of random) {
      const batches = Array.from({ length: before + WINDOW }, (): Batch => ({ source: 's', partition: 0, seq: ++seq, operations: operationsOf(seq) }));
      const expected = batches.map((batch) => replica.apply(batch, 1_700_000_000_000));
      const said = `kills after ${random.join()}`;
      for (let i = 0; i < before; i++) assert.deepEqual(await victim.store.apply(batches[i]!), expected[i], said);
      const inFlight = batches.slice(before).map((batch) => victim.store.apply(batch));
      victim.kill();
      const settled = await Promise.allSettled(inFlight);
      for (const [i, was] of settled.entries()) {
        if (was.status === 'fulfilled') assert.deepEqual(was.value, expected[before + i], said);
        assert.deepEqual(await insist(victim.store, batches[before + i]!), expected[before + i], said);
      }
    }
    assert.equal(victim.events.filter(({ type }) => type === 'fault').length, random.length);
    const keys = Array.from({ length: 40 }, (_, i) => ({ key: `k${i}` }));
    assert.deepEqual(await victim.store.read(0, keys), keys.map((query) => replica.read(query, 1_700_000_000_000)));
    await victim.store.close();
  });

  it('says STORE_UNAVAILABLE when the disk is full, and goes on exactly when there is room again', async () => {
    const victim = new Victim();
    await victim.open({ maxPages: 60 });
    const replica = new Replica();
    const batchOf = (seq: number): Batch => ({ source: 's', partition: 0, seq, operations: Array.from({ length: 100 }, (_, i) => ({ key: `k${seq}-${i}`, delta: 1 })) });
    let seq = 1;
    // What failed together with folding may succeed alone; when it fails again and again, the disk is full.
    for (let failures = 0; failures < 3; ) {
      try {
        const answer = (await victim.store.apply(batchOf(seq))) as Answer;
        assert.deepEqual(answer.values, (replica.apply(batchOf(seq), 0) as Answer).values);
        assert.ok(++seq < 500, 'the disk is never full');
        failures = 0;
      } catch (error) {
        const { code, transient } = error as { code: string; transient: boolean };
        assert.deepEqual([code, transient], ['STORE_UNAVAILABLE', true]);
        failures++;
      }
    }
    assert.deepEqual(await victim.store.read(0, [{ key: `k${seq - 1}-5` }]), [{ value: 1, found: true }]);
    await victim.store.close();
    await victim.open();
    assert.deepEqual((await victim.store.apply(batchOf(seq)) as Answer).values, new Array<number>(100).fill(1));
    assert.deepEqual(await victim.store.read(0, [{ key: `k${seq}-5` }, { key: 'k1-0' }]), [{ value: 1, found: true }, { value: 1, found: true }]);
    await victim.store.close();
  });

  it('loses no answered batch when the process is killed, and finds everything again', async () => {
    const path = join(folder, `${files++}.db`);
    const index = JSON.stringify(new URL('./index.ts', import.meta.url));
    const code = `
      const { sqliteStore } = await import(${index});
      const store = await sqliteStore({ path: ${JSON.stringify(path)} });
      const operations = [{ key: 'k', delta: 1 }, { key: 'ttl', delta: 1, terms: { kind: 'count', ttlMs: 1e9 } }, { key: 'k', delta: 1, requestId: 'r' }];
      for (let seq = 1; ; seq++) store.apply({ source: 's', partition: 0, seq, operations }).then(() => process.stdout.write(seq + '\\n'), () => {}), seq % 8 || await new Promise(setImmediate);
    `;
    const args = ['--conditions=tallystick-source', '--import', 'tsx', '--input-type=module', '-e', code];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length > 5000) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const answered = Number(output.slice(0, output.lastIndexOf('\n')).split('\n').at(-1));
    const store = await sqliteStore({ path });
    const [k, ttl] = await store.read(0, [{ key: 'k' }, { key: 'ttl' }]);
    const applied = ttl?.value ?? 0;
    assert.ok(applied >= answered, `${applied} applied, ${answered} answered`);
    assert.equal(k?.value, applied + 1, 'a batch is applied as a whole, a request once');
    assert.deepEqual(await store.apply({ source: 's', partition: 0, seq: applied + 2, operations: [] }), { behind: applied });
    const again = (await store.apply({ source: 's', partition: 0, seq: applied, operations: [] })) as Answer;
    assert.deepEqual(again.values, [applied + 1, applied, 2]);
    await store.close();
  });

  it('notices within seconds that its file was removed, says so, and goes on when it is put back', async () => {
    const victim = new Victim();
    await victim.open();
    await insist(victim.store, { source: 's', partition: 0, seq: 1, operations: [{ key: 'k', delta: 3 }] });
    const aside = `${victim.path}.aside`;
    for (const end of ['', '-wal']) renameSync(victim.path + end, aside + end);
    while (!victim.events.some(({ type }) => type === 'fault')) await new Promise((resolve) => setTimeout(resolve, 20));
    await assert.rejects(victim.store.read(0, [{ key: 'k' }]), { code: 'STORE_UNAVAILABLE', message: /removed or replaced/ });
    for (const end of ['', '-wal']) renameSync(aside + end, victim.path + end);
    assert.equal((await victim.store.read(0, [{ key: 'k' }]))[0]?.value, 3);
    await victim.store.close();
  });
});
