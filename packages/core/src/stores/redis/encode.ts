/**
 * What the scripts are told. A plain add is its slot and amount, where the slot is known; else its key and
 * amount, and its bucket is among the KEYS. Any other operation is an object in one JSON array.
 */
import type { ErrorCode } from '../../errors.ts';
import type { Batch } from '../../model/batch.ts';
import { faultOf } from '../../model/fault.ts';
import { isKey } from '../../model/key.ts';
import type { LimitsTerms } from '../../model/limit.ts';
import type { CountTerms, Effect, Kind, Operation, Query, Terms } from '../../model/operation.ts';
import { cellId, requestCellId } from '../../replica/cell.ts';
import type { Keyspace } from './buckets.ts';
import { PlainAdds } from './plain-adds.ts';
import type { Slots } from './slots.ts';
import { encodeTerms, encodeVerdict, type WireTerms, type WireVerdict } from './wire-limits.ts';

/** A counter, as the scripts know it. */
interface WireQuery {
  readonly kind: Kind;
  /** How many KEYS it uses. */
  readonly keys: number;
  /** Key and bucket of a `count`. */
  readonly key?: string;
  readonly bucket?: number;
  readonly window?: number;
  readonly slices?: number;
}

/** An operation that is more than a plain add, as apply.lua knows it. Absent where undefined. */
interface WireOperation extends Partial<WireQuery> {
  readonly keys: number;
  readonly delta?: number;
  /** Why it cannot be applied in any state. */
  readonly code?: ErrorCode;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly ttl?: number | undefined;
  /** Pairs of a time, and when what is created before it ends. */
  readonly edges?: readonly number[] | undefined;
  readonly reach?: number | undefined;
  readonly member?: string | undefined;
  /** Its first key is that of a request id, which is remembered for `retain` ms. */
  readonly request?: true;
  readonly retain?: number;
  /** Set on an effect: when it was decided, and what else is known of it. */
  readonly at?: number | undefined;
  readonly ends?: number | undefined;
  readonly repaired?: true | undefined;
  readonly answered?: { readonly value: number; readonly delta: number; readonly verdict?: WireVerdict } | undefined;
  /** Terms of `limits`; or which operation of the batch that is more than a plain add has brought the same, from 1 on. */
  readonly terms?: WireTerms;
  readonly like?: number;
}

/** What a call of a script consists of. */
export interface Call {
  readonly keys: string[];
  readonly args: (string | Buffer)[];
}

/** What every call is told beside its batch. */
export interface BatchFrame {
  readonly partitions: string;
  readonly requestRetentionMs: number;
  /** The clock's raw reading, or empty: then the server's clock is read. */
  readonly rawMs: string;
  /** Whether the outbox is told. */
  readonly outbox: boolean;
  /** Whether a partition without data is closed. */
  readonly awaitsRestore: boolean;
}

/** A batch for a script that carries out several in one call: its part of that call. */
export interface RoundCall extends Call {
  /** Of adds, for the outbox: the adds by their keys. */
  readonly entries?: Buffer;
}

/** What a call of apply.lua is told beside its batch. */
export interface BatchHead extends BatchFrame {
  /** Whether the batch is sent again: it then names no slots. */
  readonly isAgain: boolean;
}

/** A call of apply.lua. */
export interface BatchCall extends Call {
  /** The keys of the adds whose slots the answer tells, in their order. */
  readonly asked: readonly string[];
  readonly edition: number;
}

/** What is known of a partition. */
export interface Names {
  readonly space: Keyspace;
  readonly slots: Slots;
}

/** Makes the calls of apply.lua and adds.lua. */
export class BatchEncoder {
  readonly #toSlots = new PlainAdds();
  readonly #toKeys = new PlainAdds();
  readonly #toOutbox = new PlainAdds();

  /** A batch as adds.lua takes it; undefined when it is not one of plain adds whose slots are all known. */
  encodeAdds({ source, seq, operations }: Batch, { space, slots }: Names, outbox: boolean): RoundCall | undefined {
    if (!slots.serves(source) || source.length > LONGEST_SHORT || operations.length === 0) return undefined;
    const adds = this.#toSlots;
    for (const text of [source, String(seq), String(slots.epoch), String(slots.edition)]) adds.put(text);
    for (let i = 0; i < operations.length; i++) {
      const op = operations[i]!;
      const slot = isPlain(op) ? slots.get(op.key) : undefined;
      if (slot === undefined) {
        adds.discard();
        return undefined;
      }
      adds.addToSlot(slot, op.delta);
    }
    const [keys, args] = [[space.meta, space.youngSources, space.slots], [adds.finish()]];
    return outbox ? { keys: [...keys, space.outbox], args, entries: this.#entriesOf(operations) } : { keys, args };
  }

  #entriesOf(operations: Batch['operations']): Buffer {
    for (const { key, delta } of operations) this.#toOutbox.addEntry(key, delta);
    return this.#toOutbox.finish();
  }

  /** KEYS and ARGV for a batch. */
  encode({ source, seq, operations }: Batch, { space, slots }: Names, frame: BatchHead): BatchCall {
    const keys = [space.meta, space.expiries, space.youngSources, space.oldSources, space.slots, space.freeSlots];
    const asked: string[] = [];
    const others: WireOperation[] = [];
    const brought = new Map<LimitsTerms, number>();
    let letters = '';
    const serves = !frame.isAgain && slots.serves(source);
    const edition = frame.isAgain ? slots.newEdition() : slots.edition;
    const reserved = serves ? keysOfOthers(operations) : undefined;
    for (let i = 0; i < operations.length; i++) {
      const op = operations[i]!;
      const plain = isPlain(op);
      const slot = plain && serves && reserved?.has(op.key) !== true ? slots.get(op.key) : undefined;
      if (slot !== undefined) {
        this.#toSlots.addToSlot(slot, op.delta);
        if (frame.outbox) this.#toOutbox.addEntry(op.key, op.delta);
        if (letters !== '') letters += SLOT_KNOWN;
        continue;
      }
      if (letters === '') letters = SLOT_KNOWN.repeat(i);
      const hash = plain ? this.#toKeys.add(op.key, op.delta) : undefined;
      letters += hash === undefined ? OTHER : WITH_KEY;
      if (hash === undefined) {
        const other = encodeOther(op, space, keys, frame.requestRetentionMs);
        others.push(op.terms?.kind === 'limits' ? { ...other, ...termsOf(op.terms, brought, others.length + 1) } : other);
      } else {
        keys.push(space.bucket(space.bucketAt(hash)));
        asked.push(op.key);
      }
    }
    const json = others.length > 0 ? JSON.stringify(others) : '';
    const epoch = others.length + asked.length < operations.length ? String(slots.epoch) : '';
    const head = [String(seq), frame.rawMs, String(space.buckets), frame.partitions, epoch, source, json];
    const args = [...head, this.#toSlots.finish(), this.#toKeys.finish(), letters, String(edition)];
    if (frame.outbox) {
      keys.push(space.outbox);
      args.push(this.#toOutbox.finish());
      if (frame.awaitsRestore) args.push('1');
    }
    return { keys, args, asked, edition };
  }
}

/** ASCII characters of a text that PlainAdds puts in. */
export const LONGEST_SHORT = 31;

/** How an operation comes, as apply.lua is told. */
const SLOT_KNOWN = 's';
const WITH_KEY = 'k';
const OTHER = 'o';

/** The keys of operations that are more than plain adds: adds to these keep their place among them. */
function keysOfOthers(operations: readonly Operation[]): ReadonlySet<string> | undefined {
  let keys: Set<string> | undefined;
  for (let i = 0; i < operations.length; i++) {
    const op = operations[i]!;
    if (!isPlain(op)) (keys ??= new Set()).add(op.key);
  }
  return keys;
}

const isPlain = ({ delta, terms, requestId, requestTtlMs, reach, effect }: Operation): boolean =>
  terms === undefined && requestId === undefined && requestTtlMs === undefined && reach === undefined && effect === undefined &&
  delta !== 0 && Number.isSafeInteger(delta);

function encodeOther(op: Operation, space: Keyspace, keys: string[], requestRetentionMs: number): WireOperation {
  const code = faultOf(op);
  if (!isKey(op.key)) return { code: 'INVALID_KEY', keys: 0 };
  const request = code === undefined && op.requestId !== undefined;
  if (request) keys.push(space.cell(requestCellId(op, op.requestId)));
  const query = encodeQuery(op, space, keys);
  if (code !== undefined) return { ...query, code };
  const { delta, reach, member, effect } = op;
  const decided = effect && { at: effect.atMs, ends: effect.expiresAtMs, repaired: effect.repaired, answered: encodeAnswered(effect) };
  const { min, max, ttlMs: ttl, ends } = op.terms?.kind === 'count' ? op.terms : NO_BOUNDS;
  const wire = { ...query, delta, reach, member, min, max, ttl, ...(ends !== undefined && { edges: ends.flat() }), ...decided };
  const retain = Math.min(op.requestTtlMs ?? Infinity, requestRetentionMs);
  return request ? { ...wire, request, retain, keys: query.keys + 1 } : wire;
}

function encodeAnswered({ answered }: Effect): WireOperation['answered'] {
  if (answered?.verdict === undefined) return answered as WireOperation['answered'];
  return { ...answered, verdict: encodeVerdict(answered.verdict) };
}

function termsOf(terms: LimitsTerms, brought: Map<LimitsTerms, number>, place: number): Pick<WireOperation, 'terms' | 'like'> {
  const like = brought.get(terms);
  if (like !== undefined) return { like };
  brought.set(terms, place);
  return { terms: encodeTerms(terms) };
}

const NO_BOUNDS: Omit<CountTerms, 'kind'> = {};

/** Puts the keys of a counter among `keys`. */
function encodeQuery(query: Query, space: Keyspace, keys: string[]): WireQuery {
  const { key, terms } = query;
  if (terms === undefined || terms.kind === 'count') {
    const bucket = space.bucketOf(key);
    keys.push(space.bucket(bucket));
    return { kind: 'count', keys: 1, key, bucket };
  }
  const id = cellId(query);
  const before = keys.push(space.cell(id)) - 1;
  if (terms.kind === 'sketch') {
    keys.push(space.cell(id, 'u'));
    for (let slot = 0; slot <= terms.slices; slot++) keys.push(space.cell(id, String(slot)));
  }
  return { kind: terms.kind, keys: keys.length - before, ...windowOf(terms) };
}

function windowOf(terms: Exclude<Terms, CountTerms>): Pick<WireQuery, 'window' | 'slices'> {
  if (terms.kind === 'limits') return {};
  return 'slices' in terms ? { window: terms.windowMs, slices: terms.slices } : { window: terms.windowMs };
}

/** KEYS and ARGV of read.lua. */
export function encodeQueries(queries: readonly Query[], space: Keyspace, { rawMs, awaitsRestore }: Pick<BatchFrame, 'rawMs' | 'awaitsRestore'>): Call {
  const keys = [space.meta, space.slots];
  const args = [rawMs, String(space.buckets), awaitsRestore ? '1' : ''];
  for (const query of queries) {
    const wire = encodeQuery(query, space, keys);
    if (wire.key !== undefined) args.push(wire.key);
    else args.push('', JSON.stringify(wire));
  }
  return { keys, args };
}
