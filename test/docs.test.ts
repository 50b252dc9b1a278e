/**
 * What the documentation says is run. In README.md and docs/*.md:
 *
 * - a `ts` block is a whole program; a `text` block right after it is what it prints;
 * - a `console` block holds commands (`$ …`) and what each prints. They run one after the other against one
 *   server per document, which has its default addresses replaced by free ports; so has a Redis that a program uses.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { errorTable } from 'tallystick';
import { startRedis, type RedisServer } from './support/redis.ts';
import { repositoryRoot, sourceRun, startServer, type RunningServer } from './support/server.ts';

const run = promisify(execFile);
const DEFAULT_HTTP = '127.0.0.1:7070';
const DEFAULT_GRPC = '127.0.0.1:7071';
const DEFAULT_REDIS = '127.0.0.1:6379';

interface Block {
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

function blocksOf(markdown: string): Block[] {
  const fences = markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms);
  return [...fences].map((fence) => ({
    line: markdown.slice(0, fence.index).split('\n').length,
    language: fence[1] ?? '',
    text: fence[2] ?? '',
  }));
}

const documents = ['README.md', ...readdirSync(join(repositoryRoot, 'docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];

async function runProgram(text: string): Promise<string> {
  const folder = mkdtempSync(join(repositoryRoot, 'test', 'docs-'));
  try {
    const file = join(folder, 'program.ts');
    writeFileSync(file, text);
    const { stdout } = await run(process.execPath, [...sourceRun, file], { cwd: repositoryRoot, timeout: 60_000 });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The commands of a `console` block, each with what it is said to print. */
function commandsOf(text: string): { command: string; expected: string }[] {
  return text.split(/^\$ /m).slice(1).map((part) => {
    const [command = '', ...expected] = part.split('\n');
    return { command, expected: expected.join('\n').trim() };
  });
}

async function runCommand(command: string, server: RunningServer): Promise<string> {
  const real = command.replaceAll(DEFAULT_HTTP, server.http).replaceAll(DEFAULT_GRPC, server.grpc);
  const main = [process.execPath, ...sourceRun, join(repositoryRoot, 'packages/server/src/cli/main.ts')].map((word) => `'${word}'`).join(' ');
  const shell = `tallystick() { TALLYSTICK_HTTP=${server.http} TALLYSTICK_GRPC=${server.grpc} ${main} "$@"; }; ${real}`;
  const { stdout } = await run('bash', ['-c', shell], { cwd: repositoryRoot, timeout: 60_000 }).catch((error: unknown) => error as { stdout: string });
  return stdout.trim().replaceAll(server.http, DEFAULT_HTTP).replaceAll(server.grpc, DEFAULT_GRPC);
}

for (const document of documents) {
  const blocks = blocksOf(readFileSync(join(repositoryRoot, document), 'utf8'));

  describe(document, () => {
    let server: Promise<RunningServer> | undefined;
    let redis: Promise<RedisServer> | undefined;
    after(async () => {
      await (await server)?.stop();
      await (await redis)?.stop();
    });

    for (const [i, block] of blocks.entries()) {
      const next = blocks[i + 1];
      if (block.language === 'ts') {
        it(`line ${block.line}: the program prints what is said`, async () => {
          const needsServer = block.text.includes(DEFAULT_GRPC);
          if (needsServer) server ??= startServer();
          const needsRedis = block.text.includes(DEFAULT_REDIS);
          if (needsRedis) redis ??= startRedis();
          const grpc = (await server)?.grpc ?? DEFAULT_GRPC;
          const redisHost = (await redis)?.url.replace('redis://', '') ?? DEFAULT_REDIS;
          const program = block.text.replaceAll(DEFAULT_GRPC, grpc).replaceAll(DEFAULT_REDIS, redisHost);
          const printed = await runProgram(program);
          if (next?.language === 'text') assert.equal(printed.trim(), next.text.trim());
        });
      }
      if (block.language === 'console') {
        it(`line ${block.line}: the commands print what is said`, async () => {
          server ??= startServer();
          for (const { command, expected } of commandsOf(block.text)) {
            assert.equal(await runCommand(command, await server), expected, command);
          }
        });
      }
    }
  });
}

describe('docs/errors.md', () => {
  it('has the table of the code, row by row', () => {
    const text = readFileSync(join(repositoryRoot, 'docs/errors.md'), 'utf8');
    const rows = text.split('\n').filter((line) => /^\| [A-Z]/.test(line));
    const expected = Object.entries(errorTable).map(([code, { number, http, grpc, transient, meaning }]) =>
      `| ${[code, number, http, grpc, transient ? 'yes' : 'no', meaning].join(' | ')} |`);
    assert.deepEqual(rows, expected);
  });
});

describe('docs/service.md', () => {
  it('has the table of settings that `tallystick settings` prints', async () => {
    const main = join(repositoryRoot, 'packages/server/src/cli/main.ts');
    const { stdout } = await run(process.execPath, [...sourceRun, main, 'settings']);
    assert.ok(readFileSync(join(repositoryRoot, 'docs/service.md'), 'utf8').endsWith(stdout));
  });
});
