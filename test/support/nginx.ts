/**
 * Runs the real Nginx with the shipped configuration, whose ports and nodes are replaced. Where the program is
 * missing it is installed as root on Debian; elsewhere the error says what to install.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { repositoryRoot } from './server.ts';

export interface Nginx {
  /** Address `host:port` of each transport. */
  readonly http: string;
  readonly grpc: string;
  stop(): Promise<void>;
}

/** Addresses of the nodes behind it. */
interface Nodes {
  readonly http: readonly string[];
  readonly grpc: readonly string[];
}

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

function isInstalled(): boolean {
  return spawnSync('nginx', ['-v']).status === 0;
}

function ensureInstalled(): void {
  if (isInstalled()) return;
  const isDebian = existsSync('/etc/debian_version');
  if (isDebian && process.getuid?.() === 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    for (const args of [['update'], ['install', '-y', 'nginx-light']]) spawnSync('apt-get', args, { stdio: 'ignore', env });
  }
  if (isInstalled()) return;
  throw new Error(`nginx is needed: install ${isDebian ? 'it as root with "apt-get install nginx-light"' : 'Nginx 1.18 or later'}`);
}

/** `text` with the first match replaced; throws where there is none, so that the file and this stay together. */
function replaced(text: string, pattern: RegExp, by: string): string {
  if (!pattern.test(text)) throw new Error(`deploy/nginx.conf: nothing there that is ${String(pattern)}`);
  return text.replace(pattern, by);
}

function configuration(nodes: Nodes, ports: { http: number; grpc: number }): string {
  const shipped = readFileSync(join(repositoryRoot, 'deploy/nginx.conf'), 'utf8');
  const servers = (addresses: readonly string[], options: string): string => addresses.map((address) => `server ${address}${options};`).join('\n');
  let text = shipped;
  for (const [name, addresses] of Object.entries(nodes) as [keyof Nodes, readonly string[]][]) {
    const options = new RegExp(`upstream tallystick_${name} \\{[^}]*?server [\\d.:]+( [^;]*);`).exec(text)?.[1] ?? '';
    text = replaced(text, new RegExp(`(upstream tallystick_${name} \\{[^}]*?)(?:server [^;]*;\\s*)+`), `$1${servers(addresses, options)}\n`);
  }
  text = replaced(text, /listen 80;/, `listen 127.0.0.1:${ports.http};`);
  text = replaced(text, /listen 81 http2;/, `listen 127.0.0.1:${ports.grpc} http2;`);
  text = `pid nginx.pid;\nerror_log stderr warn;\n${text}`;
  return replaced(text, /http \{/, `http {\n${TEMPORARY.map((name) => `${name}_temp_path ${name};`).join('\n')}`);
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const accepted = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'error').then(() => false)]).catch(() => false);
  socket.destroy();
  return accepted;
}

/** Starts Nginx before `nodes`. */
export async function startNginx(nodes: Nodes): Promise<Nginx> {
  ensureInstalled();
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-nginx-'));
  const ports = { http: await freePort(), grpc: await freePort() };
  writeFileSync(join(folder, 'nginx.conf'), configuration(nodes, ports));
  const child = spawn('nginx', ['-p', `${folder}/`, '-c', 'nginx.conf', '-e', 'stderr', '-g', 'daemon off;'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const exited = once(child, 'exit');
  while (!(await accepts(ports.grpc))) {
    if (child.exitCode !== null) throw new Error(`nginx did not start:\n${log}`);
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  return { http: `127.0.0.1:${ports.http}`, grpc: `127.0.0.1:${ports.grpc}`, stop };
}
