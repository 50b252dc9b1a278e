/**
 * Frequency control: how often something happened in a span that begins with its first occurrence. A
 * counter under `joinKey('freq', business_id, key)` is created by the first add with the span as its
 * lifetime, or until the end of a calendar's day, where its business has a time zone; later adds do not renew it.
 */
import { errorTable, joinKey, MAX_VALUE, type AddItem, type AddOptions, type AddResult, type CounterReading, type ErrorCode, type GetItem, type Refusal } from 'tallystick';
import { recordedAdd } from './add-counters.ts';
import { checkEach, checkFlag, checkInteger, checkKeyPart, checkList, checkObject, checkText, renamed, unexpected } from './checks.ts';
import { inTime, timeoutOf, type Call, type Context } from './context.ts';
import { readMany } from './get-counters.ts';

/** AddFreqRsp and GetFreqRsp. */
export interface FreqReply {
  /** A number of the error table; 0 is OK. */
  readonly code: number;
  readonly msg: string;
  readonly business_id: number;
  readonly key: string;
  /** How often in the running span; saturates at the largest uint32. */
  readonly freq: number;
  /** Seconds left of the span, rounded up. */
  readonly ttl: number;
  /** `accepted`: will be counted exactly once, `freq` is an estimate. Absent for a read. */
  readonly outcome?: AddResult['outcome'] | Refusal['outcome'];
  /** Of a read that a copy answered: how old it is at most, in milliseconds. */
  readonly age_ms?: number;
  /** The store is away, and the copy stands in. */
  readonly stale?: true;
}

/** What came of a batch, in the order of its requests; each result has a code of its own. */
export interface FreqBatchReply {
  /** 0: the batch was executed. */
  readonly code: 0;
  readonly msg: string;
  readonly results: readonly FreqReply[];
}

const ADD = new Set(['business_id', 'key', 'time_span', 'time_unit', 'request_id', 'request_ttl_ms']);
const GET = new Set(['business_id', 'key']);
const BATCH_ADD = new Set(['requests', 'request_id', 'request_ttl_ms', 'all_or_nothing']);
const BATCH_GET = new Set(['requests']);
const UINT32_MAX = 0xffff_ffff;
const SECONDS_A_DAY = 24 * 3600;
const UNIT_SECONDS = new Map<unknown, number>([
  ['SEC', 1],
  [0, 1],
  ['DAY', SECONDS_A_DAY],
  [1, SECONDS_A_DAY],
]);
const MAX_REQUEST_ID_CHARACTERS = 128;

/** Who is asked about. Built in one go, never by spreading: a batch makes one for each of its requests. */
interface Subject {
  readonly business_id: number;
  readonly key: string;
  /** The key of the counter. */
  readonly counterKey: string;
}

/** A checked AddFreqReq. */
interface FreqAdd extends Subject {
  /** How long the span is, in milliseconds; of days, as if each had 24 hours. */
  readonly ttlMs: number;
  /** The span in days; undefined for one in seconds. */
  readonly days: number | undefined;
  readonly request: RepeatOptions;
}

type RepeatOptions = Pick<AddOptions, 'requestId' | 'requestTtlMs'>;

/** How keys of the business last asked about begin: they differ only in their last part. */
const last = { business_id: NaN, beginning: '' };

/** The key of the counter of a subject. The library checks it, as what a request calls `key`. */
function counterKeyOf(business_id: number, key: string): string {
  if (business_id !== last.business_id) {
    last.beginning = joinKey('freq', String(business_id), '-').slice(0, -1);
    last.business_id = business_id;
  }
  return last.beginning + key;
}

const checkBusinessId = (business_id: unknown): number => checkInteger(business_id, 'business_id', 0, UINT32_MAX);

/** The reply carries the time left as uint32 seconds, so no span may be longer. */
function spanMs(timeSpan: unknown, timeUnit: unknown): number {
  const unitSeconds = timeUnit === undefined ? 1 : UNIT_SECONDS.get(timeUnit);
  if (unitSeconds === undefined) throw unexpected('time_unit', '"SEC" (0) or "DAY" (1)', timeUnit);
  const most = Math.floor(UINT32_MAX / unitSeconds);
  return checkInteger(timeSpan, 'time_span', 1, most) * unitSeconds * 1000;
}

const UNREPEATED: RepeatOptions = Object.freeze({});

function checkRequest(request_id: unknown, request_ttl_ms: unknown): RepeatOptions {
  if (request_id === undefined) {
    if (request_ttl_ms === undefined) return UNREPEATED;
    throw unexpected('request_ttl_ms', 'nothing without a request_id', request_ttl_ms);
  }
  const requestId = checkText(request_id, 'request_id', MAX_REQUEST_ID_CHARACTERS);
  if (request_ttl_ms === undefined) return { requestId };
  return { requestId, requestTtlMs: checkInteger(request_ttl_ms, 'request_ttl_ms', 1, MAX_VALUE) };
}

function checkAdd(request: unknown): FreqAdd {
  const fields = checkObject(request, ADD);
  const business_id = checkBusinessId(fields['business_id']);
  const key = checkKeyPart(fields['key'], 'key');
  const counterKey = counterKeyOf(business_id, key);
  const ttlMs = spanMs(fields['time_span'], fields['time_unit']);
  const days = UNIT_SECONDS.get(fields['time_unit']) === SECONDS_A_DAY ? ttlMs / (SECONDS_A_DAY * 1000) : undefined;
  return { business_id, key, counterKey, ttlMs, days, request: checkRequest(fields['request_id'], fields['request_ttl_ms']) };
}

function checkGet(request: unknown): Subject {
  const fields = checkObject(request, GET);
  const business_id = checkBusinessId(fields['business_id']);
  const key = checkKeyPart(fields['key'], 'key');
  return { business_id, key, counterKey: counterKeyOf(business_id, key) };
}

const freqOf = (value: number): number => Math.max(0, Math.min(value, UINT32_MAX));

const ttlOf = (ttlMs: number | undefined): number => (ttlMs === undefined ? 0 : Math.min(Math.ceil(ttlMs / 1000), UINT32_MAX));

function reply({ business_id, key }: Subject, value: number, ttlMs: number | undefined): FreqReply {
  return { code: 0, msg: 'OK', business_id, key, freq: freqOf(value), ttl: ttlOf(ttlMs) };
}

function failed(subject: Subject, code: ErrorCode, msg: string): FreqReply {
  return { ...reply(subject, 0, undefined), code: errorTable[code].number, msg };
}

function added(subject: Subject, result: AddResult | Refusal): FreqReply {
  if (result.outcome === 'refused') return { ...failed(subject, result.code, result.msg), outcome: 'refused' };
  const { business_id, key } = subject;
  const { value, ttlMs, outcome } = result;
  return { code: 0, msg: 'OK', business_id, key, freq: freqOf(value), ttl: ttlOf(ttlMs), outcome };
}

function found(subject: Subject, { found: isThere, value, ttlMs, ageMs, stale }: CounterReading): FreqReply {
  const answer = isThere ? reply(subject, value, ttlMs) : failed(subject, 'KEY_NOT_FOUND', errorTable.KEY_NOT_FOUND.meaning);
  if (ageMs === undefined && stale === undefined) return answer;
  return { ...answer, ...(ageMs !== undefined && { age_ms: ageMs }), ...(stale && { stale }) };
}

function batchOf(results: readonly FreqReply[]): FreqBatchReply {
  const failures = results.filter(({ code }) => code !== 0).length;
  return { code: 0, msg: failures === 0 ? 'OK' : `${failures} of ${results.length} have a code of their own`, results };
}

/**
 * `{business_id, key, time_span, time_unit?, request_id?, request_ttl_ms?}` (AddFreqReq): counts one occurrence.
 *
 * @throws TallystickError when refused.
 */
export async function addFreq(context: Context, request: unknown, call?: Call): Promise<FreqReply> {
  const subject = checkAdd(request);
  const { counterKey, request: again } = subject;
  const options: AddOptions = { ...termsOf(context, subject), timeoutMs: timeoutOf(context, call), ...again };
  return added(subject, await recordedAdd(context, counterKey, 1, options));
}

/**
 * `{requests: [AddFreqReq], request_id?, request_ttl_ms?, all_or_nothing?}`: every request is checked before any is counted.
 *
 * @throws TallystickError when the whole is refused; a field `requests[3].key` names the bad one.
 */
export async function batchAddFreq(context: Context, request: unknown, call?: Call): Promise<FreqBatchReply> {
  const { requests, request_id, request_ttl_ms, all_or_nothing } = checkObject(request, BATCH_ADD, 'body');
  const subjects = checkEach('requests', checkList(requests, 'requests', context.maxBatchItems), checkAdd);
  const allOrNothing = checkFlag(all_or_nothing, 'all_or_nothing');
  const options = { timeoutMs: timeoutOf(context, call), allOrNothing, ...checkRequest(request_id, request_ttl_ms) };
  try {
    const results = await context.counters.addMany(subjects.map((subject) => itemOf(context, subject)), options);
    for (const { outcome } of results) context.figures.countIncrement('simple', outcome);
    return batchOf(results.map((result, index) => added(subjects[index] as FreqAdd, result)));
  } catch (error) {
    throw renamed(error, 'items', 'requests');
  }
}

/** What kind of count it is, by the choices of its business. */
function termsOf({ businesses }: Context, { business_id, ttlMs, days }: FreqAdd): Pick<AddItem, 'ttlMs' | 'ends' | 'onOutage'> {
  const { onOutage, days: calendar } = businesses.of(business_id);
  return days === undefined || calendar === undefined ? { ttlMs, onOutage } : { ttlMs, onOutage, ends: calendar.ends(days) };
}

function itemOf(context: Context, subject: FreqAdd): AddItem {
  const { counterKey, request } = subject;
  const terms = termsOf(context, subject);
  return request === UNREPEATED ? { key: counterKey, ...terms } : { key: counterKey, ...terms, ...request };
}

/** A read that is answered by a copy only where its business allows that. */
function queryOf({ businesses }: Context, { business_id, counterKey }: Subject): string | GetItem {
  const { ages } = businesses.of(business_id);
  return ages === undefined ? counterKey : { key: counterKey, ...ages };
}

/**
 * `{business_id, key}` (GetFreqReq). Where nothing is counted the reply has the code of `KEY_NOT_FOUND`.
 *
 * @throws TallystickError when refused.
 */
export async function getFreq(context: Context, request: unknown, call?: Call): Promise<FreqReply> {
  const subject = checkGet(request);
  return found(subject, await inTime(context, call, () => context.counters.get(subject.counterKey, context.businesses.of(subject.business_id).ages)));
}

/** `{requests: [GetFreqReq]}`. @throws TallystickError when the whole is refused. */
export async function batchGetFreq(context: Context, request: unknown, call?: Call): Promise<FreqBatchReply> {
  const { requests } = checkObject(request, BATCH_GET, 'body');
  const subjects = checkEach('requests', checkList(requests, 'requests', context.maxBatchItems), checkGet);
  const readings = await readMany(context, subjects.map((subject) => queryOf(context, subject)), 'requests', call);
  return batchOf(readings.map((reading, index) => found(subjects[index] as Subject, reading)));
}
