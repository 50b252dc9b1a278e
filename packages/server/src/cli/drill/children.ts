/** Processes of a drill, as their parent sees them: they are told by one JSON argument, and end with their parent. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CountingTask } from './counting-process.ts';
import { eventually } from './servers/redis-command.ts';
import { readSheet, together, type Sums } from './sheet.ts';
import type { WorkerTask } from './worker-process.ts';

/** Amounts added by one process after which the load is under way: a few adds of every caller. */
const UNDER_WAY = 400;
const UNDER_WAY_WITHIN_MS = 90_000;

/** A program beside this one: source beside source, built beside built. */
const programOf = (name: string): URL => new URL(`${name}${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

/** The program of a worker. */
export const WORKER = programOf('worker-process');
const COUNTING = programOf('counting-process');

class Child {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  constructor(program: URL, task: object) {
    this.#child = fork(program, [JSON.stringify(task)]);
    this.#exited = once(this.#child, 'exit');
  }

  /** SIGKILL; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /** Stands still for so long, with its connections open. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Waits for what it says next; `word`, if there is one, asks for it. */
  async hear(word?: string): Promise<void> {
    const heard = once(this.#child, 'message');
    if (word !== undefined) this.#child.send(word);
    await Promise.race([heard, this.#exited.then(() => { throw new Error('a process of the drill ended by itself'); })]);
  }
}

class CountingChild extends Child {
  readonly #sheet: string;

  constructor(task: CountingTask) {
    super(COUNTING, task);
    this.#sheet = task.sheet;
  }

  get sums(): Sums[] {
    return existsSync(this.#sheet) ? readSheet(this.#sheet) : [];
  }

  get acknowledged(): number {
    return this.sums.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }
}

/** The processes that count. */
export class Counting {
  readonly #task: Pick<CountingTask, 'redis' | 'outbox'>;
  readonly #folder = mkdtempSync(join(tmpdir(), 'tallystick-drill-'));
  readonly #running: CountingChild[] = [];
  readonly #killed: CountingChild[] = [];
  #started = 0;

  constructor(task: Pick<CountingTask, 'redis' | 'outbox'>, processes: number) {
    this.#task = task;
    for (let i = 0; i < processes; i++) this.#start();
  }

  /** Per counter, what all processes have asked for and heard. */
  get sums(): Sums[] {
    return together([...this.#running, ...this.#killed].map(({ sums }) => sums));
  }

  /** Waits until every process has got many more answers than it has now. */
  async underWay(): Promise<void> {
    const before = this.#running.map(({ acknowledged }) => acknowledged);
    await eventually('adds are answered', () => this.#running.every(({ acknowledged }, i) => acknowledged - (before[i] ?? 0) >= UNDER_WAY), UNDER_WAY_WITHIN_MS);
  }

  /** Kills the oldest process, and starts another. */
  async replaceOne(): Promise<void> {
    const oldest = this.#running.shift();
    if (oldest === undefined) return;
    this.#killed.push(oldest);
    await oldest.kill();
    this.#start();
  }

  /** Stops the load; resolves when every call has its answer. */
  async stop(): Promise<void> {
    await Promise.all(this.#running.map((child) => child.hear('stop')));
  }

  /** Ends the processes as an application would. */
  async close(): Promise<void> {
    await Promise.all(this.#running.map((child) => child.hear('close')));
  }

  /** Kills what runs, and removes the sheets. */
  async remove(): Promise<void> {
    await Promise.all(this.#running.map((child) => child.kill()));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #start(): void {
    const name = `p${this.#started++}`;
    this.#running.push(new CountingChild({ ...this.#task, name, sheet: join(this.#folder, name) }));
  }
}

/** The processes that carry the log. */
export class Workers {
  readonly #program: URL;
  readonly #task: WorkerTask;
  readonly #running: Child[];

  constructor(program: URL, task: WorkerTask, processes: number) {
    this.#program = program;
    this.#task = task;
    this.#running = Array.from({ length: processes }, () => new Child(program, task));
  }

  /** Waits until the first of all have begun. */
  async started(): Promise<void> {
    await Promise.all(this.#running.map((child) => child.hear()));
  }

  /** Kills the oldest, and starts another. */
  async replaceOne(): Promise<void> {
    await this.#running.shift()?.kill();
    this.#running.push(new Child(this.#program, this.#task));
  }

  /** Holds the oldest up until `over`, so that it wakes up and goes on with what others do by then. */
  async pauseOne(over: () => Promise<unknown>): Promise<void> {
    const oldest = this.#running.shift();
    if (oldest === undefined) return;
    oldest.pause();
    await over();
    oldest.resume();
    this.#running.push(oldest);
  }

  async remove(): Promise<void> {
    await Promise.all(this.#running.map((child) => child.kill()));
  }
}
