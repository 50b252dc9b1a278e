/** The messages of Envoy's rate limit service, as far as a node has them; fields named as in the .proto. */
import type { Int64, Reader } from './reader.ts';
import { BYTES, VARINT, type Writer } from './writer.ts';

/** `OK` and `OVER_LIMIT` of RateLimitResponse.Code. */
export const RATE_LIMIT_CODE = Object.freeze({ ok: 1, overLimit: 2 });

/** One entry of a descriptor, or one header field. */
export interface KeyValue {
  readonly key: string;
  readonly value: string;
}

/** A limit in units of time: RateLimitOverride, and RateLimit when it has a name. */
export interface UnitLimit {
  readonly requests_per_unit: number;
  /** A number of the enum Unit. */
  readonly unit: number;
  readonly name: string;
}

/** One thing to be limited. */
export interface RateLimitDescriptor {
  readonly entries: readonly KeyValue[];
  readonly limit: UnitLimit | undefined;
  readonly hits_addend: Int64 | undefined;
}

/** What a caller asks. */
export interface RateLimitRequest {
  readonly domain: string;
  readonly descriptors: readonly RateLimitDescriptor[];
  readonly hits_addend: number;
}

/** What came of one descriptor. */
export interface RateLimitStatus {
  readonly code: number;
  readonly current_limit: UnitLimit | undefined;
  readonly limit_remaining: number;
  /** `duration_until_reset` in milliseconds. */
  readonly resetMs: number | undefined;
}

/** What came of a request. */
export interface RateLimitResponse {
  readonly overall_code: number;
  readonly statuses: readonly RateLimitStatus[];
  readonly response_headers_to_add: readonly KeyValue[];
}

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

function writeKeyValue(to: Writer, { key, value }: KeyValue): void {
  to.string(1, key);
  to.string(2, value);
}

function readKeyValue(from: Reader): KeyValue {
  const message = { key: '', value: '' };
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | BYTES)) message.key = from.string();
    else if (tag === ((2 << 3) | BYTES)) message.value = from.string();
    else from.skip(tag);
  }
  return message;
}

function writeUnitLimit(to: Writer, { requests_per_unit, unit, name }: UnitLimit): void {
  to.uint32(1, requests_per_unit);
  to.uint32(2, unit);
  to.string(3, name);
}

function readUnitLimit(from: Reader): UnitLimit {
  const message = { requests_per_unit: 0, unit: 0, name: '' };
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | VARINT)) message.requests_per_unit = from.uint32();
    else if (tag === ((2 << 3) | VARINT)) message.unit = from.uint32();
    else if (tag === ((3 << 3) | BYTES)) message.name = from.string();
    else from.skip(tag);
  }
  return message;
}

/** google.protobuf.UInt64Value. */
function readWrapped(from: Reader): Int64 {
  let value: Int64 = 0;
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | VARINT)) value = from.int64();
    else from.skip(tag);
  }
  return value;
}

function writeDescriptor(to: Writer, { entries, limit, hits_addend }: RateLimitDescriptor): void {
  to.repeated(1, entries, writeKeyValue);
  if (limit !== undefined) to.message(2, limit, writeUnitLimit);
  if (hits_addend !== undefined) to.message(3, Number(hits_addend), (within, value) => within.int64(1, value));
}

function readDescriptor(from: Reader): RateLimitDescriptor {
  const entries: KeyValue[] = [];
  let limit: UnitLimit | undefined;
  let hits_addend: Int64 | undefined;
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | BYTES)) entries.push(from.message(readKeyValue));
    else if (tag === ((2 << 3) | BYTES)) limit = from.message(readUnitLimit);
    else if (tag === ((3 << 3) | BYTES)) hits_addend = from.message(readWrapped);
    else from.skip(tag);
  }
  return { entries, limit, hits_addend };
}

export function writeRateLimitRequest(to: Writer, { domain, descriptors, hits_addend }: RateLimitRequest): void {
  to.string(1, domain);
  to.repeated(2, descriptors, writeDescriptor);
  to.uint32(3, hits_addend);
}

export function readRateLimitRequest(from: Reader): RateLimitRequest {
  const descriptors: RateLimitDescriptor[] = [];
  let domain = '';
  let hits_addend = 0;
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | BYTES)) domain = from.string();
    else if (tag === ((2 << 3) | BYTES)) descriptors.push(from.message(readDescriptor));
    else if (tag === ((3 << 3) | VARINT)) hits_addend = from.uint32();
    else from.skip(tag);
  }
  return { domain, descriptors, hits_addend };
}

/** google.protobuf.Duration. */
function writeDuration(to: Writer, ms: number): void {
  to.int64(1, Math.floor(ms / 1000));
  to.uint32(2, (ms % 1000) * 1_000_000);
}

function readDuration(from: Reader): number {
  let ms = 0;
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | VARINT)) ms += from.safeInt64() * 1000;
    else if (tag === ((2 << 3) | VARINT)) ms += from.uint32() / 1_000_000;
    else from.skip(tag);
  }
  return ms;
}

function writeStatus(to: Writer, { code, current_limit, limit_remaining, resetMs }: RateLimitStatus): void {
  to.uint32(1, code);
  if (current_limit !== undefined) to.message(2, current_limit, writeUnitLimit);
  to.uint32(3, limit_remaining);
  if (resetMs !== undefined) to.message(4, resetMs, writeDuration);
}

function readStatus(from: Reader): RateLimitStatus {
  const message: Mutable<RateLimitStatus> = { code: 0, current_limit: undefined, limit_remaining: 0, resetMs: undefined };
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | VARINT)) message.code = from.uint32();
    else if (tag === ((2 << 3) | BYTES)) message.current_limit = from.message(readUnitLimit);
    else if (tag === ((3 << 3) | VARINT)) message.limit_remaining = from.uint32();
    else if (tag === ((4 << 3) | BYTES)) message.resetMs = from.message(readDuration);
    else from.skip(tag);
  }
  return message;
}

export function writeRateLimitResponse(to: Writer, { overall_code, statuses, response_headers_to_add }: RateLimitResponse): void {
  to.uint32(1, overall_code);
  to.repeated(2, statuses, writeStatus);
  to.repeated(3, response_headers_to_add, writeKeyValue);
}

export function readRateLimitResponse(from: Reader): RateLimitResponse {
  const statuses: RateLimitStatus[] = [];
  const response_headers_to_add: KeyValue[] = [];
  let overall_code = 0;
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | VARINT)) overall_code = from.uint32();
    else if (tag === ((2 << 3) | BYTES)) statuses.push(from.message(readStatus));
    else if (tag === ((3 << 3) | BYTES)) response_headers_to_add.push(from.message(readKeyValue));
    else from.skip(tag);
  }
  return { overall_code, statuses, response_headers_to_add };
}
