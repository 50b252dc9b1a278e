import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { sharedSqliteWorker } from '../../../../../test/support/shared-sqlite-worker.ts';
import type { Answer } from '../../model/answer.ts';
import { Residents } from './residents.ts';
import { openSqliteStore } from './sqlite-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'tallystick-residents-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const add = (residents: Residents, key: string): void => {
  residents.replica.apply({ source: key, partition: 0, seq: 1, operations: [{ key, delta: 1 }] }, 0);
  residents.shrink();
};

describe('residents', () => {
  it('hold no more than they may', () => {
    const residents = new Residents({}, 1000, false);
    for (let i = 0; i < 10_000; i++) {
      add(residents, `k${i}`);
      assert.ok(residents.size <= 1000, `${residents.size} after ${i}`);
    }
    assert.ok(residents.size >= 400);
  });

  it('keep what is used, and let go of what is not', () => {
    const residents = new Residents({}, 100, false);
    add(residents, 'used');
    add(residents, 'unused');
    for (let i = 0; i < 200; i++) {
      assert.equal(residents.missing([{ key: 'used' }]), undefined);
      add(residents, `k${i}`);
    }
    assert.deepEqual(residents.missing([{ key: 'unused' }]), { counts: ['unused'], cells: [] });
  });

  it('ask for nothing while everything there is was always here', () => {
    const residents = new Residents({}, 100, true);
    assert.equal(residents.missing([{ key: 'new' }]), undefined);
    for (let i = 0; i < 200; i++) add(residents, `k${i}`);
    assert.deepEqual(residents.missing([{ key: 'new' }]), { counts: ['new'], cells: [] });
  });

  it('keep what is newer than what was loaded', () => {
    const residents = new Residents({}, 100, false);
    add(residents, 'k');
    residents.put({ counts: ['k', 'absent'], cells: [] }, { type: 'loaded', values: [77, NaN], expiriesMs: [0, 0], cells: [] });
    assert.deepEqual(residents.replica.read({ key: 'k' }, 0), { value: 1, found: true });
    assert.deepEqual(residents.replica.read({ key: 'absent' }, 0), { value: 0, found: false });
  });
});

describe('a SQLite store with far more counters than it may hold', () => {
  it('counts every one of them exactly, twice, several batches at a time', async () => {
    const store = await openSqliteStore({ path: join(folder, 'many.db'), maxResident: 3000 }, { startWorker: sharedSqliteWorker() });
    const batches = 40;
    let seq = 0;
    for (const round of [1, 2]) {
      const replies = Array.from({ length: batches }, (_, b) => {
        const operations = Array.from({ length: 1000 }, (_, i) => ({ key: `key ${b * 1000 + i}`, delta: 1 }));
        return store.apply({ source: 's', partition: 0, seq: ++seq, operations });
      });
      for (const reply of await Promise.all(replies)) assert.ok((reply as Answer).values.every((value) => value === round));
    }
    const readings = await store.read(0, Array.from({ length: 10_000 }, (_, i) => ({ key: `key ${i * 4}` })));
    assert.ok(readings.every(({ value }) => value === 2));
    await store.close();
  });
});
