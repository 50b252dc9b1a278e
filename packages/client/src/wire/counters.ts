/** The messages of `tallystick.v1.Counters`, in the words of the library. A field that was not sent is undefined. */
import { errorTable, type CounterType, type ErrorCode } from 'tallystick';
import { numberOfOutcome, numberOfType, outcomeOfNumber, typeOfNumber } from './enums.ts';
import type { Int64, Reader } from './reader.ts';
import { BYTES, VARINT, type Writer } from './writer.ts';

/** What tells which of a key's counters is meant. */
interface Subject {
  readonly key: string;
  readonly type?: CounterType | undefined;
}

/** AddRequest as it is written. */
export interface AddRequest extends Subject {
  readonly delta?: number | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly ttlMs?: number | undefined;
  readonly windowMs?: number | undefined;
  readonly slices?: number | undefined;
  readonly member?: string | undefined;
  readonly requestId?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly requestTtlMs?: number | undefined;
  readonly shards?: number | undefined;
}

/** The same as it is read: numbers may be outside the range, which is for whoever checks them to refuse. */
export type ReadAddRequest = {
  -readonly [Field in keyof AddRequest]: AddRequest[Field] | (number extends AddRequest[Field] ? Int64 : never);
};

/** What came of one add. */
export type AddResponse = Counted | Refused;

/** An add that was not refused. */
export interface Counted {
  readonly outcome: 'applied' | 'accepted';
  readonly value: number;
  readonly exact: boolean;
  readonly delta: number;
  readonly ttlMs?: number;
  readonly replayed?: true;
}

/** An item of a batch that was refused. */
export interface Refused {
  readonly outcome: 'refused';
  /** Its name in the error table. */
  readonly code: ErrorCode;
  readonly msg: string;
  /** The counter's value, unchanged, where it is known. */
  readonly value?: number;
  readonly field?: string;
}

/** GetRequest as it is written. */
export interface GetRequest extends Subject {
  readonly windowMs?: number | undefined;
  readonly slices?: number | undefined;
  readonly maxAgeMs?: number | undefined;
}

/** The same as it is read. */
export interface ReadGetRequest extends Subject {
  readonly windowMs?: Int64 | undefined;
  readonly slices?: number | undefined;
  readonly maxAgeMs?: Int64 | undefined;
}

/** What a counter stands at. */
export interface GetResponse {
  readonly value: number;
  readonly found: boolean;
  readonly exact: boolean;
  readonly ttlMs?: number | undefined;
  readonly ageMs?: number;
  readonly stale?: true;
}

/** BatchAddRequest, of what is written or read. */
export interface BatchAddRequest<Item = AddRequest, Integer = number> {
  readonly items: readonly Item[];
  readonly requestId?: string | undefined;
  readonly requestTtlMs?: Integer | undefined;
}

/** StreamAddRequest, of what is written or read. */
export interface StreamAddRequest<Item = AddRequest> {
  readonly id: number;
  readonly items: readonly Item[];
}

/** The reply to one message of StreamAdd. */
export interface StreamAddResponse {
  readonly id: number;
  readonly results: readonly AddResponse[];
  /** When the message was refused as a whole. */
  readonly code?: ErrorCode | undefined;
  readonly msg?: string | undefined;
}

export function writeAddRequest(to: Writer, message: AddRequest): void {
  to.string(1, message.key);
  to.optionalInt64(2, message.delta);
  to.uint32(3, numberOfType(message.type));
  to.optionalInt64(4, message.min);
  to.optionalInt64(5, message.max);
  to.optionalInt64(6, message.ttlMs);
  to.optionalInt64(7, message.windowMs);
  to.optionalUint32(8, message.slices);
  to.optionalString(9, message.member);
  to.optionalString(10, message.requestId);
  to.optionalInt64(11, message.timeoutMs);
  to.optionalInt64(12, message.requestTtlMs);
  to.optionalUint32(13, message.shards);
}

export function readAddRequest(from: Reader): ReadAddRequest {
  const message: ReadAddRequest = { key: '', delta: undefined, type: undefined, requestId: undefined };
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | BYTES)) message.key = from.string();
    else if (tag === ((2 << 3) | VARINT)) message.delta = from.int64();
    else if (tag === ((3 << 3) | VARINT)) message.type = typeOfNumber(from.uint32());
    else if (tag === ((4 << 3) | VARINT)) message.min = from.int64();
    else if (tag === ((5 << 3) | VARINT)) message.max = from.int64();
    else if (tag === ((6 << 3) | VARINT)) message.ttlMs = from.int64();
    else if (tag === ((7 << 3) | VARINT)) message.windowMs = from.int64();
    else if (tag === ((8 << 3) | VARINT)) message.slices = from.uint32();
    else if (tag === ((9 << 3) | BYTES)) message.member = from.string();
    else if (tag === ((10 << 3) | BYTES)) message.requestId = from.string();
    else if (tag === ((11 << 3) | VARINT)) message.timeoutMs = from.int64();
    else if (tag === ((12 << 3) | VARINT)) message.requestTtlMs = from.int64();
    else if (tag === ((13 << 3) | VARINT)) message.shards = from.uint32();
    else from.skip(tag);
  }
  return message;
}

export function writeAddResponse(to: Writer, message: AddResponse): void {
  to.uint32(3, numberOfOutcome(message.outcome));
  to.optionalInt64(4, message.value);
  if (message.outcome === 'refused') {
    to.uint32(1, errorTable[message.code].number);
    to.string(2, message.msg);
    to.string(9, message.code);
    to.string(10, message.field ?? '');
    return;
  }
  to.bool(5, message.exact);
  to.int64(6, message.delta);
  to.optionalInt64(7, message.ttlMs);
  to.bool(8, message.replayed === true);
}

export function readAddResponse(from: Reader): AddResponse {
  const all: Partial<Record<'msg' | 'reason' | 'field', string>> & Partial<Record<'value' | 'ttlMs', number>> = {};
  let [outcome, exact, delta, replayed] = [0, false, 0, false];
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((2 << 3) | BYTES)) all.msg = from.string();
    else if (tag === ((3 << 3) | VARINT)) outcome = from.uint32();
    else if (tag === ((4 << 3) | VARINT)) all.value = from.safeInt64();
    else if (tag === ((5 << 3) | VARINT)) exact = from.bool();
    else if (tag === ((6 << 3) | VARINT)) delta = from.safeInt64();
    else if (tag === ((7 << 3) | VARINT)) all.ttlMs = from.safeInt64();
    else if (tag === ((8 << 3) | VARINT)) replayed = from.bool();
    else if (tag === ((9 << 3) | BYTES)) all.reason = from.string();
    else if (tag === ((10 << 3) | BYTES)) all.field = from.string();
    else from.skip(tag);
  }
  const { msg = '', reason = '', value, ttlMs, field } = all;
  const name = outcomeOfNumber(outcome);
  if (name === 'refused') {
    return { outcome: name, code: codeOf(reason), msg, ...(value !== undefined && { value }), ...(field !== undefined && { field }) };
  }
  const counted = { outcome: name, value: value ?? 0, exact, delta };
  if (ttlMs === undefined && !replayed) return counted;
  return { ...counted, ...(ttlMs !== undefined && { ttlMs }), ...(replayed && { replayed }) };
}

/** The code of that name; a newer server may have more of them. */
export const codeOf = (name: string): ErrorCode => (Object.hasOwn(errorTable, name) ? (name as ErrorCode) : 'INTERNAL');

export function writeGetRequest(to: Writer, { key, type, windowMs, slices, maxAgeMs }: GetRequest): void {
  to.string(1, key);
  to.uint32(2, numberOfType(type));
  to.optionalInt64(3, windowMs);
  to.optionalUint32(4, slices);
  to.optionalInt64(5, maxAgeMs);
}

export function readGetRequest(from: Reader): ReadGetRequest {
  const message: { -readonly [Field in keyof ReadGetRequest]: ReadGetRequest[Field] } = { key: '' };
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | BYTES)) message.key = from.string();
    else if (tag === ((2 << 3) | VARINT)) message.type = typeOfNumber(from.uint32());
    else if (tag === ((3 << 3) | VARINT)) message.windowMs = from.int64();
    else if (tag === ((4 << 3) | VARINT)) message.slices = from.uint32();
    else if (tag === ((5 << 3) | VARINT)) message.maxAgeMs = from.int64();
    else from.skip(tag);
  }
  return message;
}

export function writeGetResponse(to: Writer, { value, found, exact, ttlMs, ageMs, stale }: GetResponse): void {
  to.int64(1, value);
  to.bool(2, found);
  to.bool(3, exact);
  to.optionalInt64(4, ttlMs);
  to.optionalInt64(5, ageMs);
  to.bool(6, stale === true);
}

export function readGetResponse(from: Reader): GetResponse {
  const message: { -readonly [Field in keyof GetResponse]: GetResponse[Field] } = { value: 0, found: false, exact: false };
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | VARINT)) message.value = from.safeInt64();
    else if (tag === ((2 << 3) | VARINT)) message.found = from.bool();
    else if (tag === ((3 << 3) | VARINT)) message.exact = from.bool();
    else if (tag === ((4 << 3) | VARINT)) message.ttlMs = from.safeInt64();
    else if (tag === ((5 << 3) | VARINT)) message.ageMs = from.safeInt64();
    else if (tag === ((6 << 3) | VARINT)) {
      if (from.bool()) message.stale = true;
    } else from.skip(tag);
  }
  return message;
}

export function writeBatchAddRequest(to: Writer, { items, requestId, requestTtlMs }: BatchAddRequest): void {
  to.repeated(1, items, writeAddRequest);
  to.optionalString(2, requestId);
  to.optionalInt64(3, requestTtlMs);
}

export function readBatchAddRequest(from: Reader): BatchAddRequest<ReadAddRequest, Int64> {
  const items: ReadAddRequest[] = [];
  let requestId: string | undefined;
  let requestTtlMs: Int64 | undefined;
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | BYTES)) items.push(from.message(readAddRequest));
    else if (tag === ((2 << 3) | BYTES)) requestId = from.string();
    else if (tag === ((3 << 3) | VARINT)) requestTtlMs = from.int64();
    else from.skip(tag);
  }
  return { items, requestId, requestTtlMs };
}

export function writeStreamAddRequest(to: Writer, { id, items }: StreamAddRequest): void {
  to.uint32(1, id);
  to.repeated(2, items, writeAddRequest);
}

export function readStreamAddRequest(from: Reader): StreamAddRequest<ReadAddRequest> {
  const items: ReadAddRequest[] = [];
  let id = 0;
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | VARINT)) id = from.uint32();
    else if (tag === ((2 << 3) | BYTES)) items.push(from.message(readAddRequest));
    else from.skip(tag);
  }
  return { id, items };
}

export function writeStreamAddResponse(to: Writer, { id, results, code, msg }: StreamAddResponse): void {
  to.uint32(1, id);
  to.repeated(2, results, writeAddResponse);
  if (code !== undefined) to.uint32(3, errorTable[code].number);
  to.string(4, msg ?? '');
  to.string(5, code ?? '');
}

export function readStreamAddResponse(from: Reader): StreamAddResponse {
  const results: AddResponse[] = [];
  let id = 0;
  let msg = '';
  let reason = '';
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | VARINT)) id = from.uint32();
    else if (tag === ((2 << 3) | BYTES)) results.push(from.message(readAddResponse));
    else if (tag === ((4 << 3) | BYTES)) msg = from.string();
    else if (tag === ((5 << 3) | BYTES)) reason = from.string();
    else from.skip(tag);
  }
  return reason === '' ? { id, results } : { id, results, code: codeOf(reason), msg };
}

