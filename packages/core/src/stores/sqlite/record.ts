/**
 * One applied batch as a row of the log: what it did to each counter, and what was answered.
 *
 * A row holds effects, never conditions: the amounts that were really added, and the exact value of the
 * counter right after each. Its columns are made for the common batch, plain adds with nothing more to
 * say: all keys as one JSON string, one number when all deltas are equal, four bytes a value. A short batch
 * has no bytes, only strings: to hand an array of bytes to another thread takes longer than to write it out.
 */
import type { Answer, Note } from '../../model/answer.ts';
import type { Batch } from '../../model/batch.ts';
import type { Effect, Operation, Terms } from '../../model/operation.ts';

/** A row of the log, as it is written. */
export interface LogRecord {
  /** 1, 2, 3 … in the order in which batches were applied, over all sources and partitions. */
  readonly position: number;
  readonly partition: number;
  readonly source: string;
  readonly seq: number;
  readonly atMs: number;
  /** The keys of all operations: a JSON array. Empty strings stand for those that were refused. */
  readonly keys: string;
  /** The amounts really added: a JSON array, or one number for all. */
  readonly deltas: string;
  /** The values answered: 4 or 8 bytes each, little-endian; of a short batch a JSON array. */
  readonly results: Uint8Array | string;
  /** {@link Extras} as JSON, or empty. */
  readonly extras: string;
}

/** What is more to say of single operations. */
interface Extras {
  /** Notes that say nothing but when a count expires: the indexes of their operations … */
  readonly expiring: readonly number[];
  /** … and how long after the batch. Value and amount stand in the columns. */
  readonly lifetimes: readonly number[];
  readonly notes: readonly Note[];
  /** Terms of the counters that are no `count`. */
  readonly terms: readonly Terms[];
  readonly specials: readonly Special[];
}

/** An operation that is more than an add to a count. Undefined fields are not written. */
interface Special extends Pick<Operation, 'member' | 'requestId' | 'requestTtlMs' | 'effect'> {
  readonly index: number;
  /** Place in {@link Extras.terms}; absent for a `count`. */
  readonly terms?: number | undefined;
  /** Amounts that cancelled each other: nothing was added, yet the counter is there. */
  readonly created?: true | undefined;
}

/** What a row says of one operation that was neither refused nor answered from its request id. */
export interface Applied {
  readonly key: string;
  /** The amount really added; for other kinds than `count`, the amount that was asked. */
  readonly delta: number;
  /** The counter's value right after. */
  readonly value: number;
  /** Whether the state of the counter may have changed. */
  readonly changed: boolean;
  /** Undefined for a `count`. */
  readonly terms: Terms | undefined;
  readonly note: Note | undefined;
  readonly member: string | undefined;
  readonly requestId: string | undefined;
  readonly requestTtlMs: number | undefined;
  readonly effect: Effect | undefined;
}

/** Makes the row of a batch that was applied. */
export function toRecord(position: number, batch: Batch, answer: Answer): LogRecord {
  const { partition, source, seq, operations } = batch;
  const { atMs, notes, values } = answer;
  const keys = operations.map(({ key }) => key);
  const deltas = operations.map(({ delta }) => delta);
  for (const { index, code, delta } of notes) {
    if (code !== undefined) keys[index] = '';
    // Other kinds than `count` are decided again, from the amount that was asked.
    if (code !== undefined || isCount(operations[index]!.terms)) deltas[index] = delta;
  }
  return {
    position,
    partition,
    source,
    seq,
    atMs,
    keys: JSON.stringify(keys),
    deltas: packDeltas(deltas),
    results: packValues(values),
    extras: packExtras(operations, answer),
  };
}

function packDeltas(deltas: readonly number[]): string {
  const [first = 0] = deltas;
  return deltas.every((delta) => delta === first) ? String(first) : JSON.stringify(deltas);
}

/** Values of a batch from which on they are packed in bytes. */
const WORTH_PACKING = 32;

function packValues(values: readonly number[]): Uint8Array | string {
  if (values.length < WORTH_PACKING) return JSON.stringify(values);
  const small = values.every((value) => value === (value | 0));
  const packed = small ? Int32Array.from(values) : Float64Array.from(values);
  return new Uint8Array(packed.buffer);
}

function unpackValues(bytes: Uint8Array | string, length: number): ArrayLike<number> {
  if (typeof bytes === 'string') return JSON.parse(bytes) as number[];
  const { buffer } = new Uint8Array(bytes); // a copy of its own, aligned
  return bytes.byteLength === length * 4 ? new Int32Array(buffer) : new Float64Array(buffer);
}

const isCount = (terms: Terms | undefined): boolean => terms === undefined || terms.kind === 'count';

function packExtras(operations: readonly Operation[], { atMs, notes }: Answer): string {
  const terms: Terms[] = [];
  const specials: Special[] = [];
  let nextNote = 0;
  for (let index = 0; index < operations.length; index++) {
    const note = notes[nextNote]?.index === index ? notes[nextNote++] : undefined;
    if (!isEffective(note)) continue;
    const special = specialOf(operations[index]!, note, terms);
    if (special !== undefined) specials.push({ index, ...special });
  }
  if (notes.length === 0 && specials.length === 0) return '';
  const plain = notes.filter(saysOnlyExpiry);
  const extras: Extras = {
    expiring: plain.map(({ index }) => index),
    lifetimes: plain.map(({ expiresAtMs }) => expiresAtMs - atMs),
    notes: plain.length === notes.length ? [] : notes.filter((note) => !saysOnlyExpiry(note)),
    terms,
    specials,
  };
  return JSON.stringify(extras);
}

/** Nearly every note: that of an add to a count that expires. */
const saysOnlyExpiry = (note: Note): note is Note & { readonly expiresAtMs: number } =>
  note.expiresAtMs !== undefined && note.code === undefined && note.replayed === undefined && note.repaired === undefined;

/** The notes of a row, in the order of their operations. */
function notesOf({ extras, values, deltaAt, atMs }: Columns): readonly Note[] {
  const { expiring, lifetimes, notes } = extras;
  const plain = expiring.map((index, i): Note => ({ index, value: values[index]!, delta: deltaAt(index), expiresAtMs: atMs + lifetimes[i]! }));
  return notes.length === 0 ? plain : [...plain, ...notes].sort((a, b) => a.index - b.index);
}

const isEffective = (note: Note | undefined): boolean => note?.code === undefined && note?.replayed !== true;

function specialOf(op: Operation, note: Note | undefined, all: Terms[]): Omit<Special, 'index'> | undefined {
  const { member, requestId, requestTtlMs, effect } = op;
  const created = isCount(op.terms) && wasCreatedByNothing(op, note) ? true : undefined;
  if (isCount(op.terms) && requestId === undefined && effect === undefined && created === undefined) return undefined;
  return { terms: placeOf(all, op.terms), member, requestId, requestTtlMs, effect, created };
}

/** Whether the amount left to add was 0 and yet the counter is there: see `operations/add.ts` on `reach`. */
function wasCreatedByNothing({ delta, reach, effect }: Operation, note: Note | undefined): boolean {
  if (reach === undefined || (note?.delta ?? delta) !== 0) return false;
  const tooLate = effect?.expiresAtMs !== undefined && note?.expiresAtMs === undefined;
  return !tooLate;
}

function placeOf(all: Terms[], terms: Terms | undefined): number | undefined {
  if (terms === undefined || terms.kind === 'count') return undefined;
  return all.at(-1) === terms ? all.length - 1 : all.push(terms) - 1;
}

/** The answer that was given to the batch of this row. */
export function answerOf(record: LogRecord): Answer {
  const columns = columnsOf(record);
  return { atMs: record.atMs, values: Array.from(columns.values), notes: notesOf(columns) };
}

/** Is told what a row did, in order. */
export interface RecordReader {
  /** The count under `key`, which does not expire, was set to `value`. */
  count(key: string, value: number): void;
  /** Anything else. */
  other(applied: Applied): void;
}

/** A row, unpacked as far as every reader needs it. */
interface Columns {
  readonly atMs: number;
  readonly keys: readonly string[];
  readonly values: ArrayLike<number>;
  readonly deltaAt: (index: number) => number;
  readonly extras: Extras;
}

const NO_EXTRAS: Extras = { expiring: [], lifetimes: [], notes: [], terms: [], specials: [] };

function columnsOf(record: LogRecord): Columns {
  const keys = JSON.parse(record.keys) as string[];
  const deltas = JSON.parse(record.deltas) as number | number[];
  return {
    atMs: record.atMs,
    keys,
    values: unpackValues(record.results, keys.length),
    deltaAt: typeof deltas === 'number' ? () => deltas : (index) => deltas[index]!,
    extras: record.extras === '' ? NO_EXTRAS : (JSON.parse(record.extras) as Extras),
  };
}

/** Tells `reader` what the batch of this row did. */
export function readRecord(record: LogRecord, reader: RecordReader): void {
  const columns = columnsOf(record);
  if (record.extras !== '') {
    readOthers(columns, reader);
    return;
  }
  const { keys, values, deltaAt } = columns;
  for (let i = 0; i < keys.length; i++) {
    if (deltaAt(i) !== 0) reader.count(keys[i]!, values[i]!);
  }
}

function readOthers(columns: Columns, reader: RecordReader): void {
  const { keys, values, deltaAt, extras } = columns;
  const notes = notesOf(columns);
  let nextNote = 0;
  let nextSpecial = 0;
  for (const [index, key] of keys.entries()) {
    const note = notes[nextNote]?.index === index ? notes[nextNote++] : undefined;
    const special = extras.specials[nextSpecial]?.index === index ? extras.specials[nextSpecial++] : undefined;
    if (!isEffective(note)) continue;
    const { member, requestId, requestTtlMs, effect, created } = special ?? {};
    const terms = special?.terms === undefined ? undefined : extras.terms[special.terms];
    const delta = deltaAt(index);
    const changed = delta !== 0 || created === true;
    reader.other({ key, delta, value: values[index]!, changed, terms, note, member, requestId, requestTtlMs, effect });
  }
}
