/**
 * Starts a real redis-server of its own on a free port of 127.0.0.1, with private data. Where the program is
 * missing it is installed as root on Debian; elsewhere the error says what to install. Only processes that
 * were started here are ever signalled.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Directives of redis.conf, by name: `{ appendonly: 'yes', maxmemory: '5mb' }`. */
export type RedisDirectives = Readonly<Record<string, string>>;

const PROGRAM = 'redis-server';
const READY = 'Ready to accept connections';
/** Nothing is written to disk unless a test asks for it. */
const DEFAULTS: RedisDirectives = { bind: '127.0.0.1', save: '', appendonly: 'no' };
/** Another process may take a port between finding it free and using it. */
const ATTEMPTS = 3;

function ensureInstalled(): void {
  if (spawnSync(PROGRAM, ['--version']).status === 0) return;
  const isDebian = existsSync('/etc/debian_version');
  if (isDebian && process.getuid?.() === 0) {
    for (const args of [['update'], ['install', '-y', PROGRAM]]) spawnSync('apt-get', args, { stdio: 'ignore' });
  }
  if (spawnSync(PROGRAM, ['--version']).status === 0) return;
  throw new Error(`${PROGRAM} is needed: install ${isDebian ? 'it as root with "apt-get install redis-server"' : 'Redis 6.2 or later'}`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

export class RedisServer {
  readonly port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'tallystick-redis-'));
  readonly #directives: RedisDirectives;
  #child: ChildProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();

  constructor(port: number, directives: RedisDirectives) {
    this.port = port;
    this.#directives = { ...DEFAULTS, ...directives };
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Starts the server on what is on its disk; resolves when it takes connections. */
  async start(): Promise<void> {
    const directives = Object.entries(this.#directives).flatMap(([name, value]) => [`--${name}`, value]);
    const args = ['--port', String(this.port), '--dir', this.#folder, ...directives];
    const child = spawn(PROGRAM, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#child = child;
    this.#exited = once(child, 'exit');
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line);
      if (line.includes(READY)) break;
    }
    if (child.exitCode !== null || !said.at(-1)?.includes(READY)) throw new Error(`${PROGRAM} ended before it was ready:\n${said.join('\n')}`);
    child.stdout.resume();
  }

  /** SIGKILL: what it had not written is lost. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#exited;
  }

  /** Stands still, with its connections open, until {@link resume}. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Ends the server and removes its data. */
  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Starts a Redis server. */
export async function startRedis(directives: RedisDirectives = {}): Promise<RedisServer> {
  ensureInstalled();
  for (let attempt = 1; ; attempt++) {
    const server = new RedisServer(await freePort(), directives);
    try {
      await server.start();
      return server;
    } catch (error) {
      await server.stop();
      if (attempt === ATTEMPTS) throw error;
    }
  }
}
