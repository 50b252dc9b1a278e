import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Deadlines, withinOwn } from './deadlines.ts';

const never = (): Promise<never> => new Promise(() => undefined);
/** Keeps the process alive while a test waits for timers that do not. */
const alive = async <Value>(work: Promise<Value>): Promise<Value> => withinOwn(work, 5000);

describe('Deadlines', () => {
  it('hands on what the work comes to', async () => {
    const deadlines = new Deadlines(1000);
    assert.equal(await deadlines.within(Promise.resolve(7)), 7);
    await assert.rejects(deadlines.within(Promise.reject(new Error('no'))), { message: 'no' });
  });

  it('gives up on what is late, and on nothing else', async () => {
    const deadlines = new Deadlines(30);
    const late = [deadlines.within(never()), deadlines.within(never())];
    const inTime = deadlines.within(Promise.resolve('here'));
    assert.equal(await inTime, 'here');
    for (const work of late) await assert.rejects(alive(work), { code: 'TIMEOUT' });
  });

  it('gives up not before the time is over, also on reads that begin while others wait', async () => {
    const deadlines = new Deadlines(40);
    const first = alive(deadlines.within(never()));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const beganMs = performance.now();
    const second = alive(deadlines.within(never()));
    await assert.rejects(first, { code: 'TIMEOUT' });
    await assert.rejects(second, { code: 'TIMEOUT' });
    const tookMs = performance.now() - beganMs;
    assert.ok(tookMs >= 39, `gave up after ${tookMs} ms`);
  });

  it('goes on after the queue was long, with an old read still waiting', async () => {
    const deadlines = new Deadlines(60);
    const stuck = alive(deadlines.within(never()));
    const answers = await Promise.all(Array.from({ length: 5000 }, (_, i) => deadlines.within(Promise.resolve(i))));
    assert.equal(answers.length, 5000);
    await assert.rejects(stuck, { code: 'TIMEOUT' });
    assert.equal(await deadlines.within(Promise.resolve('after')), 'after');
  });
});

describe('withinOwn', () => {
  it('gives up after a time of its own', async () => {
    assert.equal(await withinOwn(Promise.resolve(1), 1000), 1);
    await assert.rejects(withinOwn(never(), 5), { code: 'TIMEOUT', message: 'the store did not answer within 5 ms' });
  });
});
