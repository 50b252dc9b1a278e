/**
 * Starts a real MariaDB of its own on a free port of 127.0.0.1, with private data. Only processes that were started
 * here are ever signalled.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onConnection, type MysqlTarget } from '../../../pipeline/ledger/mysql/transactions.ts';
import { freePort } from './free-port.ts';
import { asRoot, isInstalled, missing, withSbin } from './program.ts';

const PROGRAM = 'mariadbd';
const READY_WITHIN_MS = 60_000;
/** The name of the database. */
export const DATABASE = 'tallystick';

/** Small, and as durable as it is by default: each commit is on disk. */
const OPTIONS = [
  '--no-defaults',
  '--bind-address=127.0.0.1',
  '--skip-name-resolve',
  '--skip-log-bin',
  '--innodb-buffer-pool-size=256M',
  '--innodb-log-file-size=96M',
  '--innodb-flush-log-at-trx-commit=1',
  '--performance-schema=OFF',
  '--max-connections=60',
  '--innodb-lock-wait-timeout=5',
];

export class MariaDb {
  readonly port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'tallystick-mariadb-'));
  #child: ChildProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();
  #said = '';

  constructor(port: number) {
    this.port = port;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** A database on it, as the ledger is told; `port` where a proxy stands before it. */
  url(port = this.port): string {
    return `mysql://root@127.0.0.1:${port}/${DATABASE}`;
  }

  /** Makes the data folder and the database. */
  async create(): Promise<void> {
    const made = spawnSync('mariadb-install-db', [
      '--no-defaults',
      `--datadir=${this.#folder}/data`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      '--skip-name-resolve',
      ...asRoot(),
    ], { env: withSbin(), encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`mariadb-install-db failed:\n${made.stdout}\n${made.stderr}`);
    await this.start();
    await this.run(`CREATE DATABASE ${DATABASE}`);
  }

  /** Starts the server on what is on its disk; resolves when it takes connections. */
  async start(): Promise<void> {
    const folder = this.#folder;
    const places = [`--datadir=${folder}/data`, `--socket=${folder}/s`, `--pid-file=${folder}/pid`, `--port=${this.port}`];
    const child = spawn(PROGRAM, [...OPTIONS, ...places, ...asRoot()], { stdio: ['ignore', 'ignore', 'pipe'], env: withSbin() });
    this.#child = child;
    this.#exited = once(child, 'exit');
    this.#said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#said = (this.#said + text).slice(-4000)));
    const until = Date.now() + READY_WITHIN_MS;
    while (!(await this.#listens())) {
      if (child.exitCode !== null || Date.now() > until) throw new Error(`${PROGRAM} did not start:\n${this.#said}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** The database as the ledger is told of it; `port` where a proxy stands before it. */
  target(port = this.port): MysqlTarget {
    return { host: '127.0.0.1', port, user: 'root', database: DATABASE, tls: false };
  }

  /** Runs statements of an administrator. */
  async run(...statements: readonly string[]): Promise<void> {
    await onConnection({ ...this.target(), database: 'mysql' }, async (connection) => {
      for (const statement of statements) await connection.query(statement);
    });
  }

  /** SIGKILL: what was committed is on its disk. */
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

  #listens(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1');
      socket.once('data', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => { resolve(false); });
    });
  }
}

/** Starts a MariaDB with an empty database. @throws TallystickError `INVALID_CONFIG` that says what to install. */
export async function startMariaDb<T extends MariaDb>(make: (port: number) => T): Promise<T> {
  if (!isInstalled(PROGRAM)) throw missing(PROGRAM, 'MariaDB 10.6 or later (Debian: apt-get install mariadb-server)');
  const server = make(await freePort());
  try {
    await server.create();
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}
