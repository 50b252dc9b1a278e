/** When things go wrong: every fault of a history is drawn and put on the calendar at its beginning. */
import type { Network, Weather } from './network.ts';
import type { Process } from './process.ts';
import type { Comeback, Scenario } from './scenario.ts';
import type { Server } from './server.ts';
import type { World } from './world.ts';

/** What faults happen to. */
interface Victims {
  readonly world: World;
  readonly scenario: Scenario;
  readonly server: Server;
  readonly network: Network;
  readonly processes: readonly Process[];
  readonly startProcess: () => void;
  /** Kills a process, or closes it within `timeoutMs`. */
  readonly endProcess: (process: Process, timeoutMs: number | undefined) => void;
}

const MOST_PROCESSES = 8;

export class Faults {
  /** Faults that are not over yet. */
  planned = 0;
  readonly #victims: Victims;

  constructor(victims: Victims) {
    this.#victims = victims;
  }

  plan(): void {
    const { scenario } = this.#victims;
    const { storeFaults, processFaults, clockSteps } = scenario;
    for (let i = 0; i < storeFaults; i++) this.#schedule(() => { this.#stopStore(); });
    for (let i = 0; i < processFaults; i++) this.#schedule(() => { this.#endProcess(); });
    for (let i = 0; i < clockSteps; i++) this.#schedule(() => { this.#stepClock(); });
    if (storeFaults > 0) this.#schedule(() => { this.#cutNetwork(); });
  }

  /** At some moment while callers are at work. */
  #schedule(fault: () => void): void {
    const { scenario, world } = this.#victims;
    const spanMs = (scenario.paceMs + scenario.weather.mostDelayMs * 2) * scenario.calls;
    this.#in(world.random.next() * spanMs, fault);
  }

  #in(delayMs: number, fault: () => void): void {
    this.planned++;
    this.#victims.world.after(delayMs, () => {
      this.planned--;
      fault();
    });
  }

  #stopStore(): void {
    const { server, world, scenario } = this.#victims;
    if (!server.up) return;
    server.crash();
    const comeback = world.random.pick(scenario.comebacks);
    this.#in(world.random.next() * scenario.awayMs, () => { server.restart(this.#keptBy(comeback)); });
  }

  #keptBy(comeback: Comeback): number {
    const { server, world } = this.#victims;
    const length = server.log.length;
    if (comeback === 'behind') return Math.max(0, length - world.random.between(0, 12));
    return comeback === 'empty' ? 0 : length;
  }

  /** A process is killed or told to close, and mostly another one takes its place. */
  #endProcess(): void {
    const { world: { random }, processes } = this.#victims;
    const open = processes.filter(({ isOpen }) => isOpen);
    const process = open.length === 0 ? undefined : random.pick(open);
    if (process !== undefined) this.#victims.endProcess(process, random.chance(0.6) ? undefined : random.pick([0, 10, 100, 30_000]));
    if (processes.length < MOST_PROCESSES && random.chance(0.8)) this.#in(random.between(0, 300), () => { this.#victims.startProcess(); });
  }

  #stepClock(): void {
    const { server, world } = this.#victims;
    server.stepClock(world.random.pick([-86_400_000, -11_000, -500, 500, 11_000]));
    world.note(() => 'the wall clock of the store is set');
  }

  /** Nothing gets through for a while. */
  #cutNetwork(): void {
    const { network, world, scenario } = this.#victims;
    const cut: Weather = { ...network.weather, requestLost: 1, duplicated: 0 };
    network.weather = cut;
    world.note(() => 'the network is cut');
    this.#in(world.random.next() * scenario.awayMs, () => { network.weather = scenario.weather; });
  }
}
