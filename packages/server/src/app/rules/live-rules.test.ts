import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Log } from '../log.ts';
import { LiveRules } from './live-rules.ts';

/** Two looks take 0.3 s; the rest is for a machine that is busy. */
const SOON_MS = 5000;

const folder = await mkdtemp(join(tmpdir(), 'tallystick-rules-'));
after(() => rm(folder, { recursive: true, force: true }));

const rulesOf = (limit: number | string): string =>
  JSON.stringify({ version: 1, domains: [{ domain: 'd', descriptors: [{ key: 'user', limit: { algorithm: 'fixed-window', limit, windowMs: 1000 } }] }] });

async function until(isSo: () => boolean, boundMs: number): Promise<number> {
  const beganMs = performance.now();
  while (!isSo()) {
    assert.ok(performance.now() - beganMs < boundMs, `not so after ${boundMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return performance.now() - beganMs;
}

async function opened(name: string) {
  const file = join(folder, name);
  await writeFile(file, rulesOf(1));
  const logged: string[] = [];
  const log = (_: object, message: string): void => void logged.push(message);
  const live = await LiveRules.open({ file, log: { debug: log, info: log, warn: log, error: log } satisfies Log });
  return { file, live, logged, [Symbol.dispose]: () => live.close() };
}

describe('LiveRules', () => {
  it('reloads a changed file soon, written in place or renamed over', async () => {
    using node = await opened('reload.json');
    const { version } = node.live.status;
    await writeFile(node.file, rulesOf(2));
    await until(() => node.live.status.version !== version, SOON_MS);
    const second = node.live.status.version;
    await writeFile(`${node.file}.new`, rulesOf(3));
    await rename(`${node.file}.new`, node.file);
    await until(() => node.live.status.version !== second, SOON_MS);
    assert.deepEqual(node.live.reloads, { loaded: 2, refused: 0 });
  });

  it('keeps the rules it has when the file is bad or gone, says why, and takes the next good one', async () => {
    using node = await opened('bad.json');
    const { version } = node.live.status;
    await writeFile(node.file, rulesOf('many'));
    await until(() => node.live.status.lastError !== null, SOON_MS);
    assert.equal(node.live.status.version, version);
    assert.equal(node.live.status.lastError?.problems[0]?.path, 'domains[0].descriptors[0].limit.limit');
    assert.deepEqual(node.logged, ['the rules file is bad; the rules before it hold']);
    await rm(node.file);
    await until(() => node.live.reloads.refused === 2, SOON_MS);
    assert.match(JSON.stringify(node.live.status.lastError), /can't be read/);
    await writeFile(node.file, rulesOf(2));
    await until(() => node.live.status.lastError === null, SOON_MS);
    assert.notEqual(node.live.status.version, version);
  });

  it('does not open a bad file, and tells all of it', async () => {
    const file = join(folder, 'first.json');
    await writeFile(file, '{"version": 3}');
    const log = (): void => undefined;
    const opening = LiveRules.open({ file, log: { debug: log, info: log, warn: log, error: log } });
    await assert.rejects(opening, { code: 'INVALID_CONFIG', field: 'rules', message: /version: expected 1, got 3\n {2}domains: expected a list/ });
  });
});
