/** The messages of `tallystick.v1.Counters`, in the words of the library. A field that was not sent is undefined. */
import { errorTable, type CounterType, type ErrorCode } from 'tallystick';
import { numberOfOutcome, numberOfType, outcomeOfNumber, typeOfNumber, type Outcome } from './enums.ts';
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
}

/** The same as it is read: numbers may be outside the range, which is for whoever checks them to refuse. */
export type ReadAddRequest = {
  -readonly [Field in keyof AddRequest]: AddRequest[Field] | (number extends AddRequest[Field] ? Int64 : never);
};

/** What came of one add. */
export interface AddResponse {
  readonly outcome: Outcome;
  readonly value: number;
  readonly exact: boolean;
  readonly delta: number;
  readonly ttlMs?: number | undefined;
  readonly replayed?: true | undefined;
  /** Of a refusal: the name in the error table, and why. */
  readonly code?: ErrorCode | undefined;
  readonly msg?: string | undefined;
  readonly field?: string | undefined;
}

/** GetRequest as it is written. */
export interface GetRequest extends Subject {
  readonly windowMs?: number | undefined;
  readonly slices?: number | undefined;
}

/** The same as it is read. */
export interface ReadGetRequest extends Subject {
  readonly windowMs?: Int64 | undefined;
  readonly slices?: number | undefined;
}

export interface GetResponse {
  readonly value: number;
  readonly found: boolean;
  readonly exact: boolean;
  readonly ttlMs?: number | undefined;
}

/** BatchAddRequest, of what is written or read. */
export interface BatchAddRequest<Item = AddRequest> {
  readonly items: readonly Item[];
  readonly requestId?: string | undefined;
}

/** StreamAddRequest, of what is written or read. */
export interface StreamAddRequest<Item = AddRequest> {
  readonly id: number;
  readonly items: readonly Item[];
}

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
    else from.skip(tag);
  }
  return message;
}

export function writeAddResponse(to: Writer, message: AddResponse): void {
  const { code } = message;
  if (code !== undefined) to.uint32(1, errorTable[code].number);
  to.string(2, message.msg ?? '');
  to.uint32(3, numberOfOutcome(message.outcome));
  to.int64(4, message.value);
  to.bool(5, message.exact);
  to.int64(6, message.delta);
  to.optionalInt64(7, message.ttlMs);
  to.bool(8, message.replayed === true);
  to.string(9, code ?? '');
  to.string(10, message.field ?? '');
}

export function readAddResponse(from: Reader): AddResponse {
  const message = { outcome: 'accepted' as Outcome, value: 0, exact: false, delta: 0 };
  const more: { ttlMs?: number; replayed?: true; msg?: string; field?: string } = {};
  let reason = '';
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((2 << 3) | BYTES)) more.msg = from.string();
    else if (tag === ((3 << 3) | VARINT)) message.outcome = outcomeOfNumber(from.uint32());
    else if (tag === ((4 << 3) | VARINT)) message.value = from.safeInt64();
    else if (tag === ((5 << 3) | VARINT)) message.exact = from.bool();
    else if (tag === ((6 << 3) | VARINT)) message.delta = from.safeInt64();
    else if (tag === ((7 << 3) | VARINT)) more.ttlMs = from.safeInt64();
    else if (tag === ((8 << 3) | VARINT)) from.bool() && (more.replayed = true);
    else if (tag === ((9 << 3) | BYTES)) reason = from.string();
    else if (tag === ((10 << 3) | BYTES)) more.field = from.string();
    else from.skip(tag);
  }
  return { ...message, ...more, ...(message.outcome === 'refused' && { code: codeOf(reason) }) };
}

/** The code of that name; a newer server may have more of them. */
export const codeOf = (name: string): ErrorCode => (Object.hasOwn(errorTable, name) ? (name as ErrorCode) : 'INTERNAL');

export function writeGetRequest(to: Writer, { key, type, windowMs, slices }: GetRequest): void {
  to.string(1, key);
  to.uint32(2, numberOfType(type));
  to.optionalInt64(3, windowMs);
  to.optionalUint32(4, slices);
}

export function readGetRequest(from: Reader): ReadGetRequest {
  const message: { -readonly [Field in keyof ReadGetRequest]: ReadGetRequest[Field] } = { key: '' };
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | BYTES)) message.key = from.string();
    else if (tag === ((2 << 3) | VARINT)) message.type = typeOfNumber(from.uint32());
    else if (tag === ((3 << 3) | VARINT)) message.windowMs = from.int64();
    else if (tag === ((4 << 3) | VARINT)) message.slices = from.uint32();
    else from.skip(tag);
  }
  return message;
}

export function writeGetResponse(to: Writer, { value, found, exact, ttlMs }: GetResponse): void {
  to.int64(1, value);
  to.bool(2, found);
  to.bool(3, exact);
  to.optionalInt64(4, ttlMs);
}

export function readGetResponse(from: Reader): GetResponse {
  const message: { -readonly [Field in keyof GetResponse]: GetResponse[Field] } = { value: 0, found: false, exact: false };
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | VARINT)) message.value = from.safeInt64();
    else if (tag === ((2 << 3) | VARINT)) message.found = from.bool();
    else if (tag === ((3 << 3) | VARINT)) message.exact = from.bool();
    else if (tag === ((4 << 3) | VARINT)) message.ttlMs = from.safeInt64();
    else from.skip(tag);
  }
  return message;
}

export function writeBatchAddRequest(to: Writer, { items, requestId }: BatchAddRequest): void {
  to.repeated(1, items, writeAddRequest);
  to.optionalString(2, requestId);
}

export function readBatchAddRequest(from: Reader): BatchAddRequest<ReadAddRequest> {
  const items: ReadAddRequest[] = [];
  let requestId: string | undefined;
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | BYTES)) items.push(from.message(readAddRequest));
    else if (tag === ((2 << 3) | BYTES)) requestId = from.string();
    else from.skip(tag);
  }
  return { items, requestId };
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

