/** Counters over lanes: checks what comes in, finds the lane, and gives the results their public shape. */
import type { AddItem, AddManyOptions, AddOptions, CounterReading, Counters, GetItem, GetOptions, Refusal } from './counters.ts';
import { MAX_BATCH_ITEMS } from './counters.ts';
import type { Declarations, Declared } from './declarations.ts';
import { describe, TallystickError } from './errors.ts';
import { Deadlines } from './lanes/deadline.ts';
import type { Environment } from './lanes/environment.ts';
import { combines } from './lanes/entry.ts';
import type { Lane } from './lanes/lane.ts';
import type { Reads } from './lanes/reads.ts';
import type { Tallies, Tally } from './lanes/tallies.ts';
import type { AddResult } from './model/add-result.ts';
import { checkAmount, checkDurationMs } from './model/amount.ts';
import type { Reading } from './model/answer.ts';
import { checkObject } from './model/check.ts';
import type { CounterOnOutage } from './model/counter-type.ts';
import { checkKey } from './model/key.ts';
import type { Operation } from './model/operation.ts';
import { partitionOf } from './model/partition.ts';
import { copyId } from './near/copy-id.ts';
import type { Ages, Near, NearReading } from './near/near.ts';
import { MAX_STALE_MS } from './near/options.ts';
import type { Sharded } from './sharded.ts';

/** What the counters work with. */
export interface CounterParts {
  /** By partition. */
  readonly lanes: readonly Lane[];
  readonly reads: readonly Reads[];
  readonly tallies: Tallies;
  readonly declarations: Declarations;
  readonly environment: Environment;
  /** On a spread store; elsewhere a `sharded` counter is a `simple` one. */
  readonly sharded: Sharded | undefined;
  readonly near: Near | undefined;
}

/** A checked item: what goes to a lane, or to the first level. */
interface Prepared {
  readonly op: Operation;
  /** Absorbed first, unless it has a request id: what is repeatable must be decided by the store. */
  readonly batched: boolean;
  readonly shards: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly onOutage: CounterOnOutage | undefined;
}

/** What is absorbed, and where it would go otherwise. */
interface Absorbed {
  readonly op: Operation;
  readonly lane: Lane;
  readonly shards: number | undefined;
  readonly timeoutMs: number | undefined;
}

/** An operation that is still being put together. */
type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

/** What tells which of a key's counters is meant. */
type Which = Pick<Declared, 'terms' | 'shards'>;

const MAX_REQUEST_ID = 128;
/** A store that has not answered by then is as good as away. */
const LEARN_WITHIN_MS = 500;
const COUNTER_FIELDS: ReadonlySet<string> = new Set(['type', 'min', 'max', 'ttlMs', 'ends', 'windowMs', 'slices', 'shards', 'onOutage']);
const CALL_FIELDS: ReadonlySet<string> = new Set(['member', 'requestId', 'requestTtlMs', 'timeoutMs']);
const ITEM_FIELDS: ReadonlySet<string> = new Set(['key', 'delta', ...CALL_FIELDS]);

export class LaneCounters implements Counters {
  readonly #lanes: readonly Lane[];
  readonly #first: Lane;
  readonly #reads: readonly Reads[];
  readonly #tallies: Tallies;
  readonly #declarations: Declarations;
  readonly #environment: Environment;
  readonly #sharded: Sharded | undefined;
  readonly #near: Near | undefined;

  constructor({ lanes, reads, tallies, declarations, environment, sharded, near }: CounterParts) {
    this.#lanes = lanes;
    this.#first = lanes[0] as Lane;
    this.#reads = reads;
    this.#tallies = tallies;
    this.#declarations = declarations;
    this.#environment = environment;
    this.#sharded = sharded;
    this.#near = near;
  }

  add(key: string, delta = 1, options?: AddOptions): Promise<AddResult> {
    // The short way: an amount for a key where nothing is declared, and nobody watches. What is no key, any lane refuses.
    if (options === undefined && this.#declarations.isEmpty && Number.isSafeInteger(delta) && this.#near === undefined) {
      const lane = this.#lanes.length === 1 || typeof key !== 'string' ? this.#first : this.#lane(key);
      return lane.add(key, delta + 0, undefined);
    }
    return new Promise((resolve, reject) => {
      this.#submit(this.#prepare(key, delta, options), new Deadlines(this.#environment), resolve, reject);
    });
  }

  tally(key: string, delta = 1): void {
    this.#tallies.add(key, delta);
  }

  async get(key: string, options?: GetOptions): Promise<CounterReading> {
    checkKey(key);
    const which = options === undefined ? this.#declarations.of(key) : this.#which(key, options);
    const before = this.#standing(key, which.terms);
    return this.#withUnflushed(key, which.terms, await this.#read(key, which, agesOf(options)), before);
  }

  async addMany(items: readonly AddItem[], options: AddManyOptions = {}): Promise<(AddResult | Refusal)[]> {
    checkItems(items);
    checkRequestId(only(options, MANY_FIELDS).requestId);
    checkRequestTtl(options);
    const prepared = items.map((item, index) => inItem(index, () => this.#prepareItem(item, index, options)));
    if (checkFlag(options.allOrNothing, 'allOrNothing')) this.#admitAll(prepared);
    return this.#submitAll(prepared, options.allOrNothing);
  }

  async getMany(items: readonly (string | GetItem)[]): Promise<CounterReading[]> {
    checkItems(items);
    const queries = items.map((item, index) => inItem(index, () => this.#query(item)));
    return Promise.all(queries.map(async ({ key, which, ages }) => {
      const before = this.#standing(key, which.terms);
      return this.#withUnflushed(key, which.terms, await this.#read(key, which, ages), before);
    }));
  }

  #lane(key: string): Lane {
    return this.#lanes[partitionOf(key, this.#lanes.length)] as Lane;
  }

  #submit(prepared: Prepared, deadlines: Deadlines, resolve: (result: AddResult) => void, reject: (error: unknown) => void): void {
    const { op, batched, shards, timeoutMs, onOutage } = prepared;
    const mayAbsorb = batched || onOutage === 'local';
    if (mayAbsorb && this.#isAbsorbed(prepared)) {
      this.#absorb({ op, lane: this.#laneOf(op, shards), shards, timeoutMs }).then(resolve, reject);
      return;
    }
    const told = this.#watched(op, shards, mayAbsorb ? (result) => { resolve(this.#inexactWhileUnflushed(op.key, result)); } : resolve);
    const deadline = deadlines.of(timeoutMs, onOutage);
    if (shards !== undefined && this.#sharded !== undefined) this.#sharded.submit({ op, shards, deadline }, told, reject);
    else this.#lane(op.key).submit(op, told, reject, deadline);
  }

  /** Submits to a lane what was admitted. */
  #keep({ op, shards, timeoutMs, onOutage }: Prepared, deadlines: Deadlines, put: (outcome: unknown) => void): void {
    this.#lane(op.key).submit(op, this.#watched(op, shards, put), put, deadlines.of(timeoutMs, onOutage, true));
  }

  /** What is added to a total without a request id can be: always to a `batched` one, and to others while the store is away. */
  #isAbsorbed({ op, batched, shards, onOutage }: Prepared): boolean {
    if (op.requestId !== undefined || !this.#tallies.fits(op.key, op.terms)) return false;
    if (batched && onOutage !== 'reject') return true;
    const { isAway } = this.#laneOf(op, shards);
    return batched ? !isAway : isAway && isTotal(op.terms) && combines(op.terms);
  }

  #laneOf(op: Operation, shards: number | undefined): Lane {
    return shards !== undefined && this.#sharded !== undefined ? this.#sharded.laneOf(op, shards) : this.#lane(op.key);
  }

  /** Lets the near cache see what becomes of an add. */
  #watched(op: Operation, shards: number | undefined, resolve: (result: AddResult) => void): (result: AddResult) => void {
    if (this.#near === undefined) return resolve;
    const isSum = this.#isSum(shards);
    return this.#near.watched(copyId(op, isSum), isTotal(op.terms) && !isSum, resolve);
  }

  /** Looks whether every lane takes all that is for it. In the same turn they are submitted, so it holds. @throws TallystickError */
  #admitAll(prepared: readonly Prepared[]): void {
    const counts = new Map<Lane, number>();
    prepared.forEach(({ op, batched, shards, onOutage }, index) => {
      if (batched || shards !== undefined) {
        throw new TallystickError('INVALID_ARGUMENT', 'type: batched and sharded counters are not added to all or nothing', { field: 'type' }).at(index);
      }
      const lane = this.#lane(op.key);
      const count = (counts.get(lane) ?? 0) + 1;
      counts.set(lane, count);
      const refusal = lane.refusalOf(count, onOutage);
      if (refusal !== undefined) throw refusal;
    });
  }

  #submitAll(prepared: readonly Prepared[], isKept = false): Promise<(AddResult | Refusal)[]> {
    const results = new Array<AddResult | Refusal>(prepared.length);
    let left = prepared.length;
    const deadlines = new Deadlines(this.#environment);
    return new Promise((resolve) => {
      if (left === 0) resolve(results);
      for (let index = 0; index < prepared.length; index++) {
        const put = (outcome: unknown): void => {
          results[index] = outcome instanceof Error ? toRefusal(outcome) : (outcome as AddResult);
          if (--left === 0) resolve(results);
        };
        const one = prepared[index] as Prepared;
        if (isKept) this.#keep(one, deadlines, put);
        else this.#submit(one, deadlines, put, put);
      }
    });
  }

  /** A first answer is given again as it was, so its value is the store's; it lacks what is absorbed here. */
  #inexactWhileUnflushed(key: string, result: AddResult): AddResult {
    return unflushedOf(this.#tallies.find(key)) === 0 ? result : { ...result, exact: false };
  }

  /** Absorbs an amount and estimates the value; the first time for a key, on what the store has. */
  async #absorb({ op: { key, delta, terms }, lane, shards, timeoutMs }: Absorbed): Promise<AddResult> {
    const tally = this.#tallies.add(key, delta, () => terms);
    if (tally.base === undefined && !lane.isAway) await this.#learnBase(tally, delta, timeoutMs);
    const base = tally.base ?? this.#estimated(key, lane, shards) - tally.flying;
    return { outcome: 'accepted', value: base + tally.flying + tally.delta, exact: false, delta };
  }

  /** What was seen of a counter and is on its way to it. */
  #estimated(key: string, lane: Lane, shards: number | undefined): number {
    return this.#isSum(shards) ? (this.#sharded as Sharded).estimate(key) : lane.estimate(key);
  }

  /** Without an answer in time, the estimate is made of what is known here. */
  async #learnBase(tally: Tally, delta: number, timeoutMs = LEARN_WITHIN_MS): Promise<void> {
    tally.learners++;
    const asked = this.#ask(tally.key, tally).catch(() => undefined);
    const reading = await this.#inTime(asked, Math.min(timeoutMs, LEARN_WITHIN_MS));
    this.#tallies.learned(tally, delta, reading?.value);
  }

  async #inTime<T>(asked: Promise<T>, timeoutMs: number): Promise<T | undefined> {
    let callOff = (): void => undefined;
    const timeUp = new Promise<undefined>((resolve) => (callOff = this.#environment.after(timeoutMs, () => resolve(undefined))));
    return Promise.race([asked, timeUp]).finally(callOff);
  }

  /** A copy that is young enough, or what the store says. */
  #read(key: string, which: Which, ages: Ages | undefined): NearReading | Promise<NearReading> {
    const near = this.#near;
    if (near === undefined) return this.#ask(key, which);
    const id = copyId({ key, terms: which.terms }, this.#isSum(which.shards));
    return near.find(id, ages) ?? near.fetch(id, () => this.#ask(key, which), ages);
  }

  #ask(key: string, { terms, shards }: Which): Promise<Reading> {
    if (shards !== undefined && this.#sharded !== undefined) return this.#sharded.read(key);
    return (this.#reads[partitionOf(key, this.#reads.length)] as Reads).get({ key, terms: isTotal(terms) ? undefined : terms });
  }

  #isSum(shards: number | undefined): boolean {
    return shards !== undefined && this.#sharded !== undefined;
  }

  /** What the store has and what is not flushed yet. Built field by field: a spread takes longer than the read. */
  #withUnflushed(key: string, terms: Operation['terms'], reading: NearReading, before: Standing | undefined): CounterReading {
    const unflushed = isTotal(terms) ? unflushedOf(this.#tallies.find(key)) : 0;
    const base = before === undefined ? undefined : movedBase(before);
    if (base !== undefined) return { ...reading, value: base + unflushed, found: true, exact: false };
    const value = reading.value + unflushed;
    const found = reading.found || unflushed !== 0;
    const { ttlMs, ageMs, stale } = reading;
    if (ageMs !== undefined && ttlMs === undefined && stale === undefined) return { value, found, exact: false, ageMs };
    if (ageMs !== undefined) return { ...reading, value, found, exact: false };
    const exact = unflushed === 0 && terms?.kind !== 'sketch';
    return ttlMs === undefined ? { value, found, exact } : { value, found, ttlMs, exact };
  }

  #standing(key: string, terms: Operation['terms']): Standing | undefined {
    const tally = isTotal(terms) ? this.#tallies.find(key) : undefined;
    return tally && { tally, answers: tally.answers };
  }

  #query(item: string | GetItem): { key: string; which: Which; ages: Ages | undefined } {
    if (typeof item === 'string') return { key: checkKey(item), which: this.#declarations.of(item), ages: undefined };
    checkObject(item, 'item');
    const { key, ...options } = item;
    return { key: checkKey(key), which: this.#which(key, options), ages: agesOf(options) };
  }

  /** Counter options of a read replace what is declared for the key. */
  #which(key: string, options: GetOptions): Which {
    only(options, GET_FIELDS);
    const { type, windowMs, slices } = options;
    const isGiven = type !== undefined || windowMs !== undefined || slices !== undefined;
    return isGiven ? this.#declarations.given(options) : this.#declarations.of(key);
  }

  /** What a call says of all its items, an item may say for itself. */
  #prepareItem(item: AddItem, index: number, call: AddManyOptions): Prepared {
    checkObject(item, 'item');
    const { key, delta = 1, member, requestId, requestTtlMs, timeoutMs = call.timeoutMs } = item;
    const op: Mutable<Operation> = { key, delta, terms: undefined, member, requestId, requestTtlMs };
    if (requestId === undefined && call.requestId !== undefined) {
      op.requestId = `${call.requestId}#${index}`;
      op.requestTtlMs ??= call.requestTtlMs;
    }
    return this.#prepareWith(op, item, ITEM_FIELDS, timeoutMs);
  }

  #prepare(key: string, delta: number, options: AddOptions | undefined): Prepared {
    if (options === undefined) return this.#plain(checkKey(key), checkAmount(delta));
    checkObject(options, 'options');
    const { member, requestId, requestTtlMs, timeoutMs } = options;
    return this.#prepareWith({ key, delta, terms: undefined, member, requestId, requestTtlMs }, options, CALL_FIELDS, timeoutMs);
  }

  #plain(key: string, delta: number): Prepared {
    const declared = this.#declarations.of(key);
    return prepared({ key, delta, terms: declared.terms, member: undefined, requestId: undefined, requestTtlMs: undefined }, declared, {});
  }

  #prepareWith(op: Mutable<Operation>, options: AddOptions, fields: ReadonlySet<string>, timeoutMs: number | undefined): Prepared {
    const key = checkKey(op.key);
    op.delta = checkAmount(op.delta);
    const declared = this.#declaredFor(key, options, fields);
    op.terms = declared.terms;
    checkRequestId(options.requestId);
    checkRequestTtl(op);
    if (timeoutMs !== undefined) checkTimeLeft(timeoutMs);
    // What an outage means for a key does not depend on the options of the call, unless they say so.
    const onOutage = declared.onOutage ?? this.#declarations.of(key).onOutage;
    return prepared(op, declared, { timeoutMs, onOutage });
  }

  /** Counter options of the call replace what is declared for the key. `fields`: what else may be there. */
  #declaredFor(key: string, options: AddOptions, fields: ReadonlySet<string>): Declared {
    let given = false;
    for (const field in options) {
      if (fields.has(field)) continue;
      if (!COUNTER_FIELDS.has(field)) throw new TallystickError('UNKNOWN_FIELD', `${field}: not a field of an add`, { field });
      given ||= options[field as keyof AddOptions] !== undefined;
    }
    return given ? this.#declarations.given(options) : this.#declarations.of(key);
  }
}

/** What was absorbed of a key when a reading was asked for. */
interface Standing {
  readonly tally: Tally;
  readonly answers: number;
}

/**
 * The value to add to what is not flushed, when amounts were on their way during a reading: nobody can say whether
 * it has them in, but they were not in the last value that was answered, or are by now.
 */
function movedBase({ tally, answers }: Standing): number | undefined {
  return tally.flights > 0 || tally.answers !== answers ? tally.base : undefined;
}

const unflushedOf = (tally: Tally | undefined): number => (tally === undefined ? 0 : tally.delta + tally.flying);

const isTotal = (terms: Operation['terms']): boolean => terms === undefined || terms.kind === 'count';

const NO_AGES: GetOptions = {};
const GET_FIELDS: ReadonlySet<string> = new Set(['type', 'windowMs', 'slices', 'maxAgeMs', 'staleIfErrorMs']);
const MANY_FIELDS: ReadonlySet<string> = new Set(['requestId', 'requestTtlMs', 'timeoutMs', 'allOrNothing']);

function checkFlag(value: unknown, field: string): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw new TallystickError('INVALID_ARGUMENT', `${field}: expected true or false, got ${describe(value)}`, { field });
}

/** @throws TallystickError `TIMEOUT` when there is no time left. */
function checkTimeLeft(timeoutMs: number): void {
  if (checkDurationMs(timeoutMs, 'timeoutMs', -Number.MAX_SAFE_INTEGER) > 0) return;
  throw new TallystickError('TIMEOUT', `timeoutMs: ${timeoutMs} ms are left, nothing was counted`, { field: 'timeoutMs' });
}

/** Checks what an operation and its declaration ask of each other. */
function prepared(op: Operation, { type, terms, shards, ...declared }: Declared, how: Partial<Pick<Prepared, 'timeoutMs' | 'onOutage'>>): Prepared {
  const countsMembers = terms?.kind === 'unique' || terms?.kind === 'sketch';
  if (countsMembers && op.delta !== 1) {
    throw new TallystickError('INVALID_AMOUNT', `delta: a ${type} counter counts members one by one, expected 1, got ${op.delta}`, { field: 'delta' });
  }
  if (countsMembers) checkKey(op.member, 'member');
  else if (op.member !== undefined) throw new TallystickError('INVALID_ARGUMENT', `member: a ${type} counter has no members`, { field: 'member' });
  if ((terms?.kind === 'log' || terms?.kind === 'window') && op.delta < 0) {
    throw new TallystickError('INVALID_AMOUNT', `delta: events cannot be taken out of a window, expected at least 0, got ${op.delta}`, { field: 'delta' });
  }
  return { op, batched: type === 'batched', shards, timeoutMs: how.timeoutMs, onOutage: how.onOutage ?? declared.onOutage };
}

/** How old a copy may be that answers a read. @throws TallystickError naming the option. */
function agesOf(options: GetOptions | undefined): Ages | undefined {
  const { maxAgeMs: maxMs, staleIfErrorMs: staleMs } = options ?? NO_AGES;
  if (maxMs === undefined && staleMs === undefined) return undefined;
  if (maxMs !== undefined) checkDurationMs(maxMs, 'maxAgeMs', 0);
  if (staleMs !== undefined && checkDurationMs(staleMs, 'staleIfErrorMs', 0) > MAX_STALE_MS) {
    throw new TallystickError('INVALID_ARGUMENT', `staleIfErrorMs: expected at most ${MAX_STALE_MS}, got ${staleMs}`, { field: 'staleIfErrorMs' });
  }
  return { maxMs, staleMs };
}

/** @throws TallystickError when `items` is no list, or one that is too long or has a hole. */
export function checkItems(items: unknown): void {
  if (!Array.isArray(items)) throw new TallystickError('INVALID_ARGUMENT', `items: expected an array, got ${describe(items)}`, { field: 'items' });
  if (items.length > MAX_BATCH_ITEMS) {
    throw new TallystickError('BATCH_TOO_LARGE', `items: expected at most ${MAX_BATCH_ITEMS}, got ${items.length}`, { field: 'items' });
  }
  checkNoHole(items);
}

/** `map` would pass over a hole, and the items before it would be counted. */
function checkNoHole(items: readonly unknown[]): void {
  if (!items.includes(undefined)) return;
  const index = items.findIndex((item) => item === undefined);
  throw new TallystickError('INVALID_ARGUMENT', 'item: expected an object, got undefined', { field: 'item' }).at(index);
}

/** @throws TallystickError when `id` is there and can be none. */
export function checkRequestId(id: unknown): void {
  if (id === undefined) return;
  const fits = typeof id === 'string' && id.length > 0 && id.length <= MAX_REQUEST_ID && id.isWellFormed();
  if (fits) return;
  throw new TallystickError('INVALID_ARGUMENT', `requestId: expected 1 to ${MAX_REQUEST_ID} characters, got ${describe(id)}`, { field: 'requestId' });
}

/** @throws TallystickError when `requestTtlMs` is there and is no duration, or has no id to belong to. */
export function checkRequestTtl({ requestId, requestTtlMs }: Pick<Operation, 'requestId' | 'requestTtlMs'>): void {
  if (requestTtlMs === undefined) return;
  checkDurationMs(requestTtlMs, 'requestTtlMs');
  if (requestId !== undefined) return;
  throw new TallystickError('INVALID_ARGUMENT', 'requestTtlMs: expected only together with requestId', { field: 'requestTtlMs' });
}

/** `options`, when it has no other fields than these. */
function only<T extends object>(options: T, fields: ReadonlySet<string>): T {
  checkObject(options, 'options');
  const field = Object.keys(options).find((name) => !fields.has(name));
  if (field === undefined) return options;
  throw new TallystickError('UNKNOWN_FIELD', `${field}: expected one of ${[...fields].join(', ')}`, { field });
}

/** What `check` says of an item; what it throws is placed there. */
export function inItem<T>(index: number, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof TallystickError ? error.at(index) : error;
  }
}

/** An error as the result of an item. */
export function toRefusal(error: unknown): Refusal {
  if (!(error instanceof TallystickError)) throw error;
  const { code, message: msg, value } = error;
  return { outcome: 'refused', code, msg, ...(value !== undefined && { value }) };
}
