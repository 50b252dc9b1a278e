/** Frequency control of a node, as an application holds it. */
import { errorTable, TallystickError, type ErrorCode } from 'tallystick';
import { reads, writes, type Asking } from './asking.ts';
import { checked, checkedEach } from './check.ts';
import type { BatchCallOptions, CallOptions } from './counters.ts';
import type { AddFreqReq, BatchAddFreqReq, FreqRsp, GetFreqReq } from './wire/index.ts';
import { frequencyService } from './wire/index.ts';

/** Whose frequency is meant. */
export interface FrequencyKey {
  /** 0 to 2^32 − 1; keys of different businesses never meet. */
  readonly businessId: number;
  readonly key: string;
}

/** One occurrence to count. */
export interface FrequencyAdd extends FrequencyKey {
  /** Lifetime of a count that this add creates, in `timeUnit`; at least 1. */
  readonly timeSpan: number;
  /** Seconds, or days: of 24 hours, or of the time zone that the server's setting for the business names. Default `SEC`. */
  readonly timeUnit?: 'SEC' | 'DAY';
  /** Makes repeating this add harmless. Default: one of the client's own. */
  readonly requestId?: string;
  /** How long the server remembers that `requestId`, in milliseconds; at most, and by default, its `requestRetentionMs`. */
  readonly requestTtlMs?: number;
}

/** How often something occurred. */
export interface Frequency extends FrequencyKey {
  /** 0; of a read, 10002 when there is no live count; in a batch, the number of any error. */
  readonly code: number;
  readonly msg: string;
  /** The count; 0 when there is none. */
  readonly freq: number;
  /** Time left to live, in seconds, rounded up. */
  readonly ttlSeconds: number;
  /** Of a copy, where the server's setting for the business allows one: how old it is at most, in milliseconds. */
  readonly ageMs?: number;
  /** The server's store is away, and the copy stands in. */
  readonly stale?: true;
}

/** How often something occurred, right after an add. */
export interface FrequencyAdded extends Frequency {
  /** `accepted`: will be counted exactly once, and `freq` is an estimate; `refused`, in a batch: not counted, `code` says why. */
  readonly outcome: 'applied' | 'accepted' | 'refused';
}

/** Options of {@link ClientFrequency.batchAdd}. */
export interface BatchFrequencyOptions extends BatchCallOptions {
  /** Takes every request, or rejects and takes none. What is taken will be counted, exactly once each. Default false. */
  readonly allOrNothing?: boolean;
}

/** `tallystick.v1.FrequencyControl` */
export interface ClientFrequency {
  /**
   * Counts one occurrence. Calls of one tick travel in one message.
   *
   * @throws TallystickError (as a rejection) when refused, or `OUTCOME_UNKNOWN`.
   * @example const { freq } = await client.frequency.add({ businessId: 1, key: 'sms:42', timeSpan: 60 })
   */
  add(request: FrequencyAdd, options?: CallOptions): Promise<FrequencyAdded>;
  /** Reads one count; code 10002 when there is none. Calls of one tick travel in one message. */
  get(request: FrequencyKey, options?: CallOptions): Promise<Frequency>;
  /** Counts many in one call: one bad request refuses them all, naming its index; else each has its own code. */
  batchAdd(requests: readonly FrequencyAdd[], options?: BatchFrequencyOptions): Promise<readonly FrequencyAdded[]>;
  /** Reads many in one call, in order. */
  batchGet(requests: readonly FrequencyKey[], options?: CallOptions): Promise<readonly Frequency[]>;
}

const UNITS = { SEC: 0, DAY: 1 } as const;

const { KEY_NOT_FOUND } = errorTable;

function addOf({ businessId, key, timeSpan, timeUnit = 'SEC', requestId, requestTtlMs }: FrequencyAdd): AddFreqReq {
  const request = { request_id: requestId, request_ttl_ms: requestTtlMs };
  return { business_id: businessId, key, time_span: timeSpan, time_unit: UNITS[timeUnit], ...request };
}

const getOf = ({ businessId, key }: FrequencyKey): GetFreqReq => ({ business_id: businessId, key });

function frequencyOf({ code, msg, business_id, key, freq, ttl, age_ms, stale }: FreqRsp): Frequency {
  const answer = { code, msg, businessId: business_id, key, freq, ttlSeconds: ttl };
  return age_ms === undefined ? answer : { ...answer, ageMs: age_ms, ...(stale === true && { stale }) };
}

function addedOf(response: FreqRsp): FrequencyAdded {
  const { code, accepted } = response;
  const counted = accepted ? 'accepted' : 'applied';
  return { ...frequencyOf(response), outcome: code === 0 ? counted : 'refused' };
}

/** One result as `shape` makes it, or the error that its code stands for. */
function resultOf<Result>(response: FreqRsp, shape: (response: FreqRsp) => Result): Result | TallystickError {
  const { code, msg } = response;
  if (code === 0 || code === KEY_NOT_FOUND.number) return shape(response);
  const name = (Object.keys(errorTable) as ErrorCode[]).find((each) => errorTable[each].number === code);
  return new TallystickError(name ?? 'INTERNAL', msg);
}

/** Makes the calls. */
export function clientFrequency(asking: Asking): ClientFrequency {
  const { link, settings } = asking;
  const request = (...given: Parameters<Asking['request']>): Pick<BatchAddFreqReq, 'request_id' | 'request_ttl_ms'> => {
    const { requestId, requestTtlMs } = asking.request(...given);
    return { request_id: requestId, request_ttl_ms: requestTtlMs };
  };
  const ofItem = writes<AddFreqReq | BatchAddFreqReq>((item) => item.request_id);
  const adds = asking.coalesced<AddFreqReq, FrequencyAdded>(async (calls, deadlineMs) => {
    const requests = calls.map(({ item }) => item);
    return (await link.call(frequencyService.BatchAddFreq, { requests }, deadlineMs)).results.map((response) => resultOf(response, addedOf));
  }, ofItem);
  const gets = asking.coalesced<GetFreqReq, Frequency>(async (calls, deadlineMs) => {
    const requests = calls.map(({ item }) => item);
    return (await link.call(frequencyService.BatchGetFreq, { requests }, deadlineMs)).results.map((response) => resultOf(response, frequencyOf));
  }, reads);
  const addBatches = asking.alone(frequencyService.BatchAddFreq, ofItem);
  const getBatches = asking.alone(frequencyService.BatchGetFreq, reads);
  return {
    add: async (given, options = {}) => {
      const { timeoutMs = settings.timeoutMs } = checked('call', options);
      return adds.call({ ...addOf(checked('addFreq', given)), ...request(given, timeoutMs) }, timeoutMs);
    },
    get: async (request, options = {}) => {
      const { timeoutMs = settings.timeoutMs } = checked('call', options);
      return gets.call(getOf(checked('getFreq', request)), timeoutMs);
    },
    batchAdd: async (requests, options = {}) => {
      const { timeoutMs = settings.timeoutMs, allOrNothing: all_or_nothing, ...given } = checked('batchFreq', options);
      const items = checkedEach('addFreq', 'requests', requests).map(addOf);
      return (await addBatches.call({ requests: items, all_or_nothing, ...request(given, timeoutMs) }, timeoutMs)).results.map(addedOf);
    },
    batchGet: async (requests, options = {}) => {
      const { timeoutMs = settings.timeoutMs } = checked('call', options);
      const items = checkedEach('getFreq', 'requests', requests).map(getOf);
      return (await getBatches.call({ requests: items }, timeoutMs)).results.map(frequencyOf);
    },
  };
}
