import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { within } from './within.ts';

const never = (): Promise<never> => new Promise(() => undefined);

describe('within', () => {
  it('hands on what the work comes to', async () => {
    assert.equal(await within(Promise.resolve(1), 1000), 1);
    await assert.rejects(within(Promise.reject(new Error('no')), 1000), { message: 'no' });
  });

  it('gives up when the time is over, and not before', async () => {
    const beganMs = performance.now();
    await assert.rejects(within(never(), 20), { code: 'TIMEOUT', message: 'the store did not answer within 20 ms' });
    const tookMs = performance.now() - beganMs;
    assert.ok(tookMs >= 19, `gave up after ${tookMs} ms`);
  });
});
