/**
 * Several processes that serve as one node: workers share the ports (node:cluster hands connections to them in
 * turn) and the counters in Redis. A worker that ends is replaced. The supervisor serves nothing itself.
 */
import cluster, { type Worker } from 'node:cluster';
import { checkDeclarations } from '../app/index.ts';
import type { Config } from '../config/index.ts';
import { announce, type Ports } from './announce.ts';
import { CLOSE_GRACE_MS, stopBySignals, stoppingOnce } from './stopping.ts';
import { EXIT, type Terminal } from './terminal.ts';
import type { Order } from './worker.ts';

/** A worker that ended is replaced after so long, so that one that can't start does not keep a processor busy. */
const REPLACE_AFTER_MS = 1000;

/** How a worker began: it listens, or it ended with an exit code. */
type Beginning = Ports | number;

/** Runs the workers until told to stop, and then ends the process. */
export async function supervise(config: Config, asJson: boolean, terminal: Terminal): Promise<never> {
  await checkDeclarations(config);
  const workers = new Workers(config, terminal);
  const stopping = stoppingOnce(() => workers.stop(), () => workers.stopAtOnce());
  stopBySignals(stopping);
  // The first one alone, so that what hinders all of them is said once.
  const beginning = await workers.start();
  if (typeof beginning === 'number') process.exit(beginning);
  await Promise.all(Array.from({ length: config.workers - 1 }, () => workers.keep()));
  announce(config, beginning, asJson, terminal);
  process.exit(await workers.ended);
}

class Workers {
  /** Resolves with an exit code when all have ended after they were stopped. */
  readonly ended: Promise<number>;
  readonly #config: Config;
  readonly #terminal: Terminal;
  readonly #alive = new Set<Worker>();
  readonly #listening = new Set<Worker>();
  #stopping = false;
  #exit: number = EXIT.ok;
  #end!: (exit: number) => void;

  constructor(config: Config, terminal: Terminal) {
    this.#config = config;
    this.#terminal = terminal;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Starts a worker. One that has listened is replaced when it ends. */
  start(): Promise<Beginning> {
    const worker = cluster.fork();
    this.#alive.add(worker);
    return new Promise((resolve) => {
      worker.once('message', (ports: Ports) => {
        this.#listening.add(worker);
        resolve(ports);
      });
      worker.once('exit', (code: number | null) => {
        resolve(code ?? EXIT.refused);
        this.#gone(worker, code ?? EXIT.refused);
      });
    });
  }

  /** Starts workers until one listens. */
  async keep(): Promise<void> {
    while (!this.#stopping && typeof (await this.start()) === 'number') {
      await new Promise((resolve) => setTimeout(resolve, REPLACE_AFTER_MS));
    }
  }

  /** Has every worker drain. */
  stop(): void {
    this.#stopping = true;
    for (const worker of this.#alive) {
      // One that does not listen yet does not hear orders either.
      if (this.#listening.has(worker)) this.#order(worker, 'stop');
      else worker.process.kill('SIGTERM');
    }
    const late = (): void => {
      for (const worker of this.#alive) worker.process.kill('SIGKILL');
    };
    setTimeout(late, this.#config.drainTimeoutMs + 2 * CLOSE_GRACE_MS);
    this.#endIfAllEnded();
  }

  stopAtOnce(): void {
    for (const worker of this.#alive) this.#order(worker, 'stop at once');
  }

  #order(worker: Worker, order: Order): void {
    if (worker.isConnected()) worker.send(order);
  }

  #gone(worker: Worker, exit: number): void {
    const hasListened = this.#listening.delete(worker);
    this.#alive.delete(worker);
    // One that never listened has taken nothing, so nothing depends on how it ended.
    if (hasListened && this.#stopping) this.#exit = Math.max(this.#exit, exit);
    else if (hasListened) this.#replace(worker, exit);
    this.#endIfAllEnded();
  }

  #replace(worker: Worker, exit: number): void {
    this.#terminal.err(`tallystick: worker ${worker.process.pid} ended with ${exit}; another one takes its place`);
    setTimeout(() => void this.keep(), REPLACE_AFTER_MS);
  }

  #endIfAllEnded(): void {
    if (this.#stopping && this.#alive.size === 0) this.#end(this.#exit);
  }
}
