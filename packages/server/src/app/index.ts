/**
 * The use cases of a node. They know no transport: a request comes in as parsed from the wire, a reply is a
 * plain object, a refusal a thrown `TallystickError`. HTTP and gRPC put both into their own words.
 */
import {
  createTallystick,
  memoryStore,
  type AddResult,
  type ChangeResult,
  type CloseReport,
  type NearOptions,
  type Decision,
  type LimitOptions,
  type NamedLimit,
  type Store,
  type Tallystick,
  type TallystickEvent,
  type TallystickStats,
} from 'tallystick';
import { calendar } from 'tallystick/calendar';
import { Businesses, type BusinessDeclarations } from './businesses.ts';
import { addCounter, addCounters, type AddCountersReply } from './add-counters.ts';
import type { Call, Context } from './context.ts';
import { declaredTypes, type Declarations } from './counter-type.ts';
import { Figures } from './figures.ts';
import { addFreq, batchAddFreq, batchGetFreq, getFreq, type FreqBatchReply, type FreqReply } from './frequency.ts';
import { getCounter, getCounters, type CounterValue, type GetCountersReply } from './get-counters.ts';
import { Guard, type GuardDenial, type GuardOptions } from './guard/guard.ts';
import { readiness, type Readiness } from './health.ts';
import {
  blockSubject,
  checkLimits,
  checkLimitsOfMany,
  peekLimits,
  penalizeLimits,
  refundLimits,
  releaseLimits,
  resetLimits,
  rulesOf,
  unblockSubject,
  type CheckLimitsReply,
} from './limits.ts';
import { countLikes, countLikesOfMany, like, unlike, type CountReply, type LikeReply } from './like.ts';
import { RulesEngine, type LiveRules } from './rules/index.ts';
import { Shedding, type SheddingOptions } from './shedding.ts';
import { timelyStore } from './timely-store.ts';

export type { AddCountersReply, CounterResult } from './add-counters.ts';
export type { Call } from './context.ts';
export type { Declarations } from './counter-type.ts';
export { BUCKETS_SECONDS, type Figures, type ResponseTimes } from './figures.ts';
export type { FreqBatchReply, FreqReply } from './frequency.ts';
export type { CounterValue, GetCountersReply } from './get-counters.ts';
export type { Readiness } from './health.ts';
export type { CountReply, LikeReply } from './like.ts';
export { parseNetwork, type Network } from './guard/client-address.ts';
export type { GuardDenial, GuardOptions } from './guard/guard.ts';
export type { CheckLimitsReply } from './limits.ts';
export { ApiKeys, digestOf, ROLES, type ApiKey, type Role } from './api-keys.ts';
export type { Tls } from './tls.ts';
export type { Shedding, SheddingOptions } from './shedding.ts';
export type { Log } from './log.ts';
export { toldOf } from './told.ts';
export { oldestStandInMs, type BusinessDeclarations } from './businesses.ts';
export { inWords, LiveRules, readRules, type Descriptor, type DescriptorStatus, type Entry, type RulesDecision, type RulesEngine } from './rules/index.ts';

/** Limits by name. */
export type LimitDeclarations = Readonly<Record<string, LimitOptions>>;

/** Settings of {@link createApp}. */
export interface AppOptions {
  /** Where the counters live. It is closed with the app. */
  readonly store: Store;
  /** Counter types by key, as in the library. Default: every counter is `simple`. */
  readonly counters?: Declarations;
  /** Limits by name. */
  readonly limits?: LimitDeclarations;
  /** What businesses of frequency control have chosen, by business_id. Default: nothing. */
  readonly frequency?: BusinessDeclarations;
  /** Limits before likes. Default: none. */
  readonly guard?: GuardOptions | undefined;
  /** The rules of a rules file. They are closed with the app. Default: none. */
  readonly rules?: LiveRules;
  /** Refuses a part of the calls while this process is busy. Default: none. */
  readonly shedding?: SheddingOptions | undefined;
  /** `batched` counters are flushed this often. Default 100. */
  readonly flushEveryMs?: number;
  /** Answers reads by copies of what was read lately. Default: none. */
  readonly near?: NearOptions;
  /** The longest a call waits. Default 5,000. */
  readonly requestTimeoutMs?: number;
  /** The most items of one batch call, up to the library's 10,000. Default 1,000. */
  readonly maxBatchItems?: number;
  /** Told of what an operator should know. */
  readonly onEvent?: (event: TallystickEvent) => void;
}

/**
 * The use cases. Every one that takes a `request` checks it whole (its type is `unknown` for that reason)
 * and rejects with a `TallystickError` when it is refused; the files named like the use cases say what a
 * request looks like.
 */
export interface App {
  addCounter(key: string, request?: unknown, call?: Call): Promise<AddResult & { readonly key: string }>;
  addCounters(request: unknown, call?: Call): Promise<AddCountersReply>;
  getCounter(key: string, request?: unknown, call?: Call): Promise<CounterValue>;
  getCounters(request: unknown, call?: Call): Promise<GetCountersReply>;
  like(request: unknown, call?: Call): Promise<LikeReply | GuardDenial>;
  unlike(request: unknown, call?: Call): Promise<LikeReply | GuardDenial>;
  countLikes(resourceId: string, call?: Call): Promise<CountReply>;
  countLikesOfMany(request: unknown, call?: Call): Promise<readonly CountReply[]>;
  addFreq(request: unknown, call?: Call): Promise<FreqReply>;
  batchAddFreq(request: unknown, call?: Call): Promise<FreqBatchReply>;
  getFreq(request: unknown, call?: Call): Promise<FreqReply>;
  batchGetFreq(request: unknown, call?: Call): Promise<FreqBatchReply>;
  checkLimits(request: unknown, call?: Call): Promise<Decision>;
  checkLimitsOfMany(request: unknown, call?: Call): Promise<CheckLimitsReply>;
  peekLimits(request: unknown, call?: Call): Promise<Decision>;
  refundLimits(request: unknown, call?: Call): Promise<ChangeResult>;
  releaseLimits(request: unknown, call?: Call): Promise<ChangeResult>;
  penalizeLimits(request: unknown, call?: Call): Promise<ChangeResult>;
  resetLimits(request: unknown, call?: Call): Promise<ChangeResult>;
  blockSubject(request: unknown, call?: Call): Promise<ChangeResult>;
  unblockSubject(request: unknown, call?: Call): Promise<ChangeResult>;
  /** The rules of a request that was checked, in full. */
  rulesOf(request: unknown): readonly NamedLimit[];
  /** Limits by the rules of a rules file, where there is one. */
  readonly rules: RulesEngine | undefined;
  /** Whether calls would be served now. Never rejects. */
  readiness(): Promise<Readiness>;
  /** Asked by transports before a call of any use case but readiness; undefined when every call is let pass. */
  readonly shedding: Shedding | undefined;
  /** For metrics: what use cases and transports recorded. */
  readonly figures: Figures;
  /** For metrics: what the lanes did. */
  stats(): TallystickStats;
  /**
   * Takes no more work (calls are refused with `CLOSED`), answers what was taken, flushes and closes the
   * store, within `timeoutMs`.
   */
  close(timeoutMs: number): Promise<CloseReport>;
}

const REQUEST_TIMEOUT_MS = 5000;
const MAX_BATCH_ITEMS = 1000;

/**
 * Checks what is declared of counters, limits and businesses without a store of their own kind: none is opened, nothing is written.
 *
 * @throws TallystickError `INVALID_CONFIG`, naming the pattern or rule and the field.
 */
export async function checkDeclarations(declared: Pick<AppOptions, 'counters' | 'limits' | 'frequency'>): Promise<void> {
  const { counters = {}, limits = {}, frequency = {} } = declared;
  new Businesses(frequency, false);
  await createTallystick({ store: memoryStore(), counters, limits, calendar }).close();
}

/** Creates the use cases over a store. */
export function createApp(options: AppOptions): App {
  const figures = new Figures();
  const { store, counters = {}, limits = {}, frequency = {}, flushEveryMs, near } = options;
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS, maxBatchItems = MAX_BATCH_ITEMS } = options;
  const businesses = new Businesses(frequency, near !== undefined);
  const tallystick = createTallystick({
    store: timelyStore(store, requestTimeoutMs),
    counters,
    limits,
    calendar,
    ...(flushEveryMs !== undefined && { flushEveryMs }),
    ...(near !== undefined && { near }),
    onEvent: (event) => {
      figures.countEvent(event.type);
      options.onEvent?.(event);
    },
  });
  const context: Context = {
    counters: tallystick.counters,
    limits: tallystick.limits,
    businesses,
    guard: options.guard && new Guard(tallystick.limits, figures, options.guard),
    figures,
    requestTimeoutMs,
    maxBatchItems,
    partitionsAway: () => tallystick.stats().away,
    typeOfKey: declaredTypes(counters),
    isDeclaredLimit: (rule) => Object.hasOwn(limits, rule),
  };
  const rules = rulesOver(tallystick, figures, options.rules);
  const shedding = options.shedding && new Shedding(figures, options.shedding);
  return { ...useCases(context), ...lifeOf(tallystick, context, rules), rules, shedding, figures, stats: () => tallystick.stats() };
}

function useCases(context: Context): Omit<App, 'rules' | 'readiness' | 'figures' | 'shedding' | 'stats' | 'close'> {
  return {
    addCounter: (key, request, call) => addCounter(context, key, request, call),
    addCounters: (request, call) => addCounters(context, request, call),
    getCounter: (key, request, call) => getCounter(context, key, request, call),
    getCounters: (request, call) => getCounters(context, request, call),
    like: (request, call) => like(context, request, call),
    unlike: (request, call) => unlike(context, request, call),
    countLikes: (resourceId, call) => countLikes(context, resourceId, call),
    countLikesOfMany: (request, call) => countLikesOfMany(context, request, call),
    addFreq: (request, call) => addFreq(context, request, call),
    batchAddFreq: (request, call) => batchAddFreq(context, request, call),
    getFreq: (request, call) => getFreq(context, request, call),
    batchGetFreq: (request, call) => batchGetFreq(context, request, call),
    checkLimits: (request, call) => checkLimits(context, request, call),
    checkLimitsOfMany: (request, call) => checkLimitsOfMany(context, request, call),
    peekLimits: (request, call) => peekLimits(context, request, call),
    refundLimits: (request, call) => refundLimits(context, request, call),
    releaseLimits: (request, call) => releaseLimits(context, request, call),
    penalizeLimits: (request, call) => penalizeLimits(context, request, call),
    resetLimits: (request, call) => resetLimits(context, request, call),
    blockSubject: (request, call) => blockSubject(context, request, call),
    unblockSubject: (request, call) => unblockSubject(context, request, call),
    rulesOf: (request) => rulesOf(context, request),
  };
}

function rulesOver({ limits }: Tallystick, figures: Figures, live: LiveRules | undefined): RulesEngine | undefined {
  return live && new RulesEngine({ live, limits, figures, onUncharged: () => figures.countEvent('uncharged') });
}

function lifeOf(tallystick: Tallystick, context: Context, rules: RulesEngine | undefined): Pick<App, 'readiness' | 'close'> {
  let closing = false;
  return {
    readiness: async () => (closing ? { ready: false, reason: 'draining' } : readiness(context)),
    close: async (timeoutMs) => {
      closing = true;
      // First, as what it has to charge is drained with the rest.
      const charged = rules?.close();
      const report = await tallystick.close({ timeoutMs });
      await charged;
      return report;
    },
  };
}
