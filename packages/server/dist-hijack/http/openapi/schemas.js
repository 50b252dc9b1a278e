/** Schemas of the OpenAPI document, by name: the shapes that requests and answers share. */
import { COUNTER_TYPES, MAX_VALUE } from 'tallystick';
/** A schema defined below. */
export const ref = (name) => ({ $ref: `#/components/schemas/${name}` });
/** A list of something. */
export const listOf = (items) => ({ type: 'array', items });
/** An object with these fields and no others; those in `required` must be there. */
export const object = (properties, required = []) => ({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
});
const text = (description) => ({ type: 'string', description });
const flag = (description) => ({ type: 'boolean', description });
const integer = (description, minimum = -MAX_VALUE, maximum = MAX_VALUE) => ({ type: 'integer', minimum, maximum, description });
const uint32 = (description, minimum = 0) => integer(description, minimum, 0xffff_ffff);
const key = { type: 'string', minLength: 1, description: '1 to 512 bytes of well-formed UTF-8, compared byte by byte.' };
const requestId = {
    type: 'string',
    minLength: 1,
    maxLength: 128,
    description: 'Makes a repeated call harmless: the first answer to this id is given again and nothing is counted twice.',
};
const requestTtlMs = integer('How long that first answer is given again, in milliseconds; at most, and by default, the node’s requestRetentionMs. Only together with the request id.', 1);
const request = { requestId, requestTtlMs };
const freqRequest = { request_id: requestId, request_ttl_ms: requestTtlMs };
const delta = integer('Signed amount. Default 1.');
const ttlMs = integer('Lifetime in milliseconds, given when the counter is created.', 1);
/** Which counter of a key is meant. */
export const counterFields = {
    type: { enum: COUNTER_TYPES, description: 'Default: as declared for the key, else simple.' },
    windowMs: integer('Window in milliseconds; required for the sliding and unique types.', 1),
    slices: integer('Sub-counters of sliding-window and unique-approx.', 1, 1000),
};
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
const outcome = (...names) => ({
    enum: names,
    description: 'applied: counted, the value is exact. accepted: will be counted exactly once, the value is an estimate. refused: nothing happened.',
});
const leftMs = integer('Milliseconds left to live; absent for a counter that does not expire.', 1);
const replayed = { const: true, description: 'The first answer to the same request id, given again.' };
const exact = flag('Whether the value is exact.');
const reallyAdded = integer('What was really added: less than asked where a bound stopped it.');
const addResult = { key, outcome: outcome('applied', 'accepted'), value: integer('The value right after.'), exact, delta: reallyAdded, ttlMs: leftMs, replayed };
const subject = { business_id: uint32('The business that counts.'), key };
const freqAdd = {
    ...subject,
    time_span: uint32('Length of the span, from the first add; a day is 24 hours. At most what fits uint32 seconds.', 1),
    time_unit: { enum: ['SEC', 'DAY', 0, 1], description: 'Default SEC.' },
    ...freqRequest,
};
const code = integer('0, or a number of the error table.', 0, 99_999);
/** Every named schema of the document. */
export const schemas = {
    Error: object({
        code,
        msg: text('What was wrong, naming the field, what was expected and what came.'),
        data: { type: 'null' },
        field: text('Path of the field at fault, such as items[3].delta.'),
        index: integer('Index of the item at fault.', 0),
    }, ['code', 'msg', 'data']),
    Like: object({ userId: text('Who likes; 1 to 512 characters.'), resourceId: key, ...request }, ['userId', 'resourceId']),
    LikeResult: object({ resourceId: key, count: integer('Likes right after.'), outcome: outcome('applied', 'accepted'), exact, delta: reallyAdded, ttlMs: leftMs, replayed }, ['resourceId', 'count', 'outcome', 'exact', 'delta']),
    LikeCount: object({ resourceId: key, count: integer('Likes; 0 for a resource that was never liked.'), exact }, ['resourceId', 'count', 'exact']),
    ResourceIds: object({ resourceIds: listOf(key) }, ['resourceIds']),
    Add: object(addFields),
    AddMany: object({ items: listOf(object({ key, ...addFields }, ['key'])), ...request }, ['items']),
    AddResult: object(addResult, ['key', 'outcome', 'value', 'exact', 'delta']),
    AddResults: object({
        results: listOf(object({ ...addResult, outcome: outcome('applied', 'accepted', 'refused'), code, msg: text('Why it was refused.') }, ['key', 'outcome'])),
    }, ['results']),
    GetMany: object({ keys: listOf({ anyOf: [key, object({ key, ...counterFields }, ['key'])] }) }, ['keys']),
    Counter: object({ key, value: integer('0 when there is no live counter.'), found: flag('Whether there is a live counter.'), exact, ttlMs: leftMs }, [
        'key',
        'value',
        'found',
        'exact',
    ]),
    Counters: object({ results: listOf(ref('Counter')) }, ['results']),
    AddFreqReq: object(freqAdd, ['business_id', 'key', 'time_span']),
    GetFreqReq: object(subject, ['business_id', 'key']),
    BatchAddFreqReq: object({ requests: listOf(ref('AddFreqReq')), ...freqRequest }, ['requests']),
    BatchGetFreqReq: object({ requests: listOf(ref('GetFreqReq')) }, ['requests']),
    FreqRsp: object({
        code,
        msg: text('OK, or what went wrong.'),
        ...subject,
        freq: uint32('How often in the running span; saturates.'),
        ttl: uint32('Seconds left of the span, rounded up.'),
        outcome: outcome('applied', 'accepted', 'refused'),
    }, ['code', 'msg', 'business_id', 'key', 'freq', 'ttl']),
    BatchFreqRsp: object({ code: { const: 0 }, msg: text('OK, or how many results have a code of their own.'), results: listOf(ref('FreqRsp')) }, [
        'code',
        'msg',
        'results',
    ]),
    Status: object({ status: text('alive, ready or not ready.'), reason: text('Why not.') }, ['status']),
};
//# sourceMappingURL=schemas.js.map