/** Servers under test: each is a process of its own that says in one line of JSON where it listens. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { scratchFolder } from './scratch.ts';

/** A server that listens. */
export interface Server {
  /** `host:port`, by transport. */
  readonly http: string;
  readonly grpc: string;
  /** CPU it has used since its start, in microseconds; steps of 10,000. */
  readonly cpuUs: () => number;
  readonly stop: () => Promise<void>;
}

const pathOf = (url: string): string => fileURLToPath(new URL(url, import.meta.url));

const CLI = pathOf('../../packages/server/dist/cli/main.js');

/** `tallystick serve` as it is built, on an empty folder, every setting at its default but the ports and `args`. */
export async function startOurs(args: readonly string[] = []): Promise<Server> {
  const folder = scratchFolder();
  const any = '127.0.0.1:0';
  const server = await start([CLI, 'serve', '--http', any, '--grpc', any, '--data', folder.path, '--json', ...args]);
  const stop = async (): Promise<void> => {
    await server.stop();
    folder.remove();
  };
  return { ...server, stop };
}

/** A rival of the folder `rivals/`. */
export const startRival = (name: string): Promise<Server> => start([pathOf(`../rivals/${name}.mjs`)]);

async function start(args: readonly string[]): Promise<Server> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended.then(diedAtStart)])) as [string];
  const { http = '', grpc = '' } = JSON.parse(line) as Partial<Server>;
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    process.off('exit', kill);
  };
  return { http, grpc, cpuUs: () => cpuUsOf(child), stop };
}

function diedAtStart([code]: unknown[]): never {
  throw new Error(`the server ended with ${String(code)} before it listened`);
}

/** A tick of the kernel's accounts is a hundredth of a second. */
const TICK_US = 10_000;

/** User and system time of a process, from the kernel (Linux); NaN where it does not tell. */
function cpuUsOf({ pid = 0 }: ChildProcess): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK_US;
  } catch {
    return NaN;
  }
}
