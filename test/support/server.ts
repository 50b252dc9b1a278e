/** Starts `tallystick serve` as a real process, from source, on free ports with private data. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export const repositoryRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** Arguments of node that let a program run from source. */
export const sourceRun = ['--conditions=tallystick-source', '--import', 'tsx'];

export interface RunningServer {
  /** Address `host:port` of each transport. */
  readonly http: string;
  readonly grpc: string;
  readonly pid: number;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
  /** Ends it as an operator would, and removes data that it was not given. */
  stop(): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

export interface ServerOptions {
  /** Default: a temporary folder that `stop` removes. */
  readonly data?: string;
  /** Default `127.0.0.1:0`. */
  readonly http?: string;
  readonly grpc?: string;
  readonly args?: readonly string[];
  /** Beside the environment there is. */
  readonly env?: Readonly<Record<string, string>>;
}

interface Listening {
  readonly http: string;
  readonly grpc: string;
}

async function listening(child: ChildProcess): Promise<Listening> {
  const said: string[] = [];
  if (child.stdout === null) throw new Error('no output to read');
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (line.startsWith('{') && line.includes('"http"')) return JSON.parse(line) as Listening;
  }
  throw new Error(`the server ended before it listened:\n${said.join('\n')}`);
}

export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const data = options.data ?? mkdtempSync(join(tmpdir(), 'tallystick-server-'));
  const main = join(repositoryRoot, 'packages/server/src/cli/main.ts');
  const addresses = ['--http', options.http ?? '127.0.0.1:0', '--grpc', options.grpc ?? '127.0.0.1:0'];
  const args = [...sourceRun, main, 'serve', ...addresses, '--data', data, '--json', ...(options.args ?? [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...options.env } });
  const exited = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string);
  const { http, grpc } = await listening(child);
  child.stdout.resume();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  const stop = async (): Promise<void> => {
    await end('SIGTERM');
    if (options.data === undefined) rmSync(data, { recursive: true, force: true });
  };
  return { http, grpc, pid: child.pid ?? 0, exited, stop, kill: () => end('SIGKILL') };
}

/** Starts a node that is expected not to start; `err` is all it says. */
export async function refusedStart(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<{ exit: number; err: string }> {
  const main = join(repositoryRoot, 'packages/server/src/cli/main.ts');
  const child = spawn(process.execPath, [...sourceRun, main, 'serve', '--http', '127.0.0.1:0', '--grpc', '127.0.0.1:0', ...args], {
    env: { ...process.env, ...env },
  });
  const [err, ended] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { exit: ended[0] as number, err };
}
