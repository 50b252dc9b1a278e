/**
 * One simulated process: a tallystick over its own link to the store. It may die at any moment, between two
 * events or while it sends; whoever waits for it then never hears of it again.
 */
import assert from 'node:assert/strict';
import { TallystickError } from '../../packages/core/src/errors.ts';
import type { AddItem, AddOptions, Refusal } from '../../packages/core/src/counters.ts';
import type { AddResult } from '../../packages/core/src/model/add-result.ts';
import { inRange } from '../../packages/core/src/model/amount.ts';
import type { Batch } from '../../packages/core/src/model/batch.ts';
import type { Store } from '../../packages/core/src/store.ts';
import { composeTallystick, type CloseReport, type Tallystick, type TallystickEvent } from '../../packages/core/src/tallystick.ts';
import type { Environment } from '../../packages/core/src/lanes/environment.ts';
import type { Ask, History } from './history.ts';
import { DECLARATIONS, kindOf } from './keys.ts';
import { Link, type Network } from './network.ts';
import type { Scenario } from './scenario.ts';
import type { Life } from './world.ts';

/** Puts something between a process and its link: the identity, or a fault that the assertions must find. */
export type Meddle = (store: Store) => Store;

/** What a process stands on. */
export interface Ground {
  readonly network: Network;
  readonly history: History;
  readonly scenario: Scenario;
  readonly meddle: Meddle;
}

/** Batches that a process said were lost. */
interface Gap {
  readonly source: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
  /** When it said so. */
  readonly atMs: number;
}

export class Process implements Life {
  readonly name: string;
  alive = true;
  /** Callers that have not finished. */
  busy = 0;
  /** Whether it was there until faults had ended, and so could send again whatever the store had lost. */
  stayed = false;
  report: CloseReport | undefined;
  /** Amounts this process said were dropped, by key. */
  readonly dropped = new Map<string, number[]>();
  readonly environment: Environment;
  readonly tallystick: Tallystick;
  readonly #ground: Ground;
  readonly #gaps: Gap[] = [];
  /** By partition: the source its lane sent the newest batch under. */
  readonly #sources = new Map<number, string>();
  #closing = false;

  constructor(name: string, ground: Ground) {
    this.name = name;
    this.#ground = ground;
    const { network, scenario, meddle } = ground;
    this.environment = network.world.environmentOf(this);
    const plain = scenario.keys.every((key) => ['unit', 'mixed', 'huge'].includes(kindOf(key)));
    this.tallystick = composeTallystick({
      store: this.#observe(meddle(new Link(network, this))),
      counters: plain ? {} : DECLARATIONS,
      flushEveryMs: scenario.flushEveryMs,
      flushAfterAdds: scenario.flushAfterAdds,
      maxPending: scenario.maxPending,
      onEvent: this.#onEvent,
    }, this.environment);
  }

  /** Whether it takes work. */
  get isOpen(): boolean {
    return this.alive && !this.#closing;
  }

  /** Whether everything it took was answered before it closed. */
  get isSettled(): boolean {
    return this.report?.unsettled === 0;
  }

  /** What this process said was lost. */
  get gaps(): readonly Gap[] {
    return this.#gaps;
  }

  get lostBatches(): number {
    return this.#gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  }

  /**
   * What became of a batch that the store lost: `reported` as lost in a gap; `renamed`, that is sent again
   * under the source that followed; `givenUp`, when it was lost only after its source had been; else `kept`.
   */
  fateOf({ source, partition, seq }: Batch): 'reported' | 'renamed' | 'givenUp' | 'kept' {
    const gap = this.#gaps.find((one) => one.source === source && one.partition === partition);
    if (gap === undefined) return 'kept';
    if (seq > gap.to) return 'renamed';
    return seq < gap.from ? 'givenUp' : 'reported';
  }

  async close(timeoutMs: number): Promise<void> {
    this.#closing = true;
    this.#ground.network.world.note(() => `${this.name} closes`);
    const report = await this.tallystick.close({ timeoutMs });
    if (!this.alive) return;
    this.report = report;
    this.#ground.network.world.note(() => `${this.name} closed, ${report.unsettled} unsettled`);
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.environment.after(delayMs, resolve));
  }

  /** Calls `add`, and writes down what the caller is told. */
  async add(key: string, delta: number, options?: AddOptions): Promise<Ask> {
    const { history, network: { world } } = this.#ground;
    const ask = history.ask(this.name, key, delta, options?.requestId);
    const untilMs = world.nowMs + (options?.timeoutMs ?? Infinity);
    const result = await this.tallystick.counters.add(key, delta, options).catch(asRefusal);
    if (this.alive) assert.ok(world.nowMs <= untilMs, `${key}: told ${world.nowMs - untilMs} ms after its deadline`);
    this.#tell(ask, result);
    return ask;
  }

  async addMany(items: readonly AddItem[]): Promise<void> {
    const asks = items.map(({ key, delta = 1, requestId }) => this.#ground.history.ask(this.name, key, delta, requestId));
    const results = await this.tallystick.counters.addMany(items);
    for (const [i, ask] of asks.entries()) this.#tell(ask, results[i]!);
  }

  tally(key: string, delta: number): void {
    const ask = this.#ground.history.ask(this.name, key, delta);
    try {
      this.tallystick.counters.tally(key, delta);
      this.#ground.history.tell(ask, 'absorbed');
    } catch (error) {
      this.#tell(ask, asRefusal(error));
    }
  }

  #tell(ask: Ask, result: AddResult | Refusal): void {
    if (!this.alive) return;
    const { history, network } = this.#ground;
    assert.ok(!('ttlMs' in result) || result.ttlMs > 0, `${ask.key}: told to live for ${JSON.stringify(result)}`);
    network.world.note(() => `${this.name} ${ask.key} ${ask.delta} ${ask.requestId ?? ''}: ${JSON.stringify(result)}`);
    if (result.outcome === 'refused' && result.value !== undefined) {
      assert.ok(!inRange(result.value + ask.delta), `${ask.key}: ${ask.delta} was refused at ${result.value}, where it fits`);
    }
    if (result.outcome === 'refused') history.tell(ask, result.code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'refused');
    else history.tell(ask, result.outcome, { value: result.value, added: result.delta, replayed: result.replayed === true });
  }

  readonly #onEvent = (event: TallystickEvent): void => {
    this.#ground.network.world.note(() => `${this.name} says ${event.type} ${'partition' in event ? event.partition : 'key' in event ? event.key : ''}`);
    if (event.type === 'gap') {
      const { partition, from, to } = event;
      this.#gaps.push({ source: this.#sources.get(partition)!, partition, from, to, atMs: this.#ground.network.world.nowMs });
    } else if (event.type === 'dropped') {
      this.dropped.set(event.key, [...(this.dropped.get(event.key) ?? []), event.delta]);
    }
  };

  /** Notes the source of each lane, which events do not tell. */
  #observe(store: Store): Store {
    return {
      partitions: store.partitions,
      mayLose: store.mayLose === true,
      apply: (batch: Batch) => {
        this.#sources.set(batch.partition, batch.source);
        return store.apply(batch);
      },
      read: (partition, queries) => store.read(partition, queries),
      close: () => store.close(),
    };
  }
}

/** The refusals a caller must reckon with; anything else is a fault of the program. */
const EXPECTED = new Set(['TIMEOUT', 'OVERLOADED', 'CLOSED', 'OUT_OF_RANGE', 'OUTCOME_UNKNOWN']);

function asRefusal(error: unknown): Refusal {
  if (!(error instanceof TallystickError) || !EXPECTED.has(error.code)) throw error;
  return { outcome: 'refused', code: error.code, msg: error.message };
}
