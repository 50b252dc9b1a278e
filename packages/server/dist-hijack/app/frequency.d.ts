/**
 * Frequency control: how often something happened in a span that begins with its first occurrence. A
 * counter under `joinKey('freq', business_id, key)` is created by the first add with the span as its
 * lifetime; later adds do not renew it.
 */
import { type AddResult, type Refusal } from 'tallystick';
import { type Call, type Context } from './context.ts';
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
}
/** What came of a batch, in the order of its requests; each result has a code of its own. */
export interface FreqBatchReply {
    /** 0: the batch was executed. */
    readonly code: 0;
    readonly msg: string;
    readonly results: readonly FreqReply[];
}
/**
 * `{business_id, key, time_span, time_unit?, request_id?, request_ttl_ms?}` (AddFreqReq): counts one occurrence.
 *
 * @throws TallystickError when refused.
 */
export declare function addFreq(context: Context, request: unknown, call?: Call): Promise<FreqReply>;
/**
 * `{requests: [AddFreqReq], request_id?, request_ttl_ms?}`: every request is checked before any is counted.
 *
 * @throws TallystickError when the whole is refused; a field `requests[3].key` names the bad one.
 */
export declare function batchAddFreq(context: Context, request: unknown, call?: Call): Promise<FreqBatchReply>;
/**
 * `{business_id, key}` (GetFreqReq). Where nothing is counted the reply has the code of `KEY_NOT_FOUND`.
 *
 * @throws TallystickError when refused.
 */
export declare function getFreq(context: Context, request: unknown, call?: Call): Promise<FreqReply>;
/** `{requests: [GetFreqReq]}`. @throws TallystickError when the whole is refused. */
export declare function batchGetFreq(context: Context, request: unknown, call?: Call): Promise<FreqBatchReply>;
//# sourceMappingURL=frequency.d.ts.map