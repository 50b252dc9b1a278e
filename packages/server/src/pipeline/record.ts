/**
 * A record of the log: what one batch changed. It is written by the script that applies the batch, and carried
 * unchanged to the ledger.
 *
 * MessagePack array: [version 1, source, seq, atMs, [key, delta, key, delta …]]. Deltas are effects: what was
 * counted, not what was asked for. A batch that changed no total has a record, too, so that no seq is missing.
 */
import { TallystickError } from 'tallystick';
import { Packer, Unpacker } from './msgpack.ts';

/** What a batch changed. */
export interface LogRecord {
  readonly partition: number;
  /** One run of one process; 1 to 64 bytes. */
  readonly source: string;
  /** 1, 2, 3 … within its source and partition. */
  readonly seq: number;
  /** The store's clock when the batch was applied, in milliseconds since 1970. */
  readonly atMs: number;
  /** Keys of counters, and what each is more or less by; a key may come twice. */
  readonly entries: readonly (readonly [key: string, delta: number])[];
}

/** Whose a record is. */
export type RecordHead = Omit<LogRecord, 'entries'>;

const VERSION = 1;
const FIELDS = 5;
const MAX_SOURCE_BYTES = 64;
const MAX_KEY_BYTES = 512;

/** The bytes of a record; its partition is not in them. */
export function encodeRecord({ source, seq, atMs, entries }: Omit<LogRecord, 'partition'>): Buffer {
  const packer = new Packer();
  packer.array(FIELDS);
  packer.integer(VERSION);
  packer.text(source);
  packer.integer(seq);
  packer.integer(atMs);
  packer.array(2 * entries.length);
  for (const [key, delta] of entries) {
    packer.text(key);
    packer.integer(delta);
  }
  return packer.finish();
}

/**
 * The record in `bytes`.
 *
 * @throws TallystickError `DATA_CORRUPT`, saying what is wrong with which field.
 */
export function decodeRecord(partition: number, bytes: Uint8Array): LogRecord {
  return readable(() => {
    const unpacker = new Unpacker(bytes);
    const head = readHead(partition, unpacker);
    const entries = readEntries(unpacker);
    if (!unpacker.isAtEnd) throw new Error('expected the end after the entries');
    return { ...head, entries };
  });
}

/**
 * Whose the record in `bytes` is, though the rest of it may be wrong.
 *
 * @throws TallystickError `DATA_CORRUPT`, saying what is wrong with which field.
 */
export function decodeHead(partition: number, bytes: Uint8Array): RecordHead {
  return readable(() => readHead(partition, new Unpacker(bytes)));
}

function readHead(partition: number, unpacker: Unpacker): RecordHead {
  const fields = unpacker.arrayLength();
  if (fields !== FIELDS) throw new Error(`expected ${FIELDS} fields, got ${fields}`);
  const version = unpacker.integer();
  if (version !== VERSION) throw new Error(`version: expected ${VERSION}, got ${version}`);
  const source = unpacker.text();
  if (!fits(source, MAX_SOURCE_BYTES)) throw new Error(`source: expected 1 to ${MAX_SOURCE_BYTES} bytes`);
  const seq = unpacker.integer();
  if (seq < 1) throw new Error(`seq: expected 1 or more, got ${seq}`);
  const atMs = unpacker.integer();
  if (atMs < 0) throw new Error(`atMs: expected 0 or more, got ${atMs}`);
  return { partition, source, seq, atMs };
}

function readEntries(unpacker: Unpacker): LogRecord['entries'] {
  const length = unpacker.arrayLength();
  if (length % 2 !== 0) throw new Error(`entries: expected keys and deltas in turn, got ${length} values`);
  const entries: [string, number][] = [];
  for (let i = 0; i < length; i += 2) {
    const key = unpacker.text();
    if (!fits(key, MAX_KEY_BYTES)) throw new Error(`entries[${i / 2}]: expected a key of 1 to ${MAX_KEY_BYTES} bytes`);
    entries.push([key, unpacker.integer()]);
  }
  return entries;
}

/** No UTF-16 code unit takes more than three bytes, so a short text needs no counting. */
const fits = (text: string, bytes: number): boolean => text !== '' && (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes);

function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new TallystickError('DATA_CORRUPT', `record: ${(cause as Error).message}`, { field: 'record', cause });
  }
}
