/**
 * Runs one seed: draws a scenario, lets processes count while the network and the store fail, then lets
 * everything come to rest and checks the account.
 */
import { partitionOf } from '../../packages/core/src/model/partition.ts';
import { Replica } from '../../packages/core/src/replica/replica.ts';
import { Caller, type Setting } from './callers.ts';
import { checkAtRest } from './check.ts';
import { Faults } from './faults.ts';
import { History, type Ask } from './history.ts';
import { FAIR, type Network } from './network.ts';
import { Process, type Ground, type Meddle } from './process.ts';
import { drawScenario, type Scenario } from './scenario.ts';
import { Server, type MakeReplica } from './server.ts';
import { World, type Life } from './world.ts';

/** By then every lane has asked its store what it holds, and sent again what was lost, on a fair network. */
const ASKED_AFTER_MS = 30_000;

/** What stands in for the parts under test; the parts themselves unless a mutant says otherwise. */
export interface Cast {
  readonly makeReplica?: MakeReplica;
  readonly meddle?: Meddle;
  /** Turns the scenario towards what is to be seen. */
  readonly scenario?: Partial<Scenario>;
  /** Told every line of the history. */
  readonly narrate?: (line: string) => void;
}

/** What came of a seed. */
export interface Outcome {
  /** The same for the same history. */
  readonly hash: number;
  readonly events: number;
  readonly asks: number;
  readonly applied: number;
  readonly resends: number;
  readonly losses: number;
  readonly lostBatches: number;
  readonly deaths: number;
}

/** @throws An error that names the seed, when an assertion does not hold. */
export async function runSeed(seed: number, cast: Cast = {}): Promise<Outcome> {
  try {
    return await new Simulation(seed, cast).run();
  } catch (error) {
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

class Simulation {
  readonly world: World;
  readonly scenario: Scenario;
  readonly server: Server;
  readonly history = new History();
  readonly network: Network;
  readonly processes: Process[] = [];
  readonly #ground: Ground;
  readonly #setting: Setting;
  readonly #faults: Faults;
  /** Request ids on their way to another process. */
  #orphans = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(seed: number, { makeReplica = () => new Replica(), meddle = (store) => store, scenario, narrate }: Cast) {
    this.world = new World(seed);
    this.world.narrate = narrate;
    this.scenario = { ...drawScenario(this.world.random), ...scenario };
    this.world.note(() => JSON.stringify(this.scenario));
    const { partitions, timeoutMs, weather } = this.scenario;
    this.server = new Server(this.world, makeReplica);
    this.network = { world: this.world, server: this.server, partitions, timeoutMs, weather, kill: (life) => { this.#kill(life); } };
    this.#ground = { network: this.network, history: this.history, scenario: this.scenario, meddle };
    this.#setting = {
      scenario: this.scenario,
      random: this.world.random,
      history: this.history,
      server: this.server,
      orphan: (ask) => { this.#orphan(ask); },
    };
    this.#faults = new Faults(this);
  }

  async run(): Promise<Outcome> {
    for (let i = 0; i < this.scenario.processes; i++) this.startProcess();
    this.#faults.plan();
    await this.#until('the end of the faults', () => this.#faults.planned === 0 && this.#orphans === 0 && this.processes.every(({ alive, busy }) => !alive || busy === 0));
    await this.#comeToRest();
    checkAtRest(this);
    return this.#outcome();
  }

  /** Starts a process with callers of its own. */
  startProcess(): void {
    const process = new Process(String.fromCharCode(97 + this.processes.length), this.#ground);
    this.world.note(() => `${process.name} starts`);
    this.processes.push(process);
    for (let i = 0; i < this.scenario.callers; i++) this.#employ(process, (caller) => caller.run());
  }

  /** A process dies, or closes in good order if it can within `timeoutMs`. */
  endProcess(process: Process, timeoutMs: number | undefined): void {
    if (timeoutMs === undefined) this.#kill(process);
    else process.close(timeoutMs).catch(this.#fail);
  }

  /** Faults end; every lane hears of what its store has lost when it next asks or sends; then all processes close. */
  async #comeToRest(): Promise<void> {
    this.world.note(() => 'the network is fair');
    this.network.weather = FAIR;
    const living = this.processes.filter(({ isOpen }) => isOpen);
    for (const process of living) process.stayed = true;
    let hasAsked = false;
    this.world.after(ASKED_AFTER_MS, () => { hasAsked = true; });
    await this.#until('the lanes have asked', () => hasAsked);
    if (!this.scenario.endsQuietly) for (const process of living) this.#employ(process, () => this.#lastAdds(process));
    await this.#until('the last adds', () => living.every(({ busy }) => busy === 0));
    for (const process of living) this.endProcess(process, 600_000);
    await this.#until('the end', () => this.world.isAtRest);
  }

  /** One add at every partition. */
  async #lastAdds(process: Process): Promise<void> {
    const { partitions } = this.scenario;
    const names = Array.from({ length: 20 }, (_, i) => `unit:last-${i}`);
    const oneEach = Array.from({ length: partitions }, (_, partition) => names.find((key) => partitionOf(key, partitions) === partition)!);
    for (const key of oneEach) await process.add(key, 1);
  }

  /** Lets a caller work at a process. */
  #employ(process: Process, work: (caller: Caller) => Promise<void>): void {
    process.busy++;
    work(new Caller(this.#setting, process)).then(() => { process.busy--; }, this.#fail);
  }

  #kill(life: Life): void {
    if (!life.alive) return;
    life.alive = false;
    this.world.note(() => `${life.name} dies`);
    for (const ask of this.history.asks) {
      if (ask.process !== life.name || ask.outcome !== 'pending') continue;
      this.history.tell(ask, 'unknown');
      if (ask.requestId !== undefined) this.#orphan(ask);
    }
  }

  /** Somebody asks again at another process, if there is one by then. */
  #orphan({ key, delta, requestId }: Ask): void {
    this.#orphans++;
    this.world.after(this.world.random.between(0, 500), () => {
      this.#orphans--;
      const open = this.processes.filter(({ isOpen }) => isOpen);
      if (open.length > 0) this.#employ(this.world.random.pick(open), (caller) => caller.insist(key, delta, requestId!));
    });
  }

  async #until(what: string, done: () => boolean): Promise<void> {
    const isDone = await this.world.run(() => this.#failure !== undefined || done());
    if (this.#failure !== undefined) throw this.#failure.error;
    if (!isDone) throw new Error(`stuck before ${what}: nothing more is going to happen`);
  }

  readonly #fail = (error: unknown): void => {
    this.#failure ??= { error };
  };

  #outcome(): Outcome {
    const { world, history, server, processes } = this;
    return {
      hash: world.hash,
      events: world.events,
      asks: history.asks.length,
      applied: server.log.length,
      resends: processes.reduce((sum, { tallystick }) => sum + tallystick.stats().resends, 0),
      losses: server.losses,
      lostBatches: processes.reduce((sum, process) => sum + process.lostBatches, 0),
      deaths: processes.filter(({ alive }) => !alive).length,
    };
  }
}
