/**
 * Random histories: what several sources send to a store, what is read, and how the clock moves. Drawn as
 * small commands and then laid out as concrete steps, so that fast-check shrinks a failure to the few
 * batches that matter and prints them as they were sent.
 */
import fc from 'fast-check';
import { MAX_VALUE } from '../model/amount.ts';
import { WINDOW, type Batch } from '../model/batch.ts';
import type { LimitRule } from '../model/limit.ts';
import type { Operation, Query, Terms } from '../model/operation.ts';
import { partitionOf } from '../model/partition.ts';

/** One step of a history. */
export type Step =
  | { readonly type: 'apply'; readonly batch: Batch }
  | { readonly type: 'read'; readonly partition: number; readonly queries: readonly Query[] }
  | { readonly type: 'clock'; readonly nowMs: number };

/** What happens, in this order. The clock stands at {@link HISTORY_STARTS_MS} before the first step. */
export type History = readonly Step[];

/** Settings of {@link histories}. */
export interface HistoryOptions {
  /** Number of partitions of the store; every operation is sent to the partition of its key. Default 1. */
  readonly partitions?: number;
  /** The most steps. Default 60. */
  readonly maxSteps?: number;
  /**
   * Which operations on limits there are: `none` for a store that does not keep them; `no-first` without windows that
   * begin at a take, whose effects do not tell when that was; `only` for nothing else, on two keys. Default `all`.
   */
  readonly limits?: 'all' | 'no-first' | 'none' | 'only';
}

/** When every history begins. */
export const HISTORY_STARTS_MS = 1_700_000_000_000;

/** How long a store under a random history should remember request ids: short, so that they also expire. */
export const HISTORY_RETENTION_MS = 3000;

/** Keys that a careless store takes for one another, for a property of an object or for a pattern. */
const KEYS = [
  'a', 'b', 'c', 'd', 'key', 'KEY', 'key ', 'caf\u00e9', 'cafe\u0301', '__proto__', 'constructor', 'log:50:a', 'a\0b', '{a}b', '*',
];

const terms = fc.constantFrom<Terms | undefined>(
  undefined,
  undefined,
  { kind: 'count', min: 0 },
  { kind: 'count', min: -3, max: 5 },
  { kind: 'count', max: 4, ttlMs: 700 },
  { kind: 'count', ttlMs: 40 },
  { kind: 'count', ttlMs: 500, ends: [[100, 400], [900, 900], [2500, 3100], [88_000_000, 90_000_000]].map(([before, end]) => [HISTORY_STARTS_MS + before!, HISTORY_STARTS_MS + end!] as const) },
  { kind: 'log', windowMs: 50 },
  { kind: 'log', windowMs: 2000 },
  { kind: 'window', windowMs: 1000, slices: 3 },
  { kind: 'window', windowMs: 1000, slices: 10 },
  { kind: 'unique', windowMs: 60 },
  { kind: 'unique', windowMs: 2000 },
  { kind: 'sketch', windowMs: 1000, slices: 2 },
);

/** Rules of every algorithm, small enough to be used up. */
const RULES: readonly LimitRule[] = [
  { name: 'first', id: 'first', limit: 4, algorithm: 'fixed-window', windowMs: 90, align: 'first' },
  { name: 'clock', id: 'clock', limit: 5, algorithm: 'fixed-window', windowMs: 1000, align: 'clock' },
  { name: 'slices', id: 'slices', limit: 6, algorithm: 'sliding-window', windowMs: 300, slices: 4, mode: 'conservative' },
  { name: 'parts', id: 'parts', limit: 6, algorithm: 'sliding-window', windowMs: 300, slices: 3, mode: 'interpolated' },
  { name: 'log', id: 'log', limit: 5, algorithm: 'sliding-log', windowMs: 120 },
  { name: 'bucket', id: 'bucket', limit: 7, algorithm: 'token-bucket', windowMs: 500, burst: 4 },
  { name: 'leases', id: 'leases', limit: 3, algorithm: 'concurrency', leaseMs: 400 },
  { name: 'calendar', id: 'calendar', limit: 4, algorithm: 'calendar', unit: 'day', timeZone: 'UTC', edges: [-5000, 0, 700, 2000, 90_000].map((ms) => HISTORY_STARTS_MS + ms) },
  { name: 'none', id: 'none', limit: 0, algorithm: 'sliding-log', windowMs: 50 },
];

/** Mostly takes. */
const limitsTerms = fc.record({
  kind: fc.constant('limits' as const),
  action: fc.constantFrom('take', 'take', 'take', 'take', 'peek', 'refund', 'penalize', 'reset', 'block', 'unblock'),
  rules: fc.subarray([...RULES], { maxLength: 3 }),
  cost: fc.constantFrom(1, 1, 2),
  blockMs: fc.constantFrom(30, 900),
});

const anyTerms = fc.oneof({ weight: 3, arbitrary: terms }, { weight: 1, arbitrary: limitsTerms });

const delta = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: -4, max: 6 }) },
  { weight: 1, arbitrary: fc.constantFrom(MAX_VALUE, -MAX_VALUE, MAX_VALUE - 2) },
  { weight: 1, arbitrary: fc.constantFrom(0.5, 2 ** 53) },
);

/** Request ids with the lifetime of each: shorter than the store's, its own, and one that the store cuts off. */
const REQUESTS = [
  { requestId: 'r1' },
  { requestId: 'r2' },
  { requestId: 'r3', requestTtlMs: 90 },
  { requestId: 'r4', requestTtlMs: 10 * HISTORY_RETENTION_MS },
];

const anyRequest = fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.constantFrom(...REQUESTS) });

/** An operation before its key and its time are known. */
const draftOf = (terms: fc.Arbitrary<Terms | undefined>, request: typeof anyRequest) => fc.record({
  key: fc.nat(KEYS.length - 1),
  delta,
  terms,
  member: fc.constantFrom('a', 'b', 'c', '__proto__', '\u{1f600}'),
  request,
  /** For amounts of several callers in one: their magnitudes beyond the sum. */
  combined: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(2, 10, MAX_VALUE) }),
  /** For effects: how long ago it was decided, and how much longer its counter lives. */
  lateMs: fc.integer({ min: -30, max: 2500 }),
  leftMs: fc.option(fc.integer({ min: -500, max: 1000 }), { nil: undefined }),
});

type Draft = ReturnType<typeof draftOf> extends fc.Arbitrary<infer T> ? T : never;

const clockMove = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 60 }) },
  { weight: 3, arbitrary: fc.integer({ min: 60, max: 3500 }) },
  { weight: 1, arbitrary: fc.integer({ min: -90_000_000, max: -1 }) },
  { weight: 1, arbitrary: fc.integer({ min: 80_000_000, max: 90_000_000 }) },
);

/** A lane: a source and a partition. The number of the partition is taken modulo how many there are. */
const lane = { source: fc.constantFrom('s1', 's2', '__proto__'), partition: fc.nat(63) };
const draftsOf = (draft: ReturnType<typeof draftOf>) => fc.array(draft, { maxLength: 6 });

/** @param sent What is in most batches. */
const commandOf = (sent: ReturnType<typeof draftsOf>, drafts = sent) => fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('send'), ...lane, drafts: sent }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('send'), ...lane, drafts }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('resend'), ...lane, back: fc.nat(WINDOW) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('skip'), ...lane, drafts }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('effects'), ...lane, drafts }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('clock'), byMs: clockMove }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('read'), partition: lane.partition, drafts }) },
);

const command = commandOf(draftsOf(draftOf(anyTerms, anyRequest)));

const takes = draftOf(limitsTerms.map((given) => ({ ...given, action: 'take' as const })), fc.constant({}));
/** Half of the batches hold takes alone, which a store may have a shorter way for. */
const limitsCommand = commandOf(draftsOf(takes), draftsOf(draftOf(limitsTerms, anyRequest)));

type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** Lays commands out as steps. */
class Layout {
  readonly #keys: string[][];
  /** Batches sent by each lane. */
  readonly #sent = new Map<string, Batch[]>();
  readonly #limits: NonNullable<HistoryOptions['limits']>;
  #nowMs = HISTORY_STARTS_MS;

  constructor(partitions: number, limits: NonNullable<HistoryOptions['limits']>) {
    this.#limits = limits;
    this.#keys = Array.from({ length: partitions }, (_, partition) => KEYS.filter((key) => partitionOf(key, partitions) === partition));
  }

  step(given: Command): Step | undefined {
    switch (given.type) {
      case 'clock':
        this.#nowMs = Math.max(0, this.#nowMs + given.byMs);
        return { type: 'clock', nowMs: this.#nowMs };
      case 'read': {
        const partition = given.partition % this.#keys.length;
        return { type: 'read', partition, queries: given.drafts.map((each) => ({ key: this.#key(partition, each), terms: this.#terms(each) })) };
      }
      case 'send':
      case 'resend':
      case 'skip':
      case 'effects':
        return this.#batch(given);
    }
  }

  #batch(given: Exclude<Command, { type: 'clock' | 'read' }>): Step | undefined {
    const partition = given.partition % this.#keys.length;
    const lane = `${partition}/${given.source}`;
    const sent = this.#sent.get(lane) ?? [];
    if (given.type === 'resend') {
      const batch = sent.at(-1 - given.back);
      return batch && { type: 'apply', batch };
    }
    const operations = given.drafts.map((each) => this.#operation(partition, each, given.type === 'effects'));
    const batch = { source: given.source, partition, seq: sent.length + (given.type === 'skip' ? 2 : 1), operations };
    if (given.type !== 'skip') this.#sent.set(lane, [...sent, batch]);
    return { type: 'apply', batch };
  }

  #key(partition: number, { key }: Draft): string {
    const all = this.#keys[partition] as string[];
    const keys = this.#limits === 'only' ? all.slice(0, 2) : all;
    return keys[key % keys.length] ?? 'a';
  }

  #terms({ terms }: Draft): Terms | undefined {
    if (terms?.kind !== 'limits' || this.#limits === 'all' || this.#limits === 'only') return terms;
    return this.#limits === 'none' ? undefined : { ...terms, rules: terms.rules.filter(({ id }) => id !== 'first') };
  }

  #operation(partition: number, given: Draft, decided: boolean): Operation {
    const { request, combined, lateMs, leftMs } = given;
    const terms = this.#terms(given);
    const isCount = terms === undefined || terms.kind === 'count';
    const sights = terms?.kind === 'unique' || terms?.kind === 'sketch';
    const atMs = this.#nowMs - lateMs;
    return {
      key: this.#key(partition, given),
      // Mostly 1 where members are counted, at times what must be refused there.
      delta: sights && Math.abs(given.delta) > 1 ? 1 : given.delta,
      ...(terms !== undefined && { terms }),
      ...((sights || terms?.kind === 'limits') && { member: given.member }),
      ...request,
      ...(isCount && combined !== undefined && { reach: Math.abs(given.delta) + combined }),
      ...(decided && { effect: { atMs, ...(isCount && leftMs !== undefined && { expiresAtMs: this.#nowMs + leftMs }) } }),
    };
  }
}

/**
 * An arbitrary of histories for property tests: batches of several sources with every kind of operation,
 * bounds, lifetimes, request ids and effects decided elsewhere; batches sent again, batches sent too early;
 * reads; a clock that moves on, leaps and is set back.
 *
 * @example fc.assert(fc.asyncProperty(histories(), async (history) => { … }))
 */
export function histories({ partitions = 1, maxSteps = 60, limits = 'all' }: HistoryOptions = {}): fc.Arbitrary<History> {
  return fc.array(limits === 'only' ? limitsCommand : command, { maxLength: maxSteps }).map((commands) => {
    const layout = new Layout(partitions, limits);
    return commands.map((each) => layout.step(each)).filter((step) => step !== undefined);
  });
}
