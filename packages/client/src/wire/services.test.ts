// The hand-written codec against the .proto files, as another implementation reads them: every method, in
// both directions, on random messages.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadSync, type MethodDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import fc from 'fast-check';
import { COUNTER_TYPES, errorTable, type ErrorCode } from 'tallystick';
import { countersService, frequencyService, healthService, limitsService, PROTO_FILES, PROTO_FOLDER, type Method } from './index.ts';

/** The arbitraries decide what a method is given. */
type AnyMethod = Omit<Method<never, unknown, unknown>, 'requestDeserialize' | 'responseSerialize'> & {
  readonly responseSerialize: (reply: never) => Buffer;
};

const described = loadSync([...PROTO_FILES], { includeDirs: [PROTO_FOLDER], keepCase: true, longs: String, defaults: false });
const ours: Record<string, Record<string, AnyMethod>> = {
  'tallystick.v1.Counters': countersService,
  'tallystick.v1.FrequencyControl': frequencyService,
  'tallystick.v1.Limits': limitsService,
  'grpc.health.v1.Health': healthService,
};

const methodOf = (service: string, name: string): MethodDefinition<object, object> =>
  (described[service] as ServiceDefinition)[name] as MethodDefinition<object, object>;

// Arbitrary messages in our words, and what the other implementation calls the same.
const text = fc.string({ unit: 'binary', maxLength: 60 }).filter((value) => value.isWellFormed());
const some = fc.oneof(text, fc.string({ maxLength: 300 })).filter((value) => value !== '');
const uint32 = fc.oneof(fc.constantFrom(0, 1, 127, 128, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1), fc.nat(2 ** 32 - 1));
const int64 = fc.oneof(fc.constantFrom(0, -1, 127, 128, -(2 ** 31), 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, -(2 ** 53 - 1)), fc.maxSafeInteger());
const absent = fc.constant(undefined);
const optional = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> => fc.oneof(value, absent);
const code = fc.constantFrom(...(Object.keys(errorTable) as ErrorCode[]));

const subject = { key: text, type: optional(fc.constantFrom(...COUNTER_TYPES)) };
const addRequest = fc.record({
  ...subject,
  delta: optional(int64),
  min: optional(int64),
  max: optional(int64),
  ttlMs: optional(int64),
  windowMs: optional(int64),
  slices: optional(uint32),
  member: optional(text),
  requestId: optional(text),
  timeoutMs: optional(int64),
  requestTtlMs: optional(int64),
  shards: optional(uint32),
});
const getRequest = fc.record({ ...subject, windowMs: optional(int64), slices: optional(uint32) });
const counted = { value: int64, exact: fc.boolean(), delta: int64, ttlMs: optional(int64), replayed: optional(fc.constant(true as const)) };
const addResponse = fc.oneof(
  fc.record({ outcome: fc.constantFrom('applied', 'accepted'), ...counted }),
  fc.record({ outcome: fc.constant('refused'), code, msg: some, value: optional(int64), field: optional(some) }),
);
const getResponse = fc.record({ value: int64, found: fc.boolean(), exact: fc.boolean(), ttlMs: optional(int64) });
const request = { request_id: optional(some), request_ttl_ms: optional(int64) };
const addFreqReq = fc.record({ business_id: uint32, key: text, time_span: uint32, time_unit: fc.nat(1), ...request });
const getFreqReq = fc.record({ business_id: uint32, key: text });
const freqRsp = fc.record({ code: fc.nat(20000), msg: text, business_id: uint32, key: text, freq: uint32, ttl: uint32, accepted: fc.boolean() });
const many = <Message>(message: fc.Arbitrary<Message>): fc.Arbitrary<Message[]> => fc.array(message, { maxLength: 8 });
const batchFreqRsp = fc.record({ results: many(freqRsp), code: fc.nat(20000), msg: text });
const aged = { age_ms: optional(uint32), stale: optional(fc.constant(true as const)) };
const getFreqRsp = fc.tuple(freqRsp, fc.record(aged)).map(([message, age]) => ({ ...message, ...age, accepted: false }));

const optionalText = optional(text);
const rule = fc.record({
  name: text,
  algorithm: optionalText,
  limit: optional(int64),
  windowMs: optional(int64),
  slices: optional(int64),
  mode: optionalText,
  burst: optional(int64),
  align: optionalText,
  leaseMs: optional(int64),
  onOutage: optionalText,
  unit: optionalText,
  timeZone: optionalText,
});
const limitRequest = fc.record({
  subject: text,
  rules: many(rule),
  cost: optional(int64),
  requestId: optionalText,
  requestTtlMs: optional(int64),
  takenAtMs: optional(int64),
  lease: optionalText,
  forMs: optional(int64),
});
const orNull = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> => fc.oneof(value, fc.constant(null));
const decided = fc.record({
  allowed: fc.boolean(),
  limit: int64,
  remaining: int64,
  resetMs: orNull(int64),
  retryAfterMs: orNull(int64),
  rule: orNull(text),
  reason: fc.constantFrom('allowed', 'limited', 'blocked', 'outage'),
  source: text,
  atMs: int64,
  lease: optionalText,
  replayed: optional(fc.constant(true as const)),
});
const decision = fc.oneof(decided, fc.record({ outcome: fc.constant('refused'), code, msg: text }));
const changed = fc.record({ outcome: fc.constantFrom('applied', 'accepted'), replayed: optional(fc.constant(true as const)) });

const health = fc.constantFrom('UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN');

/** By method, or by service and method where two have the name. */
const MESSAGES: Record<string, readonly [request: fc.Arbitrary<unknown>, reply: fc.Arbitrary<unknown>]> = {
  Add: [addRequest, addResponse],
  Get: [getRequest, getResponse],
  BatchAdd: [fc.record({ items: many(addRequest), requestId: optional(text), requestTtlMs: optional(int64) }), many(addResponse)],
  BatchGet: [many(getRequest), many(getResponse)],
  StreamAdd: [
    fc.record({ id: uint32, items: many(addRequest) }),
    fc.oneof(fc.record({ id: uint32, results: many(addResponse) }), fc.record({ id: uint32, results: fc.constant([]), code, msg: text })),
  ],
  AddFreq: [addFreqReq, freqRsp],
  BatchAddFreq: [fc.record({ requests: many(addFreqReq), all_or_nothing: fc.boolean(), ...request }), batchFreqRsp],
  GetFreq: [getFreqReq, getFreqRsp],
  BatchGetFreq: [fc.record({ requests: many(getFreqReq) }), fc.record({ results: many(getFreqRsp), code: fc.nat(20000), msg: text })],
  'grpc.health.v1.Health/Check': [text, health],
  Watch: [text, health],
  Check: [limitRequest, decision],
  BatchCheck: [many(limitRequest), many(decision)],
  Peek: [limitRequest, decision],
  ...Object.fromEntries(['Refund', 'Release', 'Penalize', 'Reset', 'Block', 'Unblock'].map((name) => [name, [limitRequest, changed] as const])),
};

/** Without the fields that are undefined, at every depth. */
const given = (message: unknown): unknown => JSON.parse(JSON.stringify(message));

describe('the wire', () => {
  for (const [service, methods] of Object.entries(ours)) {
    it(`has the methods of ${service}`, () => {
      const theirs = Object.entries(described[service] as ServiceDefinition);
      assert.deepEqual(
        Object.entries(methods).map(([name, { path, requestStream, responseStream }]) => [name, path, requestStream, responseStream]),
        theirs.map(([name, { path, requestStream, responseStream }]) => [name, path, requestStream, responseStream]),
      );
    });

    for (const [name, method] of Object.entries(methods)) {
      const [request, reply] = MESSAGES[`${service}/${name}`] ?? MESSAGES[name]!;
      it(`${name}: another implementation reads and writes the same messages`, () => {
        const theirs = methodOf(service, name);
        fc.assert(
          fc.property(request, reply, (message, answer) => {
            const bytes = method.requestSerialize(message as never);
            const again = theirs.requestSerialize(theirs.requestDeserialize(bytes));
            assert.deepEqual(given(method.parseRequest(again)), given(message));
            const answerBytes = method.responseSerialize(answer as never);
            const answerAgain = theirs.responseSerialize(theirs.responseDeserialize(answerBytes));
            assert.deepEqual(given(method.responseDeserialize(answerAgain)), given(answer));
          }),
        );
      });
    }
  }

  it('is named by the .proto as the library names it', () => {
    const item = { key: 'k', delta: -5, type: 'sliding-window', windowMs: 60_000, slices: 6, requestId: 'r', timeoutMs: 9, requestTtlMs: 8, shards: 5 } as const;
    const theirs = methodOf('tallystick.v1.Counters', 'Add').requestDeserialize(countersService.Add.requestSerialize(item));
    assert.deepEqual(given(theirs), { key: 'k', delta: '-5', type: 4, window_ms: '60000', slices: 6, request_id: 'r', timeout_ms: '9', request_ttl_ms: '8', shards: 5 });
    const frequency = { business_id: 7, key: 'k', time_span: 2, time_unit: 1, request_id: 'r' };
    const bytes = frequencyService.AddFreq.requestSerialize(frequency);
    assert.deepEqual(given(methodOf('tallystick.v1.FrequencyControl', 'AddFreq').requestDeserialize(bytes)), frequency);
  });
});
