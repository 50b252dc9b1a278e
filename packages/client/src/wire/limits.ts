/** The messages of `tallystick.v1.Limits`, in the words of the library. A field that was not sent is undefined. */
import { errorTable, type ChangeResult, type Decision, type Refusal } from 'tallystick';
import { codeOf } from './counters.ts';
import type { Int64, Reader } from './reader.ts';
import { BYTES, VARINT, type Writer } from './writer.ts';

/** One rule, as it is written or read: its name alone, or all of it. What it may be is for the server to say. */
export interface WireRule<Integer = number> {
  readonly name: string;
  readonly algorithm?: string | undefined;
  readonly limit?: Integer | undefined;
  readonly windowMs?: Integer | undefined;
  readonly slices?: Integer | undefined;
  readonly mode?: string | undefined;
  readonly burst?: Integer | undefined;
  readonly align?: string | undefined;
  readonly leaseMs?: Integer | undefined;
  readonly onOutage?: string | undefined;
  readonly unit?: string | undefined;
  readonly timeZone?: string | undefined;
}

/** What is asked of one subject, as it is written or read. */
export interface LimitRequest<Integer = number> {
  readonly subject: string;
  readonly rules: readonly WireRule<Integer>[];
  readonly cost?: Integer | undefined;
  readonly requestId?: string | undefined;
  readonly requestTtlMs?: Integer | undefined;
  readonly takenAtMs?: Integer | undefined;
  readonly lease?: string | undefined;
  readonly forMs?: Integer | undefined;
}

/** A message that is being read. */
type Mutable<Message> = { -readonly [Field in keyof Message]: Message[Field] };

const REASONS: readonly Decision['reason'][] = ['allowed', 'limited', 'blocked', 'outage'];

function writeRule(to: Writer, rule: WireRule): void {
  to.string(1, rule.name);
  to.optionalString(2, rule.algorithm);
  to.optionalInt64(3, rule.limit);
  to.optionalInt64(4, rule.windowMs);
  to.optionalInt64(5, rule.slices);
  to.optionalString(6, rule.mode);
  to.optionalInt64(7, rule.burst);
  to.optionalString(8, rule.align);
  to.optionalInt64(9, rule.leaseMs);
  to.optionalString(10, rule.onOutage);
  to.optionalString(11, rule.unit);
  to.optionalString(12, rule.timeZone);
}

function readRule(from: Reader): WireRule<Int64> {
  const rule: Mutable<WireRule<Int64>> = { name: '' };
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | BYTES)) rule.name = from.string();
    else if (tag === ((2 << 3) | BYTES)) rule.algorithm = from.string();
    else if (tag === ((3 << 3) | VARINT)) rule.limit = from.int64();
    else if (tag === ((4 << 3) | VARINT)) rule.windowMs = from.int64();
    else if (tag === ((5 << 3) | VARINT)) rule.slices = from.int64();
    else if (tag === ((6 << 3) | BYTES)) rule.mode = from.string();
    else if (tag === ((7 << 3) | VARINT)) rule.burst = from.int64();
    else if (tag === ((8 << 3) | BYTES)) rule.align = from.string();
    else if (tag === ((9 << 3) | VARINT)) rule.leaseMs = from.int64();
    else if (tag === ((10 << 3) | BYTES)) rule.onOutage = from.string();
    else if (tag === ((11 << 3) | BYTES)) rule.unit = from.string();
    else if (tag === ((12 << 3) | BYTES)) rule.timeZone = from.string();
    else from.skip(tag);
  }
  return rule;
}

export function writeLimitRequest(to: Writer, request: LimitRequest): void {
  to.string(1, request.subject);
  to.repeated(2, request.rules, writeRule);
  to.optionalInt64(3, request.cost);
  to.optionalString(4, request.requestId);
  to.optionalInt64(5, request.requestTtlMs);
  to.optionalInt64(6, request.takenAtMs);
  to.optionalString(7, request.lease);
  to.optionalInt64(8, request.forMs);
}

export function readLimitRequest(from: Reader): LimitRequest<Int64> {
  const rules: WireRule<Int64>[] = [];
  const request: Mutable<LimitRequest<Int64>> = { subject: '', rules };
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | BYTES)) request.subject = from.string();
    else if (tag === ((2 << 3) | BYTES)) rules.push(from.message(readRule));
    else if (tag === ((3 << 3) | VARINT)) request.cost = from.int64();
    else if (tag === ((4 << 3) | BYTES)) request.requestId = from.string();
    else if (tag === ((5 << 3) | VARINT)) request.requestTtlMs = from.int64();
    else if (tag === ((6 << 3) | VARINT)) request.takenAtMs = from.int64();
    else if (tag === ((7 << 3) | BYTES)) request.lease = from.string();
    else if (tag === ((8 << 3) | VARINT)) request.forMs = from.int64();
    else from.skip(tag);
  }
  return request;
}

export function writeDecision(to: Writer, result: Decision | Refusal): void {
  if ('outcome' in result) {
    to.uint32(1, errorTable[result.code].number);
    to.string(2, result.msg);
    to.string(14, result.code);
    return;
  }
  to.bool(3, result.allowed);
  to.uint32(4, REASONS.indexOf(result.reason) + 1);
  to.int64(5, result.limit);
  to.int64(6, result.remaining);
  to.optionalInt64(7, result.resetMs ?? undefined);
  to.optionalInt64(8, result.retryAfterMs ?? undefined);
  to.optionalString(9, result.rule ?? undefined);
  to.string(10, result.source);
  to.int64(11, result.atMs);
  to.optionalString(12, result.lease);
  to.bool(13, result.replayed === true);
}

export function readDecision(from: Reader): Decision | Refusal {
  const all = { resetMs: null as number | null, retryAfterMs: null as number | null, rule: null as string | null, lease: undefined as string | undefined };
  let [msg, error, source] = ['', '', ''];
  let [allowed, replayed, reason, limit, remaining, atMs] = [false, false, 0, 0, 0, 0];
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((2 << 3) | BYTES)) msg = from.string();
    else if (tag === ((3 << 3) | VARINT)) allowed = from.bool();
    else if (tag === ((4 << 3) | VARINT)) reason = from.uint32();
    else if (tag === ((5 << 3) | VARINT)) limit = from.safeInt64();
    else if (tag === ((6 << 3) | VARINT)) remaining = from.safeInt64();
    else if (tag === ((7 << 3) | VARINT)) all.resetMs = from.safeInt64();
    else if (tag === ((8 << 3) | VARINT)) all.retryAfterMs = from.safeInt64();
    else if (tag === ((9 << 3) | BYTES)) all.rule = from.string();
    else if (tag === ((10 << 3) | BYTES)) source = from.string();
    else if (tag === ((11 << 3) | VARINT)) atMs = from.safeInt64();
    else if (tag === ((12 << 3) | BYTES)) all.lease = from.string();
    else if (tag === ((13 << 3) | VARINT)) replayed = from.bool();
    else if (tag === ((14 << 3) | BYTES)) error = from.string();
    else from.skip(tag);
  }
  if (error !== '') return { outcome: 'refused', code: codeOf(error), msg };
  const { lease, ...nullable } = all;
  return {
    allowed,
    limit,
    remaining,
    ...nullable,
    // A reason that is not known here denies, or allows, all the same.
    reason: REASONS[reason - 1] ?? (allowed ? 'allowed' : 'limited'),
    source: source as Decision['source'],
    atMs,
    ...(lease !== undefined && { lease }),
    ...(replayed && { replayed }),
  };
}

export function writeLimitChanged(to: Writer, { outcome, replayed }: ChangeResult): void {
  to.bool(1, outcome === 'accepted');
  to.bool(2, replayed === true);
}

export function readLimitChanged(from: Reader): ChangeResult {
  let [accepted, replayed] = [false, false];
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | VARINT)) accepted = from.bool();
    else if (tag === ((2 << 3) | VARINT)) replayed = from.bool();
    else from.skip(tag);
  }
  return { outcome: accepted ? 'accepted' : 'applied', ...(replayed && { replayed }) };
}
