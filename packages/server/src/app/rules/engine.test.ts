import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createTallystick, memoryStore, type Store } from 'tallystick';
import { Figures } from '../figures.ts';
import type { Log } from '../log.ts';
import { RulesEngine } from './engine.ts';
import { LiveRules } from './live-rules.ts';
import type { Descriptor } from './match.ts';

const folder = await mkdtemp(join(tmpdir(), 'tallystick-engine-'));
after(() => rm(folder, { recursive: true, force: true }));

const quiet = (): void => undefined;
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** A memory store that can be away: what is sent meanwhile is applied and answered when it is back. */
class AwayStore implements Store {
  readonly #store = memoryStore();
  #back: Promise<void> | undefined;
  #release: () => void = quiet;
  readonly partitions = 1;

  leave(): void {
    this.#back = new Promise((resolve) => (this.#release = resolve));
  }

  comeBack(): void {
    this.#back = undefined;
    this.#release();
  }

  async apply(batch: Parameters<Store['apply']>[0]): ReturnType<Store['apply']> {
    await this.#back;
    return this.#store.apply(batch);
  }

  async read(partition: number, queries: Parameters<Store['read']>[1]): ReturnType<Store['read']> {
    await this.#back;
    return this.#store.read(partition, queries);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

const HOUR = { algorithm: 'fixed-window', windowMs: 3_600_000 };
const limit = (units: number) => ({ ...HOUR, limit: units });

let files = 0;

async function started(descriptors: readonly object[], more: object = {}) {
  const file = join(folder, `${files++}.json`);
  await writeFile(file, JSON.stringify({ version: 1, outageAfterMs: 60_000, ...more, domains: [{ domain: 'd', descriptors }] }));
  const live = await LiveRules.open({ file, log });
  const store = new AwayStore();
  const tallystick = createTallystick({ store, rememberDenialsMs: 0 });
  const figures = new Figures();
  const uncharged: unknown[] = [];
  const engine = new RulesEngine({ live, limits: tallystick.limits, figures, onUncharged: (error) => uncharged.push(error) });
  const remaining = async (...words: string[]): Promise<number | undefined> => (await engine.peek('d', descriptor(...words)))?.decision?.remaining;
  const outcomes = (rule: string) => Object.fromEntries(figures.rules.get(rule) ?? []);
  return {
    store, engine, tallystick, remaining, outcomes, uncharged,
    [Symbol.asyncDispose]: async () => {
      store.comeBack();
      await engine.close();
      await tallystick.close();
    },
  };
}

/** `user=alice`, `path=/x` as a descriptor. */
function descriptor(...words: string[]): Descriptor {
  return { entries: words.map((word) => ({ key: word.split('=')[0]!, value: word.split('=')[1]! })) };
}

async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  const beganMs = performance.now();
  while (!(await isSo())) {
    assert.ok(performance.now() - beganMs < 10_000, 'not so after 10 s');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('RulesEngine', () => {
  it('allows exactly the limit, and what no rule and no domain is for', async () => {
    await using node = await started([{ key: 'user', limit: limit(3) }]);
    const decided = await Promise.all(Array.from({ length: 10 }, () => node.engine.decide('d', [descriptor('user=a')])));
    assert.equal(decided.filter(({ allowed }) => allowed).length, 3);
    assert.deepEqual(await node.engine.decide('d', [descriptor('other=a')]), { allowed: true, statuses: [{ allowed: true, rule: null }], hasHeaders: true });
    assert.equal((await node.engine.decide('unknown', [descriptor('user=a')])).allowed, true);
    assert.deepEqual(node.outcomes('d/user'), { allowed: 3, denied: 7 });
    assert.deepEqual(node.outcomes(''), { unmatched: 1, unknown_domain: 1 });
  });

  it('charges nothing when one of several descriptors denies, of one subject or of two', async () => {
    const path = { key: 'path', by: ['user'], limit: limit(1) };
    await using node = await started([{ key: 'user', limit: limit(9), descriptors: [path] }, { key: 'ip', limit: limit(9) }]);
    const call = [descriptor('user=a'), descriptor('user=a', 'path=x'), descriptor('ip=1')];
    assert.equal((await node.engine.decide('d', call)).allowed, true);
    const denied = await node.engine.decide('d', call);
    assert.deepEqual(denied.statuses.map(({ allowed }) => allowed), [true, false, true]);
    assert.deepEqual([await node.remaining('user=a'), await node.remaining('ip=1')], [8, 8]);
  });

  it('counts what a shadow rule would have denied, and denies nothing', async () => {
    await using node = await started([{ key: 'user', limit: limit(1), shadow: true }]);
    for (let i = 0; i < 3; i++) assert.equal((await node.engine.decide('d', [descriptor('user=a')])).allowed, true);
    assert.deepEqual(node.outcomes('d/user'), { allowed: 1, shadow_denied: 2 });
  });

  it('takes hits of a descriptor for the call’s, 0 hits only ask, and a limit of the caller for the rule’s', async () => {
    await using node = await started([{ key: 'user', limit: limit(10) }]);
    await node.engine.decide('d', [{ ...descriptor('user=a'), hits: 4 }, descriptor('user=b')], 2);
    await node.engine.decide('d', [{ ...descriptor('user=a'), hits: 0 }]);
    assert.deepEqual([await node.remaining('user=a'), await node.remaining('user=b')], [6, 8]);
    const own = { ...descriptor('user=a'), override: { limit: 1, windowMs: 60_000 } };
    const decided = [await node.engine.decide('d', [own]), await node.engine.decide('d', [own])];
    assert.deepEqual(decided.map(({ allowed }) => allowed), [true, false]);
  });

  it('answers by the policy of the rule within tens of milliseconds when the store is away, and then at once', async () => {
    const rules = (['open', 'closed', 'local'] as const).map((onOutage) => ({ key: onOutage, onOutage, limit: limit(2) }));
    await using node = await started(rules, { outageAfterMs: 50 });
    node.store.leave();
    const told = await Promise.all(['open', 'closed', 'local'].map((key) => node.engine.decide('d', [descriptor(`${key}=a`)])));
    assert.deepEqual(told.map(({ allowed, statuses }) => [allowed, statuses[0]?.fallback]), [[true, 'open'], [false, 'closed'], [true, 'local']]);
    assert.equal(node.engine.isAway, true);
    const beganMs = performance.now();
    const local = await Promise.all(Array.from({ length: 5 }, () => node.engine.decide('d', [descriptor('local=b')])));
    assert.equal(local.filter(({ allowed }) => allowed).length, 2);
    assert.ok(performance.now() - beganMs < 1000, 'nobody waits for a store that is away');
    assert.deepEqual(node.outcomes('d/local'), { fallback_local: 6 });
  });

  it('charges what was granted without the store exactly once when it is back', async () => {
    await using node = await started([{ key: 'user', limit: limit(100), onOutage: 'local' }], { outageAfterMs: 200 });
    node.store.leave();
    // Some are on their way when the store is found to be away, the rest is not sent at all.
    const sent = await Promise.all(Array.from({ length: 7 }, () => node.engine.decide('d', [descriptor('user=a')])));
    for (let i = 0; i < 5; i++) sent.push(await node.engine.decide('d', [descriptor('user=a')], 2));
    assert.ok(sent.every(({ allowed, statuses }) => allowed && statuses[0]?.fallback === 'local'));
    node.store.comeBack();
    await until(() => !node.engine.isAway);
    await until(async () => (await node.remaining('user=a')) === 100 - 7 - 10);
    for (let i = 0; i < 3; i++) assert.equal((await node.engine.decide('d', [descriptor('user=a')])).statuses[0]?.fallback, undefined);
    assert.equal(await node.remaining('user=a'), 100 - 7 - 10 - 3);
    assert.deepEqual(node.uncharged, []);
  });

  it('gives back what the store granted late to callers that were denied meanwhile', async () => {
    await using node = await started([{ key: 'user', limit: limit(10), onOutage: 'closed' }], { outageAfterMs: 200 });
    node.store.leave();
    const denied = await Promise.all(Array.from({ length: 4 }, () => node.engine.decide('d', [descriptor('user=a')])));
    assert.ok(denied.every(({ allowed }) => !allowed));
    node.store.comeBack();
    await until(() => !node.engine.isAway);
    await until(async () => (await node.remaining('user=a')) === 10);
  });

  it('charges nothing for a call that another rule denied while the store was away', async () => {
    await using node = await started([
      { key: 'user', limit: limit(10), onOutage: 'local' },
      { key: 'ip', limit: limit(10), onOutage: 'closed' },
    ], { outageAfterMs: 200 });
    node.store.leave();
    for (let i = 0; i < 3; i++) assert.equal((await node.engine.decide('d', [descriptor('user=a'), descriptor('ip=1')])).allowed, false);
    node.store.comeBack();
    await until(() => !node.engine.isAway);
    await until(async () => (await node.remaining('user=a')) === 10 && (await node.remaining('ip=1')) === 10);
  });
});
