/** Schemas of the OpenAPI document, by name: the shapes that requests and answers share. */
import { COUNTER_TYPES, MAX_VALUE } from 'tallystick';

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** A schema defined below. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** A list of something. */
export const listOf = (items: Schema): Schema => ({ type: 'array', items });

/** An object with these fields and no others; those in `required` must be there. */
export const object = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const text = (description: string): Schema => ({ type: 'string', description });
const flag = (description: string): Schema => ({ type: 'boolean', description });
const integer = (description: string, minimum = -MAX_VALUE, maximum = MAX_VALUE): Schema => ({ type: 'integer', minimum, maximum, description });
const uint32 = (description: string, minimum = 0): Schema => integer(description, minimum, 0xffff_ffff);

const key = { type: 'string', minLength: 1, description: '1 to 512 bytes of well-formed UTF-8, compared byte by byte.' };
const requestId = {
  type: 'string',
  minLength: 1,
  maxLength: 128,
  description: 'Makes a repeated call harmless: the first answer to this id is given again and nothing is counted twice.',
};
const requestTtlMs = integer(
  'How long that first answer is given again, in milliseconds; at most, and by default, the node’s requestRetentionMs. Only together with the request id.',
  1,
);
const request = { requestId, requestTtlMs };
const freqRequest = { request_id: requestId, request_ttl_ms: requestTtlMs };
const delta = integer('Signed amount. Default 1.');
const ttlMs = integer('Lifetime in milliseconds, given when the counter is created.', 1);

/** Which counter of a key is meant. */
const counterFields: Readonly<Record<string, Schema>> = {
  type: { enum: COUNTER_TYPES, description: 'Default: as declared for the key, else simple.' },
  windowMs: integer('Window in milliseconds; required for the sliding and unique types.', 1),
  slices: integer('Sub-counters of sliding-window and unique-approx.', 1, 1000),
};

const maxAgeMs = integer('How old a copy may be, in milliseconds; 0 asks the store. Default, and at most: the node’s nearTtlMs.', 0);

/** Fields of a read. */
export const readFields: Readonly<Record<string, Schema>> = { ...counterFields, maxAgeMs };

const addFields = {
  delta,
  ...counterFields,
  min: integer('simple: a decrease stops here.'),
  max: integer('simple: an increase stops here.'),
  ttlMs,
  shards: integer('sharded: over how many partitions the adds are spread. Default 100.', 1, 1024),
  member: text('unique, unique-approx: the member that was seen.'),
  ...request,
};

const outcome = (...names: string[]): Schema => ({
  enum: names,
  description: 'applied: counted, the value is exact. accepted: will be counted exactly once, the value is an estimate. refused: nothing happened.',
});
const leftMs = integer('Milliseconds left to live; absent for a counter that does not expire.', 1);
const replayed = { const: true, description: 'The first answer to the same request id, given again.' };
const exact = flag('Whether the value is exact.');
const copied = {
  ageMs: integer('Of a copy: how old it is at most, in milliseconds.', 0),
  stale: { const: true, description: 'The store does not answer, and a copy stands in.' },
};
const reallyAdded = integer('What was really added: less than asked where a bound stopped it.');
const addResult = { key, outcome: outcome('applied', 'accepted'), value: integer('The value right after.'), exact, delta: reallyAdded, ttlMs: leftMs, replayed };

const subject = { business_id: uint32('The business that counts.'), key };
const freqAdd = {
  ...subject,
  time_span: uint32('Length of the span, from the first add; a day is 24 hours, or one of the calendar of the business. At most what fits uint32 seconds.', 1),
  time_unit: { enum: ['SEC', 'DAY', 0, 1], description: 'Default SEC.' },
  ...freqRequest,
};
const code = integer('0, or a number of the error table.', 0, 99_999);

const limitSubject = { type: 'string', minLength: 1, description: 'Who is limited: 1 to 512 bytes of well-formed UTF-8.' };
const oneRule = { anyOf: [text('The name of a declared limit.'), ref('Rule')] };
const rules = { anyOf: [...oneRule.anyOf, { type: 'array', items: oneRule, minItems: 1, maxItems: 32 }], description: 'All or nothing.' };
const cost = integer('Units. Default 1.', 1);
const asked = { subject: limitSubject, rules, cost };
const takeFields = { ...asked, ...request };
const msOrNull = (description: string): Schema => ({ type: ['integer', 'null'], minimum: 0, description });
const decision = {
  allowed: flag('Whether the units were taken.'),
  limit: integer('The limit of rule; 0 for a block.', 0),
  remaining: integer('Units left of that rule.', 0),
  resetMs: msOrNull('Milliseconds until all units are free again if nothing more is taken; null for never.'),
  retryAfterMs: msOrNull('0 when allowed; else after so many milliseconds the same fits, if nobody else takes before; null: waiting does not help.'),
  reason: { enum: ['allowed', 'limited', 'blocked', 'outage'] },
  rule: { type: ['string', 'null'], description: 'The rule nearest to its limit, or the one to wait for longest; null for a block.' },
  source: { type: 'string', description: 'store; near: a denial that this node remembers.' },
  atMs: integer('When it was decided, by the store’s clock.', 0),
  lease: text('Name of the lease that a concurrency rule gave.'),
  replayed,
};
const decided = ['allowed', 'limit', 'remaining', 'resetMs', 'retryAfterMs', 'reason', 'rule', 'source', 'atMs'];

/** Every named schema of the document. */
export const schemas: Readonly<Record<string, Schema>> = {
  Error: object(
    {
      code,
      msg: text('What was wrong, naming the field, what was expected and what came.'),
      data: { type: 'null' },
      field: text('Path of the field at fault, such as items[3].delta.'),
      index: integer('Index of the item at fault.', 0),
    },
    ['code', 'msg', 'data'],
  ),
  Like: object({ userId: text('Who likes; 1 to 512 characters.'), resourceId: key, ...request }, ['userId', 'resourceId']),
  LikeResult: object(
    { resourceId: key, count: integer('Likes right after.'), outcome: outcome('applied', 'accepted'), exact, delta: reallyAdded, ttlMs: leftMs, replayed },
    ['resourceId', 'count', 'outcome', 'exact', 'delta'],
  ),
  LikeCount: object({ resourceId: key, count: integer('Likes; 0 for a resource that was never liked.'), exact, ...copied }, ['resourceId', 'count', 'exact']),
  ResourceIds: object({ resourceIds: listOf(key) }, ['resourceIds']),
  Add: object(addFields),
  AddMany: object({ items: listOf(object({ key, ...addFields }, ['key'])), ...request }, ['items']),
  AddResult: object(addResult, ['key', 'outcome', 'value', 'exact', 'delta']),
  AddResults: object(
    {
      results: listOf(
        object({ ...addResult, outcome: outcome('applied', 'accepted', 'refused'), code, msg: text('Why it was refused.') }, ['key', 'outcome']),
      ),
    },
    ['results'],
  ),
  GetMany: object({ keys: listOf({ anyOf: [key, object({ key, ...readFields }, ['key'])] }), maxAgeMs }, ['keys']),
  Counter: object(
    { key, value: integer('0 when there is no live counter.'), found: flag('Whether there is a live counter.'), exact, ttlMs: leftMs, ...copied },
    ['key', 'value', 'found', 'exact'],
  ),
  Counters: object({ results: listOf(ref('Counter')) }, ['results']),
  AddFreqReq: object(freqAdd, ['business_id', 'key', 'time_span']),
  GetFreqReq: object(subject, ['business_id', 'key']),
  BatchAddFreqReq: object(
    {
      requests: listOf(ref('AddFreqReq')),
      ...freqRequest,
      all_or_nothing: flag('Takes every request or refuses all; what is taken will be counted, exactly once each. Default false.'),
    },
    ['requests'],
  ),
  BatchGetFreqReq: object({ requests: listOf(ref('GetFreqReq')) }, ['requests']),
  FreqRsp: object(
    {
      code,
      msg: text('OK, or what went wrong.'),
      ...subject,
      freq: uint32('How often in the running span; saturates.'),
      ttl: uint32('Seconds left of the span, rounded up.'),
      outcome: outcome('applied', 'accepted', 'refused'),
      age_ms: uint32('Of a copy, where the setting of the business allows one: how old it is at most, in milliseconds.'),
      stale: { const: true, description: 'The store is away, and the copy stands in.' },
    },
    ['code', 'msg', 'business_id', 'key', 'freq', 'ttl'],
  ),
  BatchFreqRsp: object({ code: { const: 0 }, msg: text('OK, or how many results have a code of their own.'), results: listOf(ref('FreqRsp')) }, [
    'code',
    'msg',
    'results',
  ]),
  Rule: object(
    {
      name: text('1 to 128 characters; what is counted lies under name and shape.'),
      algorithm: { type: 'string', description: 'fixed-window, sliding-window, sliding-log, token-bucket, concurrency or calendar.' },
      limit: integer('Units.', 0),
      windowMs: integer('All but concurrency and calendar.', 1),
      slices: integer('sliding-window. Default 10.', 1, 1000),
      mode: { enum: ['conservative', 'interpolated'], description: 'sliding-window. Default conservative.' },
      align: { enum: ['first', 'clock'], description: 'fixed-window. Default first.' },
      burst: integer('token-bucket. Default limit.', 1),
      leaseMs: integer('concurrency.', 1),
      unit: { enum: ['day', 'week', 'month', 'year'], description: 'calendar; weeks begin on Monday.' },
      timeZone: text('calendar: an IANA name. Default UTC.'),
      onOutage: { enum: ['open', 'closed', 'local'], description: 'What is answered while the store is away. Default: a check waits for it.' },
    },
    ['name', 'algorithm', 'limit'],
  ),
  Check: object({ ...takeFields, denialStatus: { enum: [200, 429], description: 'Status of a denial. Default 200.' } }, ['subject', 'rules']),
  CheckMany: object({ items: listOf(object(takeFields, ['subject', 'rules'])) }, ['items']),
  Peek: object(asked, ['subject', 'rules']),
  Refund: object({ ...takeFields, decision: { ...ref('Decision'), description: 'Of the take: units go back to the window they came from.' } }, ['subject', 'rules']),
  Release: object({ subject: limitSubject, rules, lease: text('Of the decision.'), ...request }, ['subject', 'rules', 'lease']),
  Penalty: object(takeFields, ['subject', 'rules']),
  Reset: object({ subject: limitSubject, rules, ...request }, ['subject']),
  Block: object({ subject: limitSubject, forMs: integer('Default: until unblocked.', 1), ...request }, ['subject']),
  Unblock: object({ subject: limitSubject, ...request }, ['subject']),
  Decision: object(decision, decided),
  Decisions: object({ results: listOf({ anyOf: [ref('Decision'), object({ outcome: outcome('refused'), code, msg: text('Why.') }, ['outcome', 'code', 'msg'])] }) }, [
    'results',
  ]),
  Denial: object(
    {
      code,
      msg: text('Why.'),
      data: ref('Decision'),
      type: text('URI of the kind of problem (RFC 9457).'),
      title: text('The kind of problem.'),
      status: { const: 429 },
      detail: text('This problem.'),
      'violated-policies': listOf(text('Name of a rule.')),
      retryAfterMs: msOrNull('As in data.'),
    },
    ['code', 'msg', 'data', 'type', 'title', 'status', 'detail', 'violated-policies', 'retryAfterMs'],
  ),
  Changed: object({ outcome: outcome('applied', 'accepted'), replayed }, ['outcome']),
  Status: object({ status: text('alive, ready or not ready.'), reason: text('Why not.'), partitionsAway: integer('Parts of the store that do not answer.', 1) }, ['status']),
};
