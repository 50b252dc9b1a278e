/** What the OpenAPI document says of each route. Its names are checked against the routes by a test. */
import type { ErrorCode } from 'tallystick';
import { listOf, object, readFields, ref, type Schema } from './schemas.ts';

/** One route, described. */
export interface Operation {
  readonly summary: string;
  readonly tag: 'likes' | 'counters' | 'frequency' | 'limits' | 'operations';
  /** Schema of the request body. */
  readonly body?: Schema;
  /** Whether the body may be left out. */
  readonly bodyOptional?: boolean;
  readonly query?: Readonly<Record<string, Schema>>;
  /** Schema of a successful answer; absent when it is text. */
  readonly answer?: Schema;
  /** Whether the answer may be 202: accepted, not applied yet. */
  readonly accepts?: boolean;
  /** Further answers that are no error envelope, by status. */
  readonly otherwise?: Readonly<Record<number, Schema>>;
  /** Codes beside those that any route may have. */
  readonly errors: readonly ErrorCode[];
}

const envelope = (data: Schema): Schema => object({ code: { const: 0 }, msg: { const: 'OK' }, data }, ['code', 'msg', 'data']);

const STORE: readonly ErrorCode[] = ['TIMEOUT', 'OVERLOADED', 'STORE_UNAVAILABLE', 'CLOSED'];
const BODY: readonly ErrorCode[] = ['MALFORMED', 'UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE', 'INVALID_ARGUMENT', 'INVALID_KEY'];
const READ: readonly ErrorCode[] = ['INVALID_KEY', 'INVALID_ARGUMENT', ...STORE];
const READ_MANY: readonly ErrorCode[] = [...BODY, 'BATCH_TOO_LARGE', ...STORE];
const WRITE_MANY: readonly ErrorCode[] = [...BODY, 'INVALID_AMOUNT', 'BATCH_TOO_LARGE', ...STORE];
const WRITE: readonly ErrorCode[] = [...BODY, 'INVALID_AMOUNT', 'OUT_OF_RANGE', 'STATE_TOO_LARGE', 'OUTCOME_UNKNOWN', ...STORE];

const LIMITS: readonly ErrorCode[] = [...BODY, 'OUTCOME_UNKNOWN', 'UNSUPPORTED', ...STORE];

const limitChange = (summary: string, body: string, errors: readonly ErrorCode[]): Operation => ({
  summary,
  tag: 'limits',
  body: ref(body),
  answer: ref('Changed'),
  accepts: true,
  errors: [...LIMITS, ...errors],
});

/** Every route as `METHOD /path/{part}`. */
export const operations: Readonly<Record<string, Operation>> = {
  'POST /api/counter/like': {
    summary: 'One like more of a resource.',
    tag: 'likes',
    body: ref('Like'),
    answer: envelope(ref('LikeResult')),
    accepts: true,
    otherwise: { 429: ref('Denial') },
    errors: WRITE,
  },
  'POST /api/counter/unlike': {
    summary: 'One like less of a resource, never below 0.',
    tag: 'likes',
    body: ref('Like'),
    answer: envelope(ref('LikeResult')),
    accepts: true,
    otherwise: { 429: ref('Denial') },
    errors: WRITE,
  },
  'GET /api/counter/count/{resourceId}': {
    summary: 'The likes of a resource.',
    tag: 'likes',
    answer: envelope(ref('LikeCount')),
    errors: READ,
  },
  'POST /api/counter/batch-count': {
    summary: 'The likes of many resources, in order.',
    tag: 'likes',
    body: ref('ResourceIds'),
    answer: envelope(listOf(ref('LikeCount'))),
    errors: READ_MANY,
  },
  'POST /v1/counters/add': {
    summary: 'Adds to many counters. Every item is checked before any is counted; each has a result of its own.',
    tag: 'counters',
    body: ref('AddMany'),
    answer: ref('AddResults'),
    errors: WRITE_MANY,
  },
  'POST /v1/counters/get': {
    summary: 'Reads many counters, in order.',
    tag: 'counters',
    body: ref('GetMany'),
    answer: ref('Counters'),
    errors: READ_MANY,
  },
  'POST /v1/counters/{key}': {
    summary: 'Adds to one counter (its key percent-encoded; the keys add, get, . and .. only through the batch call).',
    tag: 'counters',
    body: ref('Add'),
    bodyOptional: true,
    answer: ref('AddResult'),
    accepts: true,
    errors: WRITE,
  },
  'GET /v1/counters/{key}': {
    summary: 'Reads one counter (its key percent-encoded; the keys . and .., which clients take out of a path, only through the batch call).',
    tag: 'counters',
    query: readFields,
    answer: ref('Counter'),
    errors: READ,
  },
  'POST /v1/frequency/add': {
    summary: 'Counts one occurrence in the span that began with the first.',
    tag: 'frequency',
    body: ref('AddFreqReq'),
    answer: ref('FreqRsp'),
    accepts: true,
    errors: WRITE,
  },
  'POST /v1/frequency/batch-add': {
    summary: 'Counts many occurrences. Every request is checked before any is counted; each has a code of its own.',
    tag: 'frequency',
    body: ref('BatchAddFreqReq'),
    answer: ref('BatchFreqRsp'),
    errors: WRITE_MANY,
  },
  'POST /v1/frequency/get': {
    summary: 'How often in the running span; 404 with the code of KEY_NOT_FOUND when there is none.',
    tag: 'frequency',
    body: ref('GetFreqReq'),
    answer: ref('FreqRsp'),
    otherwise: { 404: ref('FreqRsp') },
    errors: [...BODY, ...STORE],
  },
  'POST /v1/frequency/batch-get': {
    summary: 'How often in the running spans of many, in order.',
    tag: 'frequency',
    body: ref('BatchGetFreqReq'),
    answer: ref('BatchFreqRsp'),
    errors: READ_MANY,
  },
  'POST /v1/limits/check': {
    summary: 'Whether a subject may: takes units under all rules, or nothing. A denial is an answer like any other. With items: many, each by itself.',
    tag: 'limits',
    body: { oneOf: [ref('Check'), ref('CheckMany')] },
    answer: { oneOf: [ref('Decision'), ref('Decisions')] },
    otherwise: { 429: ref('Denial') },
    errors: [...LIMITS, 'INVALID_AMOUNT', 'BATCH_TOO_LARGE'],
  },
  'POST /v1/limits/peek': {
    summary: 'What a check would be told now. Changes nothing.',
    tag: 'limits',
    body: ref('Peek'),
    answer: ref('Decision'),
    errors: [...LIMITS, 'INVALID_AMOUNT'],
  },
  'POST /v1/limits/refund': limitChange('Gives units back; a count never falls below 0.', 'Refund', ['INVALID_AMOUNT']),
  'POST /v1/limits/release': limitChange('Gives a lease of a concurrency rule back.', 'Release', []),
  'POST /v1/limits/penalize': limitChange('Takes units without asking.', 'Penalty', ['INVALID_AMOUNT']),
  'POST /v1/limits/reset': limitChange('Forgets what these rules, or all, have counted of a subject. A block stays.', 'Reset', []),
  'POST /v1/limits/block': limitChange('Denies every check of a subject, for a time or until it is unblocked.', 'Block', []),
  'POST /v1/limits/unblock': limitChange('Ends a block.', 'Unblock', []),
  'GET /v1/admin/rules': {
    summary: 'The rules file that holds: version, when it was loaded, and what is wrong with the file as it is now. Takes the role admin.',
    tag: 'operations',
    answer: { type: 'object' },
    errors: ['UNSUPPORTED'],
  },
  'GET /v1/admin/limits/{subject}': {
    summary: 'Where a subject of the rules file stands (key=value, joined by &, percent-encoded). Changes nothing. Takes the role admin.',
    tag: 'operations',
    query: { domain: { type: 'string' } },
    answer: { type: 'object' },
    errors: ['INVALID_ARGUMENT', 'UNKNOWN_FIELD', 'KEY_NOT_FOUND', 'UNSUPPORTED', ...STORE],
  },
  'GET /healthz': { summary: 'Whether the process lives.', tag: 'operations', answer: ref('Status'), errors: [] },
  'GET /readyz': {
    summary: 'Whether calls would be served: 503 with a reason while draining or while the store does not answer.',
    tag: 'operations',
    answer: ref('Status'),
    otherwise: { 503: ref('Status') },
    errors: [],
  },
  'GET /metrics': { summary: 'Metrics in the text format of Prometheus.', tag: 'operations', errors: [] },
  'GET /openapi.json': { summary: 'This document.', tag: 'operations', answer: { type: 'object' }, errors: [] },
};
