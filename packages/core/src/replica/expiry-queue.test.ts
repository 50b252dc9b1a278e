import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ExpiryQueue } from './expiry-queue.ts';

/** Sweeps, and returns what came out; nothing of it lives on. */
function swept(queue: ExpiryQueue, nowMs: number, limit = 1e9): string[] {
  const ids: string[] = [];
  queue.sweep(nowMs, limit, (id) => {
    ids.push(id);
    return undefined;
  });
  return ids;
}

describe('ExpiryQueue', () => {
  it('gives out every id, once, not before its time and at most a second after', () => {
    const entries = fc.array(fc.oneof(fc.nat(20_000), fc.nat(1e9)), { maxLength: 60 });
    fc.assert(
      fc.property(entries, fc.array(fc.nat(30_000), { maxLength: 20 }), (expiries, pauses) => {
        const queue = new ExpiryQueue();
        for (const [i, expiresAtMs] of expiries.entries()) queue.add(String(i), expiresAtMs);
        const left = new Set(expiries.keys());
        let nowMs = 0;
        for (const pauseMs of [...pauses, 2e9]) {
          nowMs += pauseMs;
          for (const id of swept(queue, nowMs)) {
            assert.ok(expiries[Number(id)]! <= nowMs, 'too early');
            assert.ok(left.delete(Number(id)), 'twice');
          }
          for (const i of left) assert.ok(expiries[i]! > nowMs - 1000, 'too late');
        }
        assert.deepEqual([left.size, queue.isEmpty], [0, true]);
      }),
      { numRuns: 500 },
    );
  });

  it('looks at no more ids than it may, and goes on where it stopped (T22)', () => {
    const queue = new ExpiryQueue();
    for (let i = 0; i < 2500; i++) queue.add(String(i), 500);
    const seen = [swept(queue, 5000, 1000), swept(queue, 5000, 1000), swept(queue, 5000, 1000), swept(queue, 5000, 1000)];
    assert.deepEqual(seen.map((ids) => ids.length), [1000, 1000, 500, 0]);
    assert.equal(new Set(seen.flat()).size, 2500);
  });

  it('keeps an id that expires later after all, once', () => {
    const queue = new ExpiryQueue();
    queue.add('moved', 500);
    assert.equal(queue.sweep(2000, 10, () => 7500), 1);
    assert.deepEqual(swept(queue, 7999), []);
    assert.deepEqual(swept(queue, 8000), ['moved']);
    assert.equal(queue.isEmpty, true);
  });

  it('leaps a gap of years in no time', () => {
    const queue = new ExpiryQueue();
    queue.add('soon', 1000);
    queue.add('in a thousand years', 3.2e13);
    const from = process.cpuUsage();
    assert.deepEqual(swept(queue, 3.2e13 + 5000), ['soon', 'in a thousand years']);
    assert.ok(process.cpuUsage(from).user < 1_000_000, 'walking it takes minutes');
  });
});
