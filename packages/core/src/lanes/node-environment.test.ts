import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nodeEnvironment } from './node-environment.ts';

const MONTH_MS = 30 * 24 * 3600 * 1000;

describe('nodeEnvironment', () => {
  it('waits a month although a timer of Node cannot (T06)', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let calls = 0;
    nodeEnvironment.after(MONTH_MS, () => calls++);
    t.mock.timers.tick(2 ** 31 - 1);
    assert.equal(calls, 0);
    t.mock.timers.tick(MONTH_MS - 2 ** 31);
    assert.equal(calls, 0);
    t.mock.timers.tick(1);
    assert.equal(calls, 1);
  });

  it('can be called off, before and after a timer had to be set anew', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let calls = 0;
    const early = nodeEnvironment.after(MONTH_MS, () => calls++);
    const late = nodeEnvironment.after(MONTH_MS, () => calls++);
    early();
    t.mock.timers.tick(2 ** 31);
    late();
    t.mock.timers.tick(MONTH_MS);
    assert.equal(calls, 0);
  });

  it('calls `soon` before `later`', async () => {
    const calls: string[] = [];
    await new Promise<void>((resolve) => {
      nodeEnvironment.later(() => {
        calls.push('later');
        resolve();
      });
      nodeEnvironment.soon(() => calls.push('soon'));
      calls.push('now');
    });
    assert.deepEqual(calls, ['now', 'soon', 'later']);
  });

  it('never gives a source twice', () => {
    const sources = Array.from({ length: 10_000 }, () => nodeEnvironment.newSource());
    assert.equal(new Set(sources).size, sources.length);
    assert.match(sources[0]!, /^[\w-]{16}$/);
  });

  it('has a clock that rises', () => {
    const before = nodeEnvironment.nowMs();
    assert.ok(nodeEnvironment.nowMs() >= before);
  });
});
