/**
 * Starts a real one-broker Kafka (KRaft) of its own on free ports of 127.0.0.1, with private data. Its jars come from
 * Maven Central, once, into a folder in the user's cache. Where Java or Maven is missing it is installed as root on
 * Debian; elsewhere the error says what to install. Only processes that were started here are ever signalled.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

const VERSION = '3.9.1';
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tallystick-test', `kafka-${VERSION}`);
/** A machine under load takes its time. */
const READY_WITHIN_MS = 120_000;
const NODE_ID = 1;
const JAVA = ['-Xms128m', '-Xmx384m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'];

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>test</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies><dependency>
    <groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${VERSION}</version>
  </dependency></dependencies>
</project>
`;

const runs = (program: string, flag: string): boolean => spawnSync(program, [flag]).status === 0;

/** Installs what is missing, where it can. @throws Error that says what to install. */
function ensureInstalled(program: string, flag: string, debianPackage: string): void {
  if (runs(program, flag)) return;
  const isDebian = existsSync('/etc/debian_version');
  if (isDebian && process.getuid?.() === 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    for (const args of [['update'], ['install', '-y', '--no-install-recommends', debianPackage]]) spawnSync('apt-get', args, { stdio: 'ignore', env });
  }
  if (runs(program, flag)) return;
  throw new Error(`${program} is needed: install ${isDebian ? `it as root with "apt-get install ${debianPackage}"` : 'Java 17 and Maven'}`);
}

/** The class path of Kafka; fetched at the first time. Two that fetch at once do no harm: the folder appears whole. */
function jars(): string {
  ensureInstalled('java', '-version', 'openjdk-17-jre-headless');
  const folder = join(CACHE, 'jars');
  if (!existsSync(folder)) {
    ensureInstalled('mvn', '-version', 'maven');
    mkdirSync(CACHE, { recursive: true });
    const scratch = mkdtempSync(join(CACHE, 'fetch-'));
    writeFileSync(join(scratch, 'pom.xml'), POM);
    const { status, stdout } = spawnSync('mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=jars'], { cwd: scratch, encoding: 'utf8' });
    if (status !== 0) throw new Error(`Kafka ${VERSION} could not be fetched from Maven Central:\n${stdout}`);
    if (!existsSync(folder)) renameSync(join(scratch, 'jars'), folder);
    rmSync(scratch, { recursive: true, force: true });
  }
  return join(folder, '*');
}

export class KafkaServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tallystick-kafka-'));
  readonly #port: number;
  readonly #classPath: string;
  #child: ChildProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();

  constructor(port: number, controllerPort: number) {
    this.#port = port;
    this.#classPath = jars();
    const settings: Readonly<Record<string, string | number>> = {
      'process.roles': 'broker,controller',
      'node.id': NODE_ID,
      'controller.quorum.voters': `${NODE_ID}@127.0.0.1:${controllerPort}`,
      'controller.listener.names': 'CONTROLLER',
      'listeners': `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
      'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
      'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
      'log.dirs': join(this.#folder, 'data'),
      'default.replication.factor': 1,
      'offsets.topic.replication.factor': 1,
      'offsets.topic.num.partitions': 1,
      'transaction.state.log.replication.factor': 1,
      'transaction.state.log.min.isr': 1,
      'group.initial.rebalance.delay.ms': 0,
      'group.min.session.timeout.ms': 500,
      'auto.create.topics.enable': 'false',
      // A broker that was killed may come back at once.
      'broker.session.timeout.ms': 2000,
      'broker.heartbeat.interval.ms': 500,
      'num.network.threads': 1,
      'num.io.threads': 2,
    };
    writeFileSync(join(this.#folder, 'server.properties'), Object.entries(settings).map(([name, value]) => `${name}=${value}\n`).join(''));
  }

  get brokers(): string[] {
    return [`127.0.0.1:${this.#port}`];
  }

  /** Makes the data folder. */
  format(): void {
    const args = ['format', '-t', 'dGFsbHlzdGljay10ZXN0cw', '-c', this.#settings];
    const { status, stdout, stderr } = spawnSync('java', [...JAVA, '-cp', this.#classPath, 'kafka.tools.StorageTool', ...args], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`Kafka's data folder could not be made:\n${stdout}\n${stderr}`);
  }

  /** Starts the broker on what is on its disk; resolves when it takes connections. */
  async start(): Promise<void> {
    const child = spawn('java', [...JAVA, '-cp', this.#classPath, 'kafka.Kafka', this.#settings], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    this.#exited = once(child, 'exit');
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4000)));
    const until = performance.now() + READY_WITHIN_MS;
    while (!(await this.#listens())) {
      if (child.exitCode !== null || performance.now() > until) throw new Error(`Kafka did not start:\n${said}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  #listens(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.#port, '127.0.0.1');
      socket.once('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => { resolve(false); });
    });
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#exited;
  }

  /** Ends the broker and removes its data. */
  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #settings(): string {
    return join(this.#folder, 'server.properties');
  }
}

/** Starts a broker without topics. */
export async function startKafka(): Promise<KafkaServer> {
  const server = new KafkaServer(await freePort(), await freePort());
  try {
    server.format();
    await server.start();
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}
