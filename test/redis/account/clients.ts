/** The client processes of one run, as their parent sees them. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Deployment } from '../../support/redis-clients.ts';
import { eventually } from '../../support/redis-command.ts';
import { sourceRun } from '../../support/server.ts';
import type { ClientTask, Seen } from './client-process.ts';
import { readSheet, together, type Sums } from '../../../packages/server/src/cli/drill/sheet.ts';
import { SUBJECTS } from './subjects.ts';

const PROGRAM = fileURLToPath(new URL('client-process.ts', import.meta.url));
/** Amounts added by one process after which the load is under way: a few adds of every caller. */
const UNDER_WAY = 400;

class ClientProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #sheet: string;

  constructor(task: ClientTask) {
    this.#sheet = task.sheet;
    this.#child = fork(PROGRAM, [JSON.stringify(task)], { execArgv: sourceRun });
    this.#exited = once(this.#child, 'exit');
  }

  get sums(): Sums[] {
    return existsSync(this.#sheet) ? readSheet(this.#sheet) : [];
  }

  /** Amounts of the counters, without those of the control run. */
  get acknowledged(): number {
    return this.sums.slice(0, SUBJECTS.length).reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  /** Stops the callers; resolves when all of them have their answers. */
  async stop(): Promise<void> {
    await this.#ask('stop');
  }

  async close(): Promise<Seen> {
    const [{ seen }] = (await this.#ask('close')) as [{ seen: Seen }];
    await this.#exited;
    return seen;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  async #ask(word: string): Promise<unknown[]> {
    const answered = once(this.#child, 'message');
    this.#child.send(word);
    const lost = this.#exited.then(() => { throw new Error(`a client process ended before it had answered "${word}"`); });
    return Promise.race([answered, lost]);
  }
}

export class Clients {
  readonly #deployment: Deployment;
  readonly #folder = mkdtempSync(join(tmpdir(), 'tallystick-account-'));
  readonly #running: ClientProcess[] = [];
  readonly #killed: ClientProcess[] = [];
  #started = 0;

  constructor(deployment: Deployment, processes: number) {
    this.#deployment = deployment;
    for (let i = 0; i < processes; i++) this.#start();
  }

  /** Per counter, and per key of the control run, what all processes have done. */
  get sums(): Sums[] {
    return together([...this.#running, ...this.#killed].map(({ sums }) => sums));
  }

  /** Waits until every process has got many more answers than it has now. */
  async underWay(withinMs = 60_000): Promise<void> {
    const before = this.#running.map(({ acknowledged }) => acknowledged);
    const flows = (): boolean => this.#running.every(({ acknowledged }, i) => acknowledged - before[i]! >= UNDER_WAY);
    await eventually('adds are answered', flows, withinMs);
  }

  /** Kills the oldest process, and starts another. */
  async replaceOne(): Promise<void> {
    const oldest = this.#running.shift()!;
    await oldest.kill();
    this.#killed.push(oldest);
    this.#start();
  }

  /** Stops the load; resolves when every call has its answer. */
  async stop(): Promise<void> {
    await Promise.all(this.#running.map((client) => client.stop()));
  }

  /** Ends the processes as an application would. */
  async close(): Promise<Seen[]> {
    return Promise.all(this.#running.map((client) => client.close()));
  }

  /** Ends what is still running, and removes the sheets. */
  async remove(): Promise<void> {
    await Promise.all(this.#running.map((client) => client.kill()));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #start(): void {
    const name = `p${this.#started++}`;
    this.#running.push(new ClientProcess({ deployment: this.#deployment, sheet: join(this.#folder, name), name }));
  }
}
