// Cases P and R: life of processes, memory, and who is answered what.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once as onceOf } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { createTallystick, memoryStore, TallystickError, type AddItem } from 'tallystick';
import { manualClock } from 'tallystick/testing';
import { Replica } from '../../packages/core/src/replica/replica.ts';
import { repositoryRoot, sourceRun, startServer, type RunningServer } from '../support/server.ts';
import type { Door } from './door.ts';
import { codeOf, DOORS, group, openStore, openWorld, STORES, times, withFolder } from './harness.ts';
import { httpDoor } from './http-door.ts';

/** Runs a program from source to its end; a guard ends one that does not. */
async function run(program: string): Promise<{ exit: number | null; out: string }> {
  const child = spawn(process.execPath, [...sourceRun, '--input-type=module', '--eval', program], { cwd: repositoryRoot, stdio: ['ignore', 'pipe', 'inherit'] });
  const guard = setTimeout(() => child.kill('SIGKILL'), 15_000);
  const [out, ended] = await Promise.all([text(child.stdout), onceOf(child, 'exit')]);
  clearTimeout(guard);
  return { exit: ended[0] as number | null, out };
}

const openings: Record<(typeof STORES)[number], string> = {
  memory: "import { memoryStore } from 'tallystick'; const open = () => memoryStore();",
  sqlite: `import { sqliteStore } from 'tallystick/sqlite'; import { mkdtempSync, rmSync } from 'node:fs'; import { tmpdir } from 'node:os'; import { join } from 'node:path';
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-cases-')); process.on('exit', () => rmSync(folder, { recursive: true }));
    const open = () => sqliteStore({ path: join(folder, 'counters.db') });`,
};

group('P and R: processes and answers', ({ everywhere, once, store }) => {
  for (const ending of ['await one.close()', 'undefined']) {
    once(`P03 a program that counts once ends by itself after ${ending}, having read 1`, async () => {
      const { exit, out } = await run(`${openings[store as (typeof STORES)[number]]} import { createTallystick } from 'tallystick';
        const one = createTallystick({ store: await open() });
        console.log((await one.counters.add('k', 1, { ttlMs: 60000 })).value); ${ending};`);
      assert.deepEqual([exit, out], [0, '1\n']);
    });
  }

  everywhere('P06 after counters of 2,000 distinct keys the metrics have as many series as before, and name no key', async ({ counters, key, url }) => {
    const series = async (): Promise<string[]> => (await (await fetch(`${url}/metrics`)).text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    await counters.add(key);
    const before = (await series()).length;
    for (let from = 0; from < 2000; from += 1000) await counters.addMany(times(1000, (i) => ({ key: `${key}:${from + i}` })));
    await series();
    const began = performance.now();
    const lines = await series();
    assert.ok(performance.now() - began < 1000);
    assert.ok(lines.length <= before + 30, `${before} series became ${lines.length}`);
    assert.ok(lines.every((line) => !line.includes(key)));
  });

  everywhere('R09 100 calls in one tick, one invalid, one out of range: 98 answers of their own, 2 errors of their own', async ({ counters, key }) => {
    await counters.addMany(times(100, (i) => ({ key: `${key}:${i}`, delta: i * 1000 })));
    await counters.add(`${key}:50`, Number.MAX_SAFE_INTEGER - 50_000);
    const calls = times(100, (i) => counters.add(`${key}:${i}`, i === 20 ? 0.5 : 1));
    const ends = await Promise.allSettled(calls);
    for (const [i, end] of ends.entries()) {
      const came = end.status === 'fulfilled' ? end.value.value : (end.reason as TallystickError).code;
      assert.equal(came, i === 20 ? 'INVALID_AMOUNT' : i === 50 ? 'OUT_OF_RANGE' : i * 1000 + 1);
    }
  });

  once('R12 what each door writes, singly, in a batch and by frequency, every door reads by every way', async ({ doors, key }) => {
    let expected = 0;
    const all: [string, Door][] = DOORS.map((door) => [door, doors[door]]);
    for (const [writer, door] of all) {
      for (const write of [() => door.add(key, 3), () => door.addMany([{ key, delta: 4 }]), () => door.add(key, 5, { requestId: writer }), () => door.add(key, -1, { min: 0 })]) {
        const answer = await write();
        const { value } = Array.isArray(answer) ? (answer as { value: number }[])[0]! : (answer as { value: number });
        for (const [reader, other] of all) {
          const [many, item] = await Promise.all([other.getMany([key]), other.getMany([{ key }])]);
          const read = [(await other.get(key)).value, many[0]?.value, item[0]?.value];
          assert.deepEqual(read, [value, value, value], `${writer} to ${reader}`);
        }
        expected = value;
      }
    }
    assert.equal(expected, 33);
  });

  once('P04 close answers what was asked before it; what comes after is refused with CLOSED or on disk, never lost', async () => {
    await withFolder(async (folder) => {
      const clock = manualClock();
      const tallystick = createTallystick({ store: await openStore(store, clock, folder), counters: { 'b:*': { type: 'batched' } } });
      const adds = times(1000, (i) => tallystick.counters.add(`k${i % 10}`));
      for (let i = 0; i < 1000; i++) tallystick.counters.tally('b:k');
      const closing = tallystick.close();
      const late = await Promise.all(times(100, () => codeOf(tallystick.counters.add('late'))));
      assert.throws(() => { tallystick.counters.tally('b:k'); }, { code: 'CLOSED' });
      assert.deepEqual(await closing, { unsettled: 0 });
      assert.ok((await Promise.all(adds)).every(({ outcome }) => outcome === 'applied'));
      assert.equal(await codeOf(tallystick.counters.add('late')), 'CLOSED');
      if (store === 'memory') return;
      const again = createTallystick({ store: await openStore(store, clock, folder) });
      assert.deepEqual((await again.counters.getMany(['k0', 'k9', 'b:k', 'late'])).map(({ value }) => value), [100, 100, 1000, late.filter((code) => code === 'answered').length]);
      await again.close();
    });
  });

  once('P04 with a store that never answers, close says after its time how much is unsettled', async () => {
    await using world = await openWorld(store);
    const silent = { ...memoryStore(), partitions: 1, apply: () => new Promise<never>(() => undefined), read: () => new Promise<never>(() => undefined), close: () => Promise.resolve() };
    const tallystick = createTallystick({ store: silent });
    const adds = times(3, () => codeOf(tallystick.counters.add('k')));
    tallystick.counters.tally('t');
    assert.deepEqual(await tallystick.close({ timeoutMs: 50 }), { unsettled: 4 });
    for (const code of await Promise.all(adds)) assert.ok(['answered', 'OUTCOME_UNKNOWN', 'CLOSED', 'TIMEOUT'].includes(code), code);
    assert.equal((await world.doors.library.add('k')).value, 1);
  });
});

describe('P and R: one process and its data', () => {
  it('P01 200,000 keys seen once in a window of 1 s leave no entry behind after it', () => {
    const replica = new Replica();
    const nowMs = 1_700_000_000_000;
    const terms = [{ kind: 'count', ttlMs: 1000 }, { kind: 'log', windowMs: 1000 }] as const;
    for (let i = 0; i < 200_000; i += 100) {
      const operations = times(100, (n) => ({ key: `k${i + n}`, delta: 1, terms: terms[n % 2]!, requestId: `r${i + n}`, requestTtlMs: 1000 }));
      replica.apply({ source: 's', partition: 0, seq: i / 100 + 1, operations }, nowMs);
    }
    while (replica.sweep(nowMs + 10_000, 10_000) > 0);
    assert.deepEqual([replica.counts.size, replica.cells.size, replica.expires], [0, 0, false]);
  });

  it('P03 1000 tallysticks created and closed leave no timer', async () => {
    const handles = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = handles();
    for (let i = 0; i < 1000; i++) {
      const tallystick = createTallystick({ store: memoryStore() });
      tallystick.counters.tally('k');
      await tallystick.counters.add('k', 1, { ttlMs: 60_000, timeoutMs: 60_000 });
      await tallystick.close();
    }
    assert.ok(handles() <= before, `${before} timers became ${handles()}`);
  });

  it('P04 1000 acknowledged adds and SIGTERM at once: 1000 on disk, later ones refused or counted', () =>
    withFolder(async (data) => {
      const server = await startServer({ data });
      const door = httpDoor(`http://${server.http}`);
      const items: AddItem[] = times(1000, () => ({ key: 'k' }));
      await door.addMany(items);
      const late = times(100, () => codeOf(door.add('late')));
      process.kill(server.pid, 'SIGTERM');
      const codes = await Promise.all(late);
      assert.equal(await server.exited, 0);
      const again = await startServer({ data });
      const reading = httpDoor(`http://${again.http}`);
      const [kept, counted] = (await reading.getMany(['k', 'late'])).map(({ value }) => value);
      assert.equal(kept, 1000);
      const acknowledged = codes.filter((code) => code === 'answered').length;
      const refused = codes.filter((code) => code === 'CLOSED').length;
      assert.ok(counted! >= acknowledged && counted! <= codes.length - refused, `${acknowledged} acknowledged, ${refused} refused, found ${counted}`);
      await again.stop();
    }));

  it('R14 of three processes on one data directory two are refused with DATA_IN_USE and the first counts on', () =>
    withFolder(async (data) => {
      const first: RunningServer = await startServer({ data });
      const main = `${repositoryRoot}/packages/server/src/cli/main.ts`;
      const refused = times(2, async () => {
        const child = spawn(process.execPath, [...sourceRun, main, 'serve', '--http', '127.0.0.1:0', '--grpc', '127.0.0.1:0', '--data', data]);
        const [err, ended] = await Promise.all([text(child.stderr), onceOf(child, 'exit')]);
        return [ended[0] as number, /DATA_IN_USE/.test(err)];
      });
      assert.deepEqual(await Promise.all(refused), [[1, true], [1, true]]);
      const door = httpDoor(`http://${first.http}`);
      assert.deepEqual((await door.addMany(times(10, () => ({ key: 'k' })))).map(({ value }) => value), times(10, (i) => i + 1));
      await first.stop();
    }));
});
