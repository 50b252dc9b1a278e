/**
 * Frequency control: how often something happened in a span that begins with its first occurrence. A
 * counter under `joinKey('freq', business_id, key)` is created by the first add with the span as its
 * lifetime; later adds do not renew it.
 */
import { errorTable, joinKey, MAX_VALUE } from 'tallystick';
import { recordedAdd } from "./add-counters.js";
import { checkEach, checkInteger, checkKeyPart, checkList, checkObject, checkText, renamed, unexpected } from "./checks.js";
import { inTime, timeoutOf } from "./context.js";
import { readMany } from "./get-counters.js";
const ADD = new Set(['business_id', 'key', 'time_span', 'time_unit', 'request_id', 'request_ttl_ms']);
const GET = new Set(['business_id', 'key']);
const BATCH_ADD = new Set(['requests', 'request_id', 'request_ttl_ms']);
const BATCH_GET = new Set(['requests']);
const UINT32_MAX = 0xffff_ffff;
const SECONDS_A_DAY = 24 * 3600;
const UNIT_SECONDS = new Map([
    ['SEC', 1],
    [0, 1],
    ['DAY', SECONDS_A_DAY],
    [1, SECONDS_A_DAY],
]);
const MAX_REQUEST_ID_CHARACTERS = 128;
/** How keys of the business last asked about begin: they differ only in their last part. */
const last = { business_id: NaN, beginning: '' };
/** The key of the counter of a subject. The library checks it, as what a request calls `key`. */
function counterKeyOf(business_id, key) {
    if (business_id !== last.business_id) {
        last.beginning = joinKey('freq', String(business_id), '-').slice(0, -1);
        last.business_id = business_id;
    }
    return last.beginning + key;
}
const checkBusinessId = (business_id) => checkInteger(business_id, 'business_id', 0, UINT32_MAX);
/** The reply carries the time left as uint32 seconds, so no span may be longer. */
function spanMs(timeSpan, timeUnit) {
    const unitSeconds = timeUnit === undefined ? 1 : UNIT_SECONDS.get(timeUnit);
    if (unitSeconds === undefined)
        throw unexpected('time_unit', '"SEC" (0) or "DAY" (1)', timeUnit);
    const most = Math.floor(UINT32_MAX / unitSeconds);
    return checkInteger(timeSpan, 'time_span', 1, most) * unitSeconds * 1000;
}
const UNREPEATED = Object.freeze({});
function checkRequest(request_id, request_ttl_ms) {
    if (request_id === undefined) {
        if (request_ttl_ms === undefined)
            return UNREPEATED;
        throw unexpected('request_ttl_ms', 'nothing without a request_id', request_ttl_ms);
    }
    const requestId = checkText(request_id, 'request_id', MAX_REQUEST_ID_CHARACTERS);
    if (request_ttl_ms === undefined)
        return { requestId };
    return { requestId, requestTtlMs: checkInteger(request_ttl_ms, 'request_ttl_ms', 1, MAX_VALUE) };
}
function checkAdd(request) {
    const fields = checkObject(request, ADD);
    const business_id = checkBusinessId(fields['business_id']);
    const key = checkKeyPart(fields['key'], 'key');
    const counterKey = counterKeyOf(business_id, key);
    const ttlMs = spanMs(fields['time_span'], fields['time_unit']);
    return { business_id, key, counterKey, ttlMs, request: checkRequest(fields['request_id'], fields['request_ttl_ms']) };
}
function checkGet(request) {
    const fields = checkObject(request, GET);
    const business_id = checkBusinessId(fields['business_id']);
    const key = checkKeyPart(fields['key'], 'key');
    return { business_id, key, counterKey: counterKeyOf(business_id, key) };
}
const freqOf = (value) => Math.max(0, Math.min(value, UINT32_MAX));
const ttlOf = (ttlMs) => (ttlMs === undefined ? 0 : Math.ceil(ttlMs / 1000));
function reply({ business_id, key }, value, ttlMs) {
    return { code: 0, msg: 'OK', business_id, key, freq: freqOf(value), ttl: ttlOf(ttlMs) };
}
function failed(subject, code, msg) {
    return { ...reply(subject, 0, undefined), code: errorTable[code].number, msg };
}
function added(subject, result) {
    if (result.outcome === 'refused')
        return { ...failed(subject, result.code, result.msg), outcome: 'refused' };
    const { business_id, key } = subject;
    const { value, ttlMs, outcome } = result;
    return { code: 0, msg: 'OK', business_id, key, freq: freqOf(value), ttl: ttlOf(ttlMs), outcome };
}
function found(subject, reading) {
    if (reading.found)
        return reply(subject, reading.value, reading.ttlMs);
    return failed(subject, 'KEY_NOT_FOUND', errorTable.KEY_NOT_FOUND.meaning);
}
function batchOf(results) {
    const failures = results.filter(({ code }) => code !== 0).length;
    return { code: 0, msg: failures === 0 ? 'OK' : `${failures} of ${results.length} have a code of their own`, results };
}
/**
 * `{business_id, key, time_span, time_unit?, request_id?, request_ttl_ms?}` (AddFreqReq): counts one occurrence.
 *
 * @throws TallystickError when refused.
 */
export async function addFreq(context, request, call) {
    const subject = checkAdd(request);
    const { counterKey, ttlMs, request: again } = subject;
    const options = { ttlMs, timeoutMs: timeoutOf(context, call), ...again };
    return added(subject, await recordedAdd(context, counterKey, 1, options));
}
/**
 * `{requests: [AddFreqReq], request_id?, request_ttl_ms?}`: every request is checked before any is counted.
 *
 * @throws TallystickError when the whole is refused; a field `requests[3].key` names the bad one.
 */
export async function batchAddFreq(context, request, call) {
    const { requests, request_id, request_ttl_ms } = checkObject(request, BATCH_ADD, 'body');
    const subjects = checkEach('requests', checkList(requests, 'requests', context.maxBatchItems), checkAdd);
    const options = { timeoutMs: timeoutOf(context, call), ...checkRequest(request_id, request_ttl_ms) };
    try {
        const results = await context.counters.addMany(subjects.map(itemOf), options);
        for (const { outcome } of results)
            context.figures.countIncrement('simple', outcome);
        return batchOf(results.map((result, index) => added(subjects[index], result)));
    }
    catch (error) {
        throw renamed(error, 'items', 'requests');
    }
}
function itemOf({ counterKey, ttlMs, request }) {
    return request === UNREPEATED ? { key: counterKey, ttlMs } : { key: counterKey, ttlMs, ...request };
}
/**
 * `{business_id, key}` (GetFreqReq). Where nothing is counted the reply has the code of `KEY_NOT_FOUND`.
 *
 * @throws TallystickError when refused.
 */
export async function getFreq(context, request, call) {
    const subject = checkGet(request);
    return found(subject, await inTime(context, call, () => context.counters.get(subject.counterKey)));
}
/** `{requests: [GetFreqReq]}`. @throws TallystickError when the whole is refused. */
export async function batchGetFreq(context, request, call) {
    const { requests } = checkObject(request, BATCH_GET, 'body');
    const subjects = checkEach('requests', checkList(requests, 'requests', context.maxBatchItems), checkGet);
    const readings = await readMany(context, subjects.map(({ counterKey }) => counterKey), 'requests', call);
    return batchOf(readings.map((reading, index) => found(subjects[index], reading)));
}
//# sourceMappingURL=frequency.js.map