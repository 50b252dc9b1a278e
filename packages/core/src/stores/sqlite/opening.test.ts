import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { sharedSqliteWorker } from '../../../../../test/support/shared-sqlite-worker.ts';
import type { Store } from '../../store.ts';
import { openSqliteStore, type SqliteStoreOptions } from './sqlite-store.ts';
import type { StartWorker } from './start-worker.ts';

const folder = mkdtempSync(join(tmpdir(), 'tallystick-opening-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const startWorker = sharedSqliteWorker();
const open = (options: SqliteStoreOptions): Promise<Store> => openSqliteStore(options, { startWorker });
let files = 0;
const freshPath = (): string => join(folder, `${files++}.db`);

async function madePath(): Promise<string> {
  const path = freshPath();
  const store = await open({ path });
  await store.apply({ source: 's', partition: 0, seq: 1, operations: Array.from({ length: 2000 }, (_, i) => ({ key: `key ${i}`, delta: i + 1 })) });
  await store.close();
  return path;
}

/** Runs code in a process of its own, from source, with `index.ts` imported as `sqlite`. */
function runCode(code: string): readonly string[] {
  const index = JSON.stringify(new URL('./index.ts', import.meta.url));
  return ['--conditions=tallystick-source', '--import', 'tsx', '--input-type=module', '-e', `const sqlite = await import(${index}); ${code}`];
}

describe('opening a SQLite store', () => {
  it('creates the file and its folder, and leaves one file when closed', async () => {
    const path = join(folder, 'not', 'there', 'yet.db');
    await (await open({ path })).close();
    assert.ok(statSync(path).size > 0);
    assert.throws(() => statSync(`${path}-wal`), { code: 'ENOENT' });
  });

  it('is refused while another store of this process holds the data', async () => {
    const path = freshPath();
    const store = await open({ path });
    await assert.rejects(open({ path }), (error: Error & { code: string }) => error.code === 'DATA_IN_USE' && error.message.includes(path));
    assert.equal((await store.read(0, [{ key: 'k' }])).length, 1);
    await store.close();
    await (await open({ path })).close();
  });

  it('is refused while another process holds the data, and not once that is killed', async () => {
    const path = freshPath();
    const child = spawn(process.execPath, runCode(`await sqlite.sqliteStore({ path: ${JSON.stringify(path)} }); console.log('open'); setInterval(() => {}, 1000);`), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      await assert.rejects(open({ path }), { code: 'DATA_IN_USE' });
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await (await open({ path })).close();
  });

  it('keeps no process alive when nobody waits, closed or not', () => {
    const path = freshPath();
    const batch = `{ source: 's', partition: 0, seq: 1, operations: [{ key: 'k', delta: 7 }] }`;
    const out = execFileSync(process.execPath, runCode(`
      const store = await sqlite.sqliteStore({ path: ${JSON.stringify(path)} });
      store.apply(${batch}).then(({ values }) => console.log(values[0]));
    `), { encoding: 'utf8', timeout: 20_000 });
    assert.equal(out.trim(), '7', 'the process must stay for the answer, and end after it');
  });

  it('refuses a folder that cannot be made, and a name that is no file', async () => {
    await assert.rejects(open({ path: '/proc/nowhere/at/all.db' }), { code: 'INVALID_CONFIG', field: 'path' });
    await assert.rejects(open({ path: ':memory:' }), { code: 'INVALID_CONFIG', message: /memoryStore\(\)/ });
  });

  it('says DATA_CORRUPT of a file that is no database', async () => {
    const path = freshPath();
    writeFileSync(path, 'this is certainly not a database, it is only some text. '.repeat(100));
    await assert.rejects(open({ path }), { code: 'DATA_CORRUPT' });
  });

  it('says DATA_CORRUPT of a database that was damaged, wherever', async () => {
    const whole = readFileSync(await madePath());
    const pages = whole.length / 4096;
    for (let page = 1; page < pages; page += Math.ceil(pages / 8)) {
      const path = freshPath();
      const damaged = Buffer.from(whole);
      damaged.fill(0xa5, page * 4096, page * 4096 + 200);
      writeFileSync(path, damaged);
      await assert.rejects(open({ path }), { code: 'DATA_CORRUPT' }, `page ${page} of ${pages}`);
    }
  });

  it('says DATA_CORRUPT of a database that was cut off', async () => {
    const path = await madePath();
    writeFileSync(path, readFileSync(path).subarray(0, 5 * 4096));
    await assert.rejects(open({ path }), { code: 'DATA_CORRUPT' });
  });

  it('says SCHEMA_MISMATCH of data of another version, and of another program', async () => {
    const newer = await madePath();
    const sqlite = new Sqlite(newer);
    sqlite.exec("UPDATE meta SET value = 2 WHERE name = 'schema_version'");
    sqlite.close();
    await assert.rejects(open({ path: newer }), { code: 'SCHEMA_MISMATCH' });

    for (const table of ['CREATE TABLE users (id)', 'CREATE TABLE meta (something)']) {
      const path = freshPath();
      const other = new Sqlite(path);
      other.exec(table);
      other.close();
      await assert.rejects(open({ path }), { code: 'SCHEMA_MISMATCH' });
    }
  });

  it('says INVALID_CONFIG, naming the field, of a path where no file can be', async () => {
    const file = await madePath();
    mkdirSync(join(folder, 'a folder'));
    for (const path of [join(folder, 'a folder'), join(file, 'below a file.db'), join(folder, `${'x'.repeat(300)}.db`)]) {
      await assert.rejects(open({ path }), { code: 'INVALID_CONFIG', field: 'path' }, path);
    }
  });

  it('names the package that is missing', async () => {
    const hook = `export async function resolve(name, context, next) {
      if (name === 'better-sqlite3') throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(name, context);
    }`;
    const code = `
      require('node:module').register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(hook))});
      import(${JSON.stringify(import.meta.resolve('tsx/esm/api'))}).then(({ register }) => {
        register();
        return import(${JSON.stringify(new URL('./worker.ts', import.meta.url))});
      });
    `;
    const withoutDriver: StartWorker = (settings) => new Worker(code, { eval: true, workerData: settings });
    await assert.rejects(openSqliteStore({ path: freshPath() }, { startWorker: withoutDriver }), (error: Error & { code: string }) => {
      assert.match(error.message, /npm install better-sqlite3@12/);
      return error.code === 'INVALID_CONFIG';
    });
  });

  it('refuses settings that are missing, unknown or impossible, naming the field', async () => {
    const path = freshPath();
    const wrong: readonly (readonly [string, object])[] = [
      ['path', {}],
      ['path', { path: '' }],
      ['path', { path: 7 }],
      ['partitions', { path, partitions: 0 }],
      ['partitions', { path, partitions: 1025 }],
      ['partitions', { path, partitions: '1' }],
      ['maxResident', { path, maxResident: 999 }],
      ['requestRetentionMs', { path, requestRetentionMs: 0 }],
      ['retention', { path, retention: 1 }],
    ];
    for (const [field, options] of wrong) {
      await assert.rejects(open(options as SqliteStoreOptions), { name: 'TallystickError', field }, JSON.stringify(options));
    }
  });
});
