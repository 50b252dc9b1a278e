/** The commands as a user runs them: real processes against a real node. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { repositoryRoot, sourceRun, startServer, type RunningServer } from '../../../../test/support/server.ts';
import { reference } from '../config/index.ts';
import { run } from './program.ts';

interface Ran {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the program in this process: as `main.ts` does, with the output kept. */
async function tallystick(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const exit = await run(args, { env, out: (line) => out.push(line), err: (line) => err.push(line) });
  return { exit, out: out.join('\n'), err: err.join('\n') };
}

async function spawned(args: readonly string[]): Promise<Ran> {
  const child = spawn(process.execPath, [...sourceRun, join(repositoryRoot, 'packages/server/src/cli/main.ts'), ...args]);
  const [out, err, ended] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { exit: ended[0] as number, out, err };
}

describe('commands against a node', () => {
  let server: RunningServer;
  let env: Record<string, string>;
  before(async () => {
    server = await startServer();
    env = { TALLYSTICK_SERVER: `http://${server.http}` };
  });
  after(() => server.stop());

  it('add prints the value right after, get prints it again', async () => {
    assert.deepEqual(await tallystick(['add', 'a'], env), { exit: 0, out: '1', err: '' });
    assert.deepEqual(await tallystick(['add', 'a', '-5'], env), { exit: 0, out: '-4', err: '' });
    assert.deepEqual(await tallystick(['add', 'a', '+6', '--max', '0'], env), { exit: 0, out: '0', err: '' });
    assert.deepEqual(await tallystick(['get', 'a'], env), { exit: 0, out: '0', err: '' });
    assert.deepEqual(await tallystick(['get', 'never'], env), { exit: 0, out: '0', err: '' });
    assert.deepEqual(await tallystick(['get', 'never', 'a'], env), { exit: 0, out: '0\tnever\n0\ta', err: '' });
  });

  it('take keys of any shape', async () => {
    for (const key of ['add', 'get', '..', 'a/b', '%41', '__proto__', '-5', 'é']) {
      assert.deepEqual(await tallystick(['add', '--', key, '2'], env), { exit: 0, out: '2', err: '' }, key);
      assert.deepEqual(await tallystick(['get', '--', key], env), { exit: 0, out: '2', err: '' }, key);
    }
  });

  it('print JSON with --json', async () => {
    const added = await tallystick(['add', 'j', '7', '--json'], env);
    assert.deepEqual(JSON.parse(added.out), { key: 'j', outcome: 'applied', value: 7, exact: true, delta: 7 });
    const read = await tallystick(['get', 'j', 'k', '--json'], env);
    assert.deepEqual(read.out.split('\n').map((line) => (JSON.parse(line) as { value: number }).value), [7, 0]);
  });

  it('count a repeated request id once, and know types', async () => {
    for (let i = 0; i < 2; i++) assert.equal((await tallystick(['add', 'r', '5', '--request-id', 'once'], env)).out, '5');
    for (const member of ['m1', 'm2', 'm1']) await tallystick(['add', 'u', '--type', 'unique', '--window-ms', '60000', '--member', member], env);
    assert.equal((await tallystick(['get', 'u', '--type', 'unique', '--window-ms', '60000'], env)).out, '2');
  });

  it('end with 1 and the reason when refused', async () => {
    await tallystick(['add', 'full', '9007199254740991'], env);
    const overflow = await tallystick(['add', 'full'], env);
    assert.equal(overflow.exit, 1);
    assert.match(overflow.err, /out of ±\(2\^53 − 1\).* \[OUT_OF_RANGE\]$/);
    assert.deepEqual(await tallystick(['add', 'w', '1', '--type', 'sliding-log'], env), {
      exit: 1,
      out: '',
      err: 'tallystick: windowMs: expected a whole number of milliseconds, at least 1, got undefined [INVALID_ARGUMENT]',
    });
    const asJson = await tallystick(['get', 'x'.repeat(600), '--json'], env);
    const error = 'keys[0]: key: expected at most 512 bytes of UTF-8, got 600 or more';
    assert.deepEqual([asJson.exit, JSON.parse(asJson.err)], [1, { error, code: 'INVALID_KEY', number: 10004, exit: 1 }]);
    const wrong = await tallystick(['add', 'k', 'x', '--json'], env);
    const expected = 'delta: expected an integer within ±(2^53 − 1), got "x"';
    assert.deepEqual(JSON.parse(wrong.err), { error: expected, code: 'INVALID_ARGUMENT', number: 10003, exit: 2 });
  });

  it('end with 2 when used wrongly', async () => {
    for (const args of [['add'], ['get'], ['add', 'k', '1.5'], ['add', 'k', '9007199254740992'], ['add', 'k', 'x'], ['add', 'k', '1', '2'], ['count'], ['get', 'k', '--no-such'], ['add', 'k', '--type', 'nope'], ['get', 'k', '--server', 'ftp://x'], ['add', 'k', '--ttl-ms', '5s']]) {
      const { exit, out, err } = await tallystick(args, env);
      assert.deepEqual([exit, out, err.length > 10], [2, '', true], args.join(' '));
    }
    assert.equal((await tallystick(['get', 'k'], { TALLYSTICK_HTTP: 'nowhere' })).exit, 2);
    assert.equal((await tallystick(['get', 'k'], env)).out, '0');
  });

  it('end with 3 when no node answers there', async () => {
    const absent = await tallystick(['get', 'k', '--server', 'http://127.0.0.1:1']);
    assert.equal(absent.exit, 3);
    assert.match(absent.err, /no node answers at http:\/\/127\.0\.0\.1:1.* \[UNREACHABLE\]$/);
    const asJson = await tallystick(['get', 'k', '--server', 'http://127.0.0.1:1', '--json']);
    const { code, number, exit } = JSON.parse(asJson.err) as Record<string, unknown>;
    assert.deepEqual([asJson.exit, code, number, exit], [3, 'UNREACHABLE', 10024, 3]);
  });

  it('find the node by the http setting', async () => {
    assert.equal((await tallystick(['get', 'never'], { TALLYSTICK_HTTP: server.http })).out, '0');
  });

  it('work as a process: output, errors and exit code', async () => {
    assert.deepEqual(await spawned(['add', 'p', '3', '--server', `http://${server.http}`]), { exit: 0, out: '3\n', err: '' });
    const wrong = await spawned(['add']);
    assert.equal(wrong.exit, 2);
    assert.match(wrong.err, /missing required argument 'key'/);
  });
});

describe('commands by themselves', () => {
  it('help with every command, every setting and the exit codes', async () => {
    const help = await tallystick(['--help']);
    assert.equal(help.exit, 0);
    for (const word of ['serve', 'get', 'add', 'bench', 'settings', 'Exit codes']) assert.ok(help.out.includes(word), word);
    const serve = await tallystick(['serve', '--help']);
    for (const { flag, meaning, default: fallback } of reference) assert.ok(serve.out.includes(flag) && serve.out.includes(fallback) && meaning !== '', flag);
    for (const command of ['serve', 'get', 'add', 'bench', 'settings']) {
      const { exit, out } = await tallystick([command, '--help']);
      assert.equal(exit, 0);
      assert.deepEqual(out.split('\n').filter((line) => line.length > 80), [], command);
    }
  });

  it('print the version of the package', async () => {
    const { exit, out } = await tallystick(['--version']);
    assert.equal(exit, 0);
    assert.match(out, /^\d+\.\d+\.\d+/);
  });

  it('print the settings as a table or as JSON', async () => {
    assert.match((await tallystick(['settings'])).out, /^\| in a file \| flag \|/);
    assert.deepEqual(JSON.parse((await tallystick(['settings', '--json'])).out), reference);
  });

  it('bench: print a ratio for each pattern of keys', async () => {
    const { exit, out } = await tallystick(['bench', '--round-ms', '1', '--json']);
    assert.equal(exit, 0);
    const rows = out.split('\n').map((line) => JSON.parse(line) as { name: string; ratio: number });
    assert.deepEqual(rows.map(({ name }) => name), ['hot key', '10000 keys']);
    for (const { ratio } of rows) assert.ok(ratio > 0 && Number.isFinite(ratio));
  });
});
