import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Store } from '../../store.ts';
import { agreesWithReplica, manualClock, storeContract, type ManualClock, type StoreUnderTest } from '../../testing/index.ts';
import { memoryStore } from './memory-store.ts';

const subject: StoreUnderTest = { name: 'memory store', open: (options) => memoryStore(options) };

storeContract(subject);
agreesWithReplica(subject, { numRuns: 300 });

/** Waits until something is so; fails after `withinMs`. */
async function until(isSo: () => boolean, withinMs: number): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!isSo()) {
    assert.ok(performance.now() < endMs, `not within ${withinMs} ms`);
    await setImmediate();
  }
}

/** Adds 1 to `count` fresh keys that live for a second. */
async function fill(store: Store, count: number): Promise<void> {
  const terms = { kind: 'count', ttlMs: 1000 } as const;
  for (let from = 0, seq = 1; from < count; from += 1000, seq++) {
    const operations = Array.from({ length: 1000 }, (_, i) => ({ key: `key:${from + i}`, delta: 1, terms }));
    await store.apply({ source: 's', partition: 0, seq, operations });
  }
}

/** A store, and every reading of its clock: while nobody else uses it, each is a step of the sweep. */
function watched(): { store: Store; clock: ManualClock; readings: number[] } {
  const clock = manualClock();
  const readings: number[] = [];
  const store = memoryStore({ clock: () => readings[readings.push(clock()) - 1] ?? 0 });
  return { store, clock, readings };
}

/** A program that uses the store and ends without a word about it. */
const program = (body: string): string =>
  `import { memoryStore } from ${JSON.stringify(new URL('./memory-store.ts', import.meta.url).href)};
   const hit = { source: 's', partition: 0, seq: 1, operations: [{ key: 'k', delta: 1, terms: { kind: 'count', ttlMs: 3_600_000 } }] };
   ${body}`;

async function runToEnd(body: string): Promise<string> {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program(body)];
  return (await promisify(execFile)(process.execPath, args, { timeout: 30_000 })).stdout.trim();
}

describe('memory store', () => {
  it('forgets a million keys once their second is over (P01)', async () => {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    // Twice: what the first collection finds of the test runner's own is let go of in the next turn.
    const heapUsed = async (): Promise<number> => {
      gc();
      await setImmediate();
      gc();
      return process.memoryUsage().heapUsed;
    };
    const { store, clock, readings } = watched();
    const before = await heapUsed();
    await fill(store, 1_000_000);
    const full = (await heapUsed()) - before;
    clock.advance(3000);
    const from = readings.length;
    await until(() => readings.length - from >= 500, 30_000);
    const left = (await heapUsed()) - before;
    assert.ok(left < 0.1 * full, `${left} of ${full} bytes are left`);
    assert.deepEqual(await store.read(0, [{ key: 'key:7' }]), [{ value: 0, found: false }]);
    await store.close();
  });

  it('sweeps in bounded steps, between which others get their turn (T22)', async () => {
    const { store, clock, readings } = watched();
    await fill(store, 100_000);
    clock.advance(3000);
    const from = readings.length;
    let turns = 0;
    await until(() => {
      if (readings.length - from > turns) assert.fail('two steps in one go');
      turns = readings.length - from + 1;
      return readings.length - from >= 50;
    }, 15_000);
    await store.close();
  });

  it('keeps no process alive (P03)', async () => {
    assert.equal(await runToEnd(`await memoryStore().apply(hit); console.log('end');`), 'end');
  });

  it('leaves no timer behind when it is closed (P03)', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { store, readings } = watched();
    await fill(store, 1000);
    const from = readings.length;
    context.mock.timers.tick(1000);
    assert.equal(readings.length, from + 1, 'an open store sweeps');
    await store.close();
    context.mock.timers.tick(100_000);
    assert.equal(readings.length, from + 1, 'a closed one does not');
  });
});

describe('the options of a memory store', () => {
  const refusals: readonly (readonly [string, unknown, string])[] = [
    ['no partition', { partitions: 0 }, 'partitions'],
    ['partitions that are no number', { partitions: NaN }, 'partitions'],
    ['more partitions than there can be', { partitions: 1025 }, 'partitions'],
    ['a clock that is none', { clock: 5 }, 'clock'],
    ['a retention of nothing', { requestRetentionMs: 0 }, 'requestRetentionMs'],
    ['an unknown option', { path: 'x' }, 'path'],
    ['no options', null, 'options'],
  ];
  for (const [what, options, field] of refusals) {
    it(`refuse ${what}, naming the option`, () => {
      assert.throws(() => memoryStore(options as never), { code: 'INVALID_CONFIG', field });
    });
  }
});
