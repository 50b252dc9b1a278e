/** What the callers of a process do: every way of counting, with pauses, deadlines and patience of their own. */
import assert from 'node:assert/strict';
import { TallystickError } from '../../packages/core/src/errors.ts';
import type { Ask, History } from './history.ts';
import { amountFor, kindOf, TTL_MS } from './keys.ts';
import type { Process } from './process.ts';
import type { Random } from './random.ts';
import type { Scenario } from './scenario.ts';
import type { Server } from './server.ts';

/** What callers share. */
export interface Setting {
  readonly scenario: Scenario;
  readonly random: Random;
  readonly history: History;
  readonly server: Server;
  /** Takes over a request id whose process is gone. */
  readonly orphan: (ask: Ask) => void;
}

const MOST_TRIES = 4;

export class Caller {
  readonly #setting: Setting;
  readonly #process: Process;

  constructor(setting: Setting, process: Process) {
    this.#setting = setting;
    this.#process = process;
  }

  /** Makes its calls, until they are made or the process takes no more. */
  async run(): Promise<void> {
    const { scenario, random } = this.#setting;
    for (let call = 0; call < scenario.calls && this.#process.isOpen; call++) {
      await this.#process.sleep(random.next() * 2 * scenario.paceMs);
      await Promise.all(Array.from({ length: random.between(1, scenario.burst) }, () => this.#call()));
    }
  }

  /** Asks under a request id until there is an answer. */
  async insist(key: string, delta: number, requestId: string): Promise<void> {
    const { random } = this.#setting;
    for (let tries = 0; tries < MOST_TRIES && this.#process.isOpen; tries++) {
      const timeoutMs = random.between(1, 300);
      const ask = await this.#process.add(key, delta, { requestId, ...(random.chance(0.8) && { timeoutMs }) });
      if (ask.outcome === 'unknown') this.#setting.orphan(ask);
      // Now and then it has not heard the answer, and asks again.
      if (ask.outcome === 'unknown' || (ask.outcome === 'applied' && random.chance(0.7))) return;
      await this.#process.sleep(random.between(0, 100));
    }
  }

  async #call(): Promise<void> {
    const { random, scenario } = this.#setting;
    const key = random.pick(scenario.keys);
    const dice = random.next();
    if (kindOf(key) === 'batched' && dice < 0.5) this.#process.tally(key, amountFor(key, random));
    else if (dice < 0.3) await this.#process.add(key, amountFor(key, random));
    else if (dice < 0.5) await this.#process.add(key, amountFor(key, random), { timeoutMs: random.between(1, 200) });
    else if (dice < 0.7) await this.insist(key, amountFor(key, random), `${this.#process.name}-${this.#setting.history.asks.length}`);
    else if (dice < 0.8) await this.#many();
    else await this.#read(key);
  }

  async #many(): Promise<void> {
    const { random, scenario } = this.#setting;
    const items = Array.from({ length: random.between(0, 6) }, () => {
      const key = random.pick(scenario.keys);
      return { key, delta: amountFor(key, random) };
    });
    await this.#process.addMany(items);
  }

  async #read(key: string): Promise<void> {
    const { history, server } = this.#setting;
    const bounds = history.reading(key);
    const reading = await this.#process.tallystick.counters.get(key).catch((error: unknown) => {
      if (error instanceof TallystickError && (error.code === 'STORE_UNAVAILABLE' || error.code === 'CLOSED')) return undefined;
      throw error;
    });
    if (reading === undefined || !this.#process.alive) return;
    const { least, most } = bounds();
    const { value, ttlMs = 1, exact } = reading;
    const told = `${key} read as ${value} by ${this.#process.name}, possible were ${least} to ${most}`;
    // What a store has lost and not got back again is missing for a while; what it gets back was decided by
    // the clock of another node.
    assert.ok(ttlMs > 0 && (ttlMs <= TTL_MS || server.losses > 0), `${key} has ${ttlMs} ms to live`);
    if (exact && (server.losses === 0 || kindOf(key) === 'unit')) assert.ok(value <= most, told);
    if (exact && server.losses === 0) assert.ok(value >= least, told);
  }
}
