/**
 * Starts a real MariaDB of its own on a free port of 127.0.0.1, with private data. Where the program is missing
 * it is installed as root on Debian, and its service is not started; elsewhere the error says what to install.
 * Only processes that were started here are ever signalled.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection, type Connection } from 'mariadb';
import { freePort } from './free-port.ts';

const PROGRAM = 'mariadbd';
const POLICY = '/usr/sbin/policy-rc.d';
const READY_WITHIN_MS = 60_000;
const DATABASE = 'tallystick';

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

const isInstalled = (): boolean => spawnSync(PROGRAM, ['--version'], { env: withSbin() }).status === 0;

/** Debian keeps servers where only root looks for programs. */
function withSbin(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin` };
}

/** Installs what is missing, where it can. @throws Error that says what to install. */
function ensureInstalled(): void {
  if (isInstalled()) return;
  const isDebian = existsSync('/etc/debian_version');
  if (isDebian && process.getuid?.() === 0) installOnDebian();
  if (isInstalled()) return;
  throw new Error(`${PROGRAM} is needed: install ${isDebian ? 'it as root with "apt-get install mariadb-server"' : 'MariaDB 10.6 or later'}`);
}

/** The package starts a service of its own unless a policy forbids it. */
function installOnDebian(): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const forbidden = existsSync(POLICY);
  if (!forbidden) spawnSync('sh', ['-c', `printf '#!/bin/sh\\nexit 101\\n' > ${POLICY} && chmod +x ${POLICY}`]);
  try {
    for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'mariadb-server']]) {
      spawnSync('apt-get', args, { stdio: 'ignore', env });
    }
  } finally {
    if (!forbidden) rmSync(POLICY, { force: true });
  }
}

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
    const connection = await this.#connect();
    await connection.query(`CREATE DATABASE ${DATABASE}`);
    await connection.end();
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

  /** Empties the database. */
  async clear(): Promise<void> {
    const connection = await this.#connect();
    await connection.query(`DROP DATABASE ${DATABASE}`);
    await connection.query(`CREATE DATABASE ${DATABASE}`);
    await connection.end();
  }

  /** A connection for a test of its own. */
  async connection(): Promise<Connection> {
    return createConnection({ host: '127.0.0.1', port: this.port, user: 'root', database: DATABASE });
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

  #connect(): Promise<Connection> {
    return createConnection({ host: '127.0.0.1', port: this.port, user: 'root' });
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

const asRoot = (): string[] => (process.getuid?.() === 0 ? ['--user=root'] : []);

/** Starts a MariaDB with an empty database. */
export async function startMariaDb(): Promise<MariaDb> {
  ensureInstalled();
  const server = new MariaDb(await freePort());
  try {
    await server.create();
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}
