/** The messages of `tallystick.v1.FrequencyControl`, fields named as in the .proto. */
import type { Int64, Reader } from './reader.ts';
import { BYTES, VARINT, type Writer } from './writer.ts';

/** One occurrence to count, as it is written or read. */
export interface AddFreqReq<Integer = number> {
  readonly business_id: number;
  readonly key: string;
  readonly time_span: number;
  /** A number of TimeUnit; another one is for whoever checks it to refuse. */
  readonly time_unit: number;
  readonly request_id?: string | undefined;
  readonly request_ttl_ms?: Integer | undefined;
}

/** Whose count is asked for. */
export interface GetFreqReq {
  readonly business_id: number;
  readonly key: string;
}

/** AddFreqRsp and GetFreqRsp: only the first has `accepted`, only the second `age_ms` and `stale`. */
export interface FreqRsp {
  readonly code: number;
  readonly msg: string;
  readonly business_id: number;
  readonly key: string;
  readonly freq: number;
  readonly ttl: number;
  readonly accepted: boolean;
  readonly age_ms?: number | undefined;
  readonly stale?: boolean | undefined;
}

/** Occurrences to count, as they are written or read. */
export interface BatchAddFreqReq<Integer = number> {
  readonly requests: readonly AddFreqReq<Integer>[];
  readonly request_id?: string | undefined;
  readonly request_ttl_ms?: Integer | undefined;
  readonly all_or_nothing?: boolean | undefined;
}

/** Whose counts are asked for. */
export interface BatchGetFreqReq {
  readonly requests: readonly GetFreqReq[];
}

/** BatchAddFreqRsp and BatchGetFreqRsp. */
export interface BatchFreqRsp {
  readonly results: readonly FreqRsp[];
  readonly code: number;
  readonly msg: string;
}

export function writeAddFreqReq(to: Writer, message: AddFreqReq): void {
  to.uint32(1, message.business_id);
  to.string(2, message.key);
  to.uint32(3, message.time_span);
  to.uint32(4, message.time_unit);
  to.string(5, message.request_id ?? '');
  to.optionalInt64(6, message.request_ttl_ms);
}

/** A message that is still being read. */
type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

export function readAddFreqReq(from: Reader): AddFreqReq<Int64> {
  // One literal: a spread takes as long as reading the fields.
  const message: Mutable<AddFreqReq<Int64>> = {
    business_id: 0,
    key: '',
    time_span: 0,
    time_unit: 0,
    request_id: undefined,
    request_ttl_ms: undefined,
  };
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | VARINT)) message.business_id = from.uint32();
    else if (tag === ((2 << 3) | BYTES)) message.key = from.string();
    else if (tag === ((3 << 3) | VARINT)) message.time_span = from.uint32();
    else if (tag === ((4 << 3) | VARINT)) message.time_unit = from.uint32();
    else if (tag === ((5 << 3) | BYTES)) message.request_id = from.string() || undefined;
    else if (tag === ((6 << 3) | VARINT)) message.request_ttl_ms = from.int64();
    else from.skip(tag);
  }
  return message;
}

export function writeGetFreqReq(to: Writer, { business_id, key }: GetFreqReq): void {
  to.uint32(1, business_id);
  to.string(2, key);
}

export function readGetFreqReq(from: Reader): GetFreqReq {
  const message = { business_id: 0, key: '' };
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | VARINT)) message.business_id = from.uint32();
    else if (tag === ((2 << 3) | BYTES)) message.key = from.string();
    else from.skip(tag);
  }
  return message;
}

export function writeFreqRsp(to: Writer, { code, msg, business_id, key, freq, ttl, accepted, age_ms, stale = false }: FreqRsp): void {
  to.uint32(1, code);
  to.string(2, msg);
  to.uint32(3, business_id);
  to.string(4, key);
  to.uint32(5, freq);
  to.uint32(6, ttl);
  to.bool(7, accepted);
  to.optionalUint32(8, age_ms);
  to.bool(9, stale);
}

export function readFreqRsp(from: Reader): FreqRsp {
  const message: Mutable<FreqRsp> = { code: 0, msg: '', business_id: 0, key: '', freq: 0, ttl: 0, accepted: false };
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | VARINT)) message.code = from.uint32();
    else if (tag === ((2 << 3) | BYTES)) message.msg = from.string();
    else if (tag === ((3 << 3) | VARINT)) message.business_id = from.uint32();
    else if (tag === ((4 << 3) | BYTES)) message.key = from.string();
    else if (tag === ((5 << 3) | VARINT)) message.freq = from.uint32();
    else if (tag === ((6 << 3) | VARINT)) message.ttl = from.uint32();
    else if (tag === ((7 << 3) | VARINT)) message.accepted = from.bool();
    else if (tag === ((8 << 3) | VARINT)) message.age_ms = from.uint32();
    else if (tag === ((9 << 3) | VARINT)) message.stale = from.bool();
    else from.skip(tag);
  }
  return message;
}

export function writeBatchAddFreqReq(to: Writer, { requests, request_id, request_ttl_ms, all_or_nothing = false }: BatchAddFreqReq): void {
  to.repeated(1, requests, writeAddFreqReq);
  to.string(2, request_id ?? '');
  to.optionalInt64(3, request_ttl_ms);
  to.bool(4, all_or_nothing);
}

export function readBatchAddFreqReq(from: Reader): BatchAddFreqReq<Int64> {
  const requests: AddFreqReq<Int64>[] = [];
  let request_id: string | undefined;
  let request_ttl_ms: Int64 | undefined;
  let all_or_nothing = false;
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | BYTES)) requests.push(from.message(readAddFreqReq));
    else if (tag === ((2 << 3) | BYTES)) request_id = from.string() || undefined;
    else if (tag === ((3 << 3) | VARINT)) request_ttl_ms = from.int64();
    else if (tag === ((4 << 3) | VARINT)) all_or_nothing = from.bool();
    else from.skip(tag);
  }
  return { requests, request_id, request_ttl_ms, all_or_nothing };
}

export function writeBatchGetFreqReq(to: Writer, { requests }: BatchGetFreqReq): void {
  to.repeated(1, requests, writeGetFreqReq);
}

export function readBatchGetFreqReq(from: Reader): BatchGetFreqReq {
  const requests: GetFreqReq[] = [];
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | BYTES)) requests.push(from.message(readGetFreqReq));
    else from.skip(tag);
  }
  return { requests };
}

export function writeBatchFreqRsp(to: Writer, { results, code, msg }: BatchFreqRsp): void {
  to.repeated(1, results, writeFreqRsp);
  to.uint32(2, code);
  to.string(3, msg);
}

export function readBatchFreqRsp(from: Reader): BatchFreqRsp {
  const results: FreqRsp[] = [];
  let code = 0;
  let msg = '';
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | BYTES)) results.push(from.message(readFreqRsp));
    else if (tag === ((2 << 3) | VARINT)) code = from.uint32();
    else if (tag === ((3 << 3) | BYTES)) msg = from.string();
    else from.skip(tag);
  }
  return { results, code, msg };
}
