/** The composition of lanes and counters over a store. */
import type { Counters } from './counters.ts';
import { Declarations } from './declarations.ts';
import { TallystickError } from './errors.ts';
import { LaneCounters } from './lane-counters.ts';
import { Breaker } from './lanes/breaker.ts';
import type { Environment } from './lanes/environment.ts';
import type { LaneEvent } from './lanes/events.ts';
import { Lane } from './lanes/lane.ts';
import { Latency, type LatencyStats } from './lanes/latency.ts';
import { Denials } from './limits-denials.ts';
import { LaneLimits } from './limits-in-lanes.ts';
import { Outage } from './limits-outage.ts';
import { LimitRules } from './limits-rules.ts';
import type { Calendar, LimitOptions, Limits } from './limits.ts';
import { nodeEnvironment } from './lanes/node-environment.ts';
import { Reads } from './lanes/reads.ts';
import { Tallies } from './lanes/tallies.ts';
import { checkDurationMs } from './model/amount.ts';
import { checkFunction, checkObject, checkOptions, checkWhole, unexpected } from './model/check.ts';
import type { CounterOptions } from './model/counter-type.ts';
import { partitionOf } from './model/partition.ts';
import { copyId } from './near/copy-id.ts';
import { Near, type NearStats } from './near/near.ts';
import { checkNear, type NearOptions } from './near/options.ts';
import { Sharded } from './sharded.ts';
import type { Store } from './store.ts';

/** What an operator should know. */
export type TallystickEvent = LaneEvent;

/** Settings of {@link createTallystick}. */
export interface TallystickOptions {
  /** Where the counters live. It is closed with the tallystick. */
  readonly store: Store;
  /**
   * Counter types by key: a whole key, or a beginning followed by `*` (the longest wins).
   *
   * @example { 'article:read:*': { type: 'batched' }, 'article:like:*': { min: 0 } }
   */
  readonly counters?: Readonly<Record<string, CounterOptions>>;
  /** `batched` counters are flushed this often. Default 100 ms; 1 to 60,000. */
  readonly flushEveryMs?: number;
  /** … or as soon as so many adds were absorbed. Default 1,000,000. */
  readonly flushAfterAdds?: number;
  /**
   * The most callers waiting at one partition, and the most distinct keys with unflushed amounts; beyond,
   * adds are refused with `OVERLOADED`. Default 1,000,000.
   */
  readonly maxPending?: number;
  /** Answers readings by copies of what was read lately. Default: none, every read asks the store. */
  readonly near?: NearOptions;
  /** Limits by name. */
  readonly limits?: Readonly<Record<string, LimitOptions>>;
  /** Knows time zones, for limits of the algorithm `calendar`: that of `tallystick/calendar`. Default: there are no such limits. */
  readonly calendar?: Calendar;
  /** For how long, at most, a denial is given again without the store; 0 for never. Default 1,000 ms; at most 60,000. */
  readonly rememberDenialsMs?: number;
  /** How long a take whose rules have `onOutage` waits for the store before that holds. Default 50 ms; 1 to 60,000. */
  readonly fallBackAfterMs?: number;
  /** Told of what an operator should know: re-sends, gaps, outages, repairs, drops. Must not throw. Default: nobody. */
  readonly onEvent?: (event: TallystickEvent) => void;
}

/** What {@link Tallystick.close} found. */
export interface CloseReport {
  /** Operations, and keys with unflushed amounts, whose outcome was not known when the time was up. 0: nothing was lost. */
  readonly unsettled: number;
}

/** Running totals since the start, and what is pending now. */
export interface TallystickStats {
  /** Operations that callers asked for and that were sealed. */
  readonly operations: number;
  /** Operations left of them after combining. */
  readonly entries: number;
  readonly batches: number;
  readonly resends: number;
  /** Adds refused with `OVERLOADED`. */
  readonly refused: number;
  /** Counters that should expire and were found without an expiry. */
  readonly repairs: number;
  /** Batches that a store lost and that could not be re-sent any more. */
  readonly lostBatches: number;
  /** Callers waiting for an answer now. */
  readonly waiting: number;
  /** Operations that callers were told are accepted, and that the store has not answered yet. Without those in tallies. */
  readonly accepted: number;
  /** Partitions whose store is away now: a batch has waited half a second for its answer. */
  readonly away: number;
  /** How long batches take, from their sealing to their answer. */
  readonly latency: LatencyStats;
  /** Distinct keys of `batched` counters held in this process now. */
  readonly tallies: number;
  /** Takes and peeks of limits that were answered by `onOutage` of their rules. */
  readonly fallbacks: number;
  /** Of the near cache, where there is one. */
  readonly near?: NearStats;
}

/** Counters over one store. */
export interface Tallystick extends AsyncDisposable {
  readonly counters: Counters;
  /** Whether a subject may, under one or several rules. */
  readonly limits: Limits;
  /** Figures for metrics; cheap to read. */
  stats(): TallystickStats;
  /**
   * Takes no more work, flushes everything, waits for the answers, and closes the store. Calling it again
   * gives the same promise.
   *
   * @param options.timeoutMs How long to wait for the store. Default 30,000.
   */
  close(options?: { readonly timeoutMs?: number }): Promise<CloseReport>;
}

const DEFAULTS = { flushEveryMs: 100, flushAfterAdds: 1_000_000, maxPending: 1_000_000, rememberDenialsMs: 1000, fallBackAfterMs: 50, closeTimeoutMs: 30_000 };
const KNOWN = ['store', 'counters', 'flushEveryMs', 'flushAfterAdds', 'maxPending', 'near', 'limits', 'calendar', 'rememberDenialsMs', 'fallBackAfterMs', 'onEvent'] as const;
const CLOSE_FIELDS = ['timeoutMs'] as const;

/**
 * Creates counters over a store.
 *
 * @throws TallystickError `INVALID_CONFIG`, naming the option.
 * @example
 * const tallystick = createTallystick({ store: memoryStore() })
 * const { value } = await tallystick.counters.add('article:like:42') // 1
 * await tallystick.close()
 */
export function createTallystick(options: TallystickOptions): Tallystick {
  return composeTallystick(options, nodeEnvironment);
}

/** As {@link createTallystick}, in a world of the caller's making. */
export function composeTallystick(options: TallystickOptions, environment: Environment): Tallystick {
  check(options);
  const { store, counters: byPattern = {}, onEvent = () => undefined, maxPending = DEFAULTS.maxPending } = options;
  const { flushEveryMs = DEFAULTS.flushEveryMs, flushAfterAdds = DEFAULTS.flushAfterAdds } = options;
  const declarations = new Declarations(byPattern);
  const near = options.near === undefined ? undefined : new Near(checkNear(options.near), environment);
  const partitions = Array.from({ length: store.partitions }, (_, partition) => partition);
  const breaker = new Breaker({
    environment,
    onEvent: (event) => {
      onEvent(event);
      if (event.type === 'recovered') tallies.flush();
    },
  });
  const latency = new Latency();
  const onStoreClosed = (): void => { tallies.shut(); };
  const lanes = partitions.map((partition) => new Lane({ store, partition, environment, maxPending, onEvent, onStoreClosed, breaker, latency }));
  const laneOf = (key: string): Lane => lanes[partitionOf(key, lanes.length)] as Lane;
  const reads = partitions.map((partition) => new Reads(store, partition, environment));
  const tallies = new Tallies({
    environment,
    flushEveryMs,
    flushAfterAdds,
    maxPending,
    onEvent,
    termsOf: (key) => tallyTerms(declarations, key),
    isAway: (key) => breaker.away > 0 && laneOf(key).isAway,
    handOver: (op, resolve, reject) => {
      const told = near === undefined ? resolve : near.watched(copyId(op, false), true, resolve);
      laneOf(op.key).takeOver(op, told, reject);
    },
  });
  const sharded = store.isSpread === true && store.partitions > 1 ? new Sharded({ lanes, reads, environment }) : undefined;
  const counters = new LaneCounters({ lanes, reads, tallies, declarations, environment, sharded, near });
  const outages = lanes.map((lane) => new Outage({ lane, environment, waitMs: options.fallBackAfterMs ?? DEFAULTS.fallBackAfterMs, onEvent }));
  const limits = new LaneLimits({ lanes, outages, ...limitParts(options), environment });
  return new ComposedTallystick({ store, lanes, tallies, environment, breaker, latency, near }, counters, limits);
}

interface Parts {
  readonly store: Store;
  readonly lanes: readonly Lane[];
  readonly tallies: Tallies;
  readonly environment: Environment;
  readonly breaker: Breaker;
  readonly latency: Latency;
  readonly near: Near | undefined;
}

class ComposedTallystick implements Tallystick {
  readonly counters: Counters;
  readonly limits: LaneLimits;
  readonly #parts: Parts;
  #closing: Promise<CloseReport> | undefined;

  constructor(parts: Parts, counters: Counters, limits: LaneLimits) {
    this.#parts = parts;
    this.counters = counters;
    this.limits = limits;
  }

  stats(): TallystickStats {
    const { lanes, tallies, near, breaker, latency } = this.#parts;
    const sum = (figure: (lane: Lane) => number): number => lanes.reduce((total, lane) => total + figure(lane), 0);
    return {
      operations: sum(({ totals }) => totals.operations),
      entries: sum(({ totals }) => totals.entries),
      refused: sum(({ totals }) => totals.refused),
      repairs: sum(({ totals }) => totals.repairs),
      batches: sum(({ flown }) => flown.batches),
      resends: sum(({ flown }) => flown.resends),
      lostBatches: sum(({ flown }) => flown.lostBatches),
      waiting: sum(({ waiting }) => waiting),
      accepted: sum(({ accepted }) => accepted),
      away: breaker.away,
      latency: latency.stats,
      tallies: tallies.size,
      fallbacks: this.limits.fallbacks,
      ...(near !== undefined && { near: near.stats }),
    };
  }

  close(options: { readonly timeoutMs?: number } = {}): Promise<CloseReport> {
    if (this.#closing !== undefined) return this.#closing;
    const { timeoutMs = DEFAULTS.closeTimeoutMs } = checkOptions(options, CLOSE_FIELDS, 'INVALID_ARGUMENT');
    this.#closing = this.#close(checkDurationMs(timeoutMs, 'timeoutMs', 0));
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(timeoutMs: number): Promise<CloseReport> {
    const { lanes, tallies, environment, breaker, store } = this.#parts;
    let callOff = (): void => undefined;
    const timeUp = new Promise<void>((resolve) => (callOff = environment.after(timeoutMs, resolve)));
    try {
      await Promise.race([this.#drain(), timeUp]);
      const unflushed = tallies.abandon();
      const unsettled = lanes.reduce((left, lane) => left + lane.abandon(), unflushed);
      breaker.stop();
      await Promise.race([store.close(), timeUp]);
      return { unsettled };
    } finally {
      callOff();
    }
  }

  async #drain(): Promise<void> {
    const { lanes, tallies } = this.#parts;
    this.limits.handOver();
    for (const lane of lanes) lane.shut();
    await tallies.drain();
    await Promise.all(lanes.map((lane) => lane.drain()));
  }
}

/** The terms of a key that is counted without waiting. */
function tallyTerms(declarations: Declarations, key: string): ReturnType<Declarations['of']>['terms'] {
  const declared = declarations.find(key);
  if (declared === undefined || declared.type === 'batched') return declared?.terms;
  const message = `key: declared ${declared.type}, and only batched counters can be counted without waiting`;
  throw new TallystickError('INVALID_ARGUMENT', message, { field: 'key' });
}

function limitParts({ limits = {}, calendar, rememberDenialsMs = DEFAULTS.rememberDenialsMs }: TallystickOptions): { rules: LimitRules; denials: Denials } {
  return { rules: new LimitRules(limits, { calendar, atMs: Date.now() }), denials: new Denials(rememberDenialsMs) };
}

function check(options: TallystickOptions): void {
  const { store, counters, flushEveryMs, flushAfterAdds, maxPending, limits, rememberDenialsMs, fallBackAfterMs, onEvent } = checkOptions(options, KNOWN);
  if (!isStore(store)) throw unexpected('store', 'a store such as memoryStore()', store);
  if (counters !== undefined) checkObject(counters, 'counters', 'INVALID_CONFIG');
  if (limits !== undefined) checkObject(limits, 'limits', 'INVALID_CONFIG');
  checkWhole(rememberDenialsMs, 'rememberDenialsMs', [0, 60_000]);
  checkWhole(fallBackAfterMs, 'fallBackAfterMs', [1, 60_000]);
  checkWhole(flushEveryMs, 'flushEveryMs', [1, 60_000]);
  checkWhole(flushAfterAdds, 'flushAfterAdds', [1, Number.MAX_SAFE_INTEGER]);
  checkWhole(maxPending, 'maxPending', [1, 16_000_000]);
  checkFunction(onEvent, 'onEvent');
  checkFunction(options.calendar, 'calendar');
}

const isStore = (store: unknown): boolean => typeof store === 'object' && store !== null && 'apply' in store && 'partitions' in store;
