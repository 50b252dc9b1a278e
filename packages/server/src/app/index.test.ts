import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryStore } from 'tallystick';
import { createApp, type App } from './index.ts';

const appOver = (): App => createApp({ store: memoryStore() });

describe('the use cases', () => {
  it('refuse a call whose time is over when it arrives, and count nothing', async () => {
    const app = appOver();
    const freq = { business_id: 1, key: 'k', time_span: 60 };
    for (const timeoutMs of [0, -16]) {
      const call = { timeoutMs };
      const calls = [
        app.addCounter('k', {}, call),
        app.addCounters({ items: [{ key: 'k' }] }, call),
        app.getCounter('k', {}, call),
        app.getCounters({ keys: ['k'] }, call),
        app.like({ userId: 'u', resourceId: 'k' }, call),
        app.unlike({ userId: 'u', resourceId: 'k' }, call),
        app.countLikes('k', call),
        app.countLikesOfMany({ resourceIds: ['k'] }, call),
        app.addFreq(freq, call),
        app.batchAddFreq({ requests: [freq] }, call),
        app.getFreq({ business_id: 1, key: 'k' }, call),
        app.batchGetFreq({ requests: [] }, call),
      ];
      for (const refused of calls) await assert.rejects(refused, { code: 'TIMEOUT' });
    }
    assert.equal(app.stats().operations, 0);
    assert.equal((await app.getCounter('k')).found, false);
    await app.close(1000);
  });

  it('count what came of every add, and never by a type that a caller made up', async () => {
    const app = appOver();
    await app.like({ userId: 'u', resourceId: 'r' });
    await assert.rejects(app.addCounter('k', { type: 'made up' }));
    await assert.rejects(app.addCounter('k', { delta: 0.5 }));
    await app.batchAddFreq({ requests: [{ business_id: 1, key: 'k', time_span: 1 }] });
    const counted = [...app.figures.increments].map(([type, byStatus]) => [type, Object.fromEntries(byStatus)]);
    assert.deepEqual(counted, [['simple', { applied: 2, refused: 1 }], ['invalid', { refused: 1 }]]);
    await app.close(1000);
  });

  it('tell how many operations a store left without an answer at the end', async () => {
    const store = { ...memoryStore(), partitions: 1, apply: () => new Promise<never>(() => undefined), close: () => Promise.resolve() };
    const app = createApp({ store });
    const pending = app.addCounter('k');
    const outcome = assert.rejects(pending, { code: 'OUTCOME_UNKNOWN' });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(await app.close(10), { unsettled: 1 });
    await outcome;
  });
});
