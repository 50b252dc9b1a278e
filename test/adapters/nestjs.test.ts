// The example runs in a process of its own: Nest's decorators are legacy ones, unlike those of this repository.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { limitsRequests } from './requests.ts';

const example = join(import.meta.dirname, '../../examples/nestjs');

describe('tallystick/nestjs, as in its example', () => {
  let child: ChildProcess;
  let url = '';
  before(async () => {
    const env = { ...process.env, TSX_TSCONFIG_PATH: join(example, 'tsconfig.json') };
    child = spawn(process.execPath, ['--import', 'tsx', '--conditions=tallystick-source', join(example, 'main.ts')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    assert.ok(child.stdout);
    for await (const line of createInterface(child.stdout)) {
      url = /listening at (http\S+)/.exec(line)?.[1] ?? '';
      if (url !== '') break;
    }
    child.stdout.resume();
    assert.notEqual(url, '');
  });
  after(async () => {
    const exited = once(child, 'exit');
    child.kill();
    await exited;
  });
  limitsRequests(() => url);

  it('does not limit a handler that says so', async () => {
    for (let i = 0; i < 8; i++) assert.equal((await fetch(`${url}/health`)).status, 200);
    assert.equal((await fetch(`${url}/health`)).headers.get('ratelimit'), null);
  });
});
