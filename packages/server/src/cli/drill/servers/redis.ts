/**
 * Starts a real redis-server of its own on a free port of 127.0.0.1, with private data. Only processes that were
 * started here are ever signalled.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.ts';
import { isInstalled, missing } from './program.ts';

/** Directives of redis.conf, by name: `{ appendonly: 'yes', maxmemory: '5mb' }`. */
export type RedisDirectives = Readonly<Record<string, string>>;

const PROGRAM = 'redis-server';
/** Comes with the server. */
const MENDER = 'redis-check-aof';
const READY = 'Ready to accept connections';
/** Nothing is written to disk unless a test asks for it. */
const DEFAULTS: RedisDirectives = { bind: '127.0.0.1', save: '', appendonly: 'no' };
/** Another process may take a port between finding it free and using it. */
const ATTEMPTS = 3;

/** One run after the other of redis-server, as a server or as a Sentinel. */
export class RedisProcess {
  #child: ChildProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Starts it; resolves when it has said `ready`. */
  async start(args: readonly string[], ready: string): Promise<void> {
    const child = spawn(PROGRAM, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#child = child;
    this.#exited = once(child, 'exit');
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line);
      if (line.includes(ready)) break;
    }
    if (child.exitCode !== null || !said.at(-1)?.includes(ready)) throw new Error(`${PROGRAM} ended before it was ready:\n${said.join('\n')}`);
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
}

export class RedisServer extends RedisProcess {
  readonly port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'tallystick-redis-'));
  readonly #directives: RedisDirectives;

  constructor(port: number, directives: RedisDirectives) {
    super();
    this.port = port;
    this.#directives = { ...DEFAULTS, ...directives };
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts the server on what is on its disk; resolves when it takes connections. `more` holds for this run alone. */
  override async start(more: readonly string[] = []): Promise<void> {
    const directives = Object.entries(this.#directives).flatMap(([name, value]) => [`--${name}`, ...value.split(' ')]);
    await super.start(['--port', String(this.port), '--dir', this.#folder, ...directives, ...more], READY);
  }

  /**
   * Takes the last bytes of the append-only file of a server that was killed, which a machine may lose with its
   * power, and mends the file as an operator must: Redis 7.0 would leave half a transaction at its end, and
   * execute it at the start after the next one.
   */
  cutLog(bytes: number): void {
    const folder = join(this.#folder, 'appendonlydir');
    const newest = readdirSync(folder).filter((name) => name.endsWith('.incr.aof')).toSorted().at(-1) ?? '';
    const file = join(folder, newest);
    truncateSync(file, Math.max(0, statSync(file).size - bytes));
    const { status } = spawnSync(MENDER, ['--fix', join(folder, 'appendonly.aof.manifest')], { input: 'y\n', stdio: ['pipe', 'ignore', 'ignore'] });
    if (status !== 0) throw new Error(`${MENDER} failed`);
  }

  /** Ends the server and removes its data. */
  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Starts a Redis server, on a port of at most `highestPort`. @throws TallystickError `INVALID_CONFIG` that says what to install. */
export async function startRedis(directives: RedisDirectives = {}, highestPort?: number): Promise<RedisServer> {
  if (!isInstalled(PROGRAM)) throw missing(PROGRAM, 'Redis 6.2 or later (Debian: apt-get install redis-server)');
  for (let attempt = 1; ; attempt++) {
    const server = new RedisServer(await freePort(highestPort), directives);
    try {
      await server.start();
      return server;
    } catch (error) {
      await server.stop();
      if (attempt === ATTEMPTS) throw error;
    }
  }
}
