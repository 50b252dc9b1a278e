/**
 * Starts a real one-broker Kafka (KRaft) of its own on free ports of 127.0.0.1, with private data, from its jars: the
 * `libs` folder of a Kafka that was unpacked. Only processes that were started here are ever signalled.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { TallystickError } from 'tallystick';
import { freePort } from './free-port.ts';
import { isInstalled, missing } from './program.ts';

/** The version that it is held to. */
export const KAFKA_VERSION = '3.9.1';
/** A machine under load takes its time. */
const READY_WITHIN_MS = 120_000;
const NODE_ID = 1;
const JAVA = ['-Xms128m', '-Xmx384m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'];

/** Where the jars are looked for unless another folder is named: below the user's cache. */
export function kafkaJars(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(cache, 'tallystick', `kafka-${KAFKA_VERSION}`, 'jars');
}

/** What hinders Kafka from being started; undefined when nothing does. */
export function kafkaHindrance(jars: string): TallystickError | undefined {
  if (!isInstalled('java', '-version')) return missing('java', 'Java 17 or later (Debian: apt-get install openjdk-17-jre-headless)');
  if (existsSync(jars)) return undefined;
  return new TallystickError('INVALID_CONFIG', `kafka-jars: expected the jars of Kafka ${KAFKA_VERSION} in ${jars}, which is not there: unpack Kafka and name its libs folder`, { field: 'kafka-jars' });
}

export class KafkaServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tallystick-kafka-'));
  readonly #port: number;
  readonly #classPath: string;
  #child: ChildProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();

  constructor(port: number, controllerPort: number, jars: string) {
    this.#port = port;
    this.#classPath = join(jars, '*');
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

/** Starts a broker without topics. @throws TallystickError `INVALID_CONFIG` that says what is missing. */
export async function startKafka(jars: string): Promise<KafkaServer> {
  const hindrance = kafkaHindrance(jars);
  if (hindrance !== undefined) throw hindrance;
  const server = new KafkaServer(await freePort(), await freePort(), jars);
  try {
    server.format();
    await server.start();
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}
