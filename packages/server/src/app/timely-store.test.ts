import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryStore, type Store } from 'tallystick';
import { within } from './within.ts';
import { timelyStore } from './timely-store.ts';

describe('timelyStore', () => {
  it('reads what the store reads', async () => {
    const store = timelyStore(memoryStore(), 1000);
    await store.apply({ source: 'a', partition: 0, seq: 1, operations: [{ key: 'k', delta: 2 }] });
    assert.equal((await store.read(0, [{ key: 'k' }]))[0]?.value, 2);
    await store.close();
  });

  it('says TIMEOUT of a read that takes longer', async () => {
    const stuck: Store = { ...timelyStore(memoryStore(), 1), read: () => new Promise(() => undefined) };
    const store = timelyStore(stuck, 20);
    await assert.rejects(within(store.read(0, [{ key: 'k' }]), 5000), { code: 'TIMEOUT', message: 'the store did not answer within 20 ms' });
  });

  it('is spread, and may lose, where the store is and does', () => {
    const spread: Store = { ...timelyStore(memoryStore(), 1), isSpread: true, mayLose: true, partitions: 4 };
    const { isSpread, mayLose, partitions } = timelyStore(spread, 1000);
    assert.deepEqual({ isSpread, mayLose, partitions }, { isSpread: true, mayLose: true, partitions: 4 });
  });
});
