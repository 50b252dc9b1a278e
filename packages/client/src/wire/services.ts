/**
 * The methods of the services, as @grpc/grpc-js wants them described. Requests reach the server as bytes:
 * it parses them itself, since grpc-js answers what it can't parse with a status that names no cause.
 */
import * as counters from './counters.ts';
import * as frequency from './frequency.ts';
import * as health from './health.ts';
import * as limits from './limits.ts';
import * as rateLimit from './rate-limit.ts';
import { Reader } from './reader.ts';
import { BYTES, Writer } from './writer.ts';

type Write<Message> = (to: Writer, message: Message) => void;
type Read<Message> = (from: Reader) => Message;

/**
 * One method. `Request` is what a client writes, `Parsed` what a server makes of it, `Reply` what the server
 * writes and the client reads.
 */
export interface Method<Request, Parsed, Reply> {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  /** Writes a request. */
  readonly requestSerialize: (request: Request) => Buffer;
  /** Leaves the bytes as they are. */
  readonly requestDeserialize: (bytes: Buffer) => Buffer;
  /** Reads a request. @throws TallystickError `MALFORMED`. */
  readonly parseRequest: (bytes: Buffer) => Parsed;
  /** Writes a reply. */
  readonly responseSerialize: (reply: Reply) => Buffer;
  /** Reads a reply. @throws TallystickError `MALFORMED`. */
  readonly responseDeserialize: (bytes: Buffer) => Reply;
}

const writer = new Writer();

function bytesOf<Message>(message: Message, write: Write<Message>): Buffer {
  // What an earlier message left when writing it failed.
  writer.reset();
  write(writer, message);
  return writer.finish();
}

type Codec<Written, Parsed> = readonly [Write<Written>, Read<Parsed>];

/** A message of one repeated field: BatchGetRequest, BatchAddResponse, BatchGetResponse. */
function listOf<Written, Parsed>([write, read]: Codec<Written, Parsed>): Codec<readonly Written[], readonly Parsed[]> {
  const readAll = (from: Reader): Parsed[] => {
    const messages: Parsed[] = [];
    for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
      if (tag === ((1 << 3) | BYTES)) messages.push(from.message(read));
      else from.skip(tag);
    }
    return messages;
  };
  return [(to, messages) => to.repeated(1, messages, write), readAll];
}

function method<Request, Parsed, Reply>(
  path: string,
  [writeRequest, readRequest]: Codec<Request, Parsed>,
  [writeReply, readReply]: readonly [Write<Reply>, Read<Reply>],
): Method<Request, Parsed, Reply> {
  return {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: (message) => bytesOf(message, writeRequest),
    requestDeserialize: (bytes) => bytes,
    parseRequest: (bytes) => readRequest(new Reader(bytes)),
    responseSerialize: (message) => bytesOf(message, writeReply),
    responseDeserialize: (bytes) => readReply(new Reader(bytes)),
  };
}

const COUNTERS = '/tallystick.v1.Counters';
const LIMITS = '/tallystick.v1.Limits';
const FREQUENCY = '/tallystick.v1.FrequencyControl';

const addRequest = [counters.writeAddRequest, counters.readAddRequest] as const;
const addResponse = [counters.writeAddResponse, counters.readAddResponse] as const;
const batchAddRequest = [counters.writeBatchAddRequest, counters.readBatchAddRequest] as const;
const getRequest = [counters.writeGetRequest, counters.readGetRequest] as const;
const getResponse = [counters.writeGetResponse, counters.readGetResponse] as const;
const streamAddRequest = [counters.writeStreamAddRequest, counters.readStreamAddRequest] as const;
const streamAddResponse = [counters.writeStreamAddResponse, counters.readStreamAddResponse] as const;

/** `tallystick.v1.Counters` */
export const countersService = {
  Add: method(`${COUNTERS}/Add`, addRequest, addResponse),
  Get: method(`${COUNTERS}/Get`, getRequest, getResponse),
  BatchAdd: method(`${COUNTERS}/BatchAdd`, batchAddRequest, listOf(addResponse)),
  BatchGet: method(`${COUNTERS}/BatchGet`, listOf(getRequest), listOf(getResponse)),
  StreamAdd: { ...method(`${COUNTERS}/StreamAdd`, streamAddRequest, streamAddResponse), requestStream: true, responseStream: true },
};

const addFreqReq = [frequency.writeAddFreqReq, frequency.readAddFreqReq] as const;
const getFreqReq = [frequency.writeGetFreqReq, frequency.readGetFreqReq] as const;
const freqRsp = [frequency.writeFreqRsp, frequency.readFreqRsp] as const;
const batchAddFreqReq = [frequency.writeBatchAddFreqReq, frequency.readBatchAddFreqReq] as const;
const batchGetFreqReq = [frequency.writeBatchGetFreqReq, frequency.readBatchGetFreqReq] as const;
const batchFreqRsp = [frequency.writeBatchFreqRsp, frequency.readBatchFreqRsp] as const;

/** `tallystick.v1.FrequencyControl` */
export const frequencyService = {
  AddFreq: method(`${FREQUENCY}/AddFreq`, addFreqReq, freqRsp),
  BatchAddFreq: method(`${FREQUENCY}/BatchAddFreq`, batchAddFreqReq, batchFreqRsp),
  GetFreq: method(`${FREQUENCY}/GetFreq`, getFreqReq, freqRsp),
  BatchGetFreq: method(`${FREQUENCY}/BatchGetFreq`, batchGetFreqReq, batchFreqRsp),
};

const rateLimitRequest = [rateLimit.writeRateLimitRequest, rateLimit.readRateLimitRequest] as const;
const rateLimitResponse = [rateLimit.writeRateLimitResponse, rateLimit.readRateLimitResponse] as const;

/** `envoy.service.ratelimit.v3.RateLimitService` */
export const rateLimitService = {
  ShouldRateLimit: method('/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit', rateLimitRequest, rateLimitResponse),
};

const limitRequest = [limits.writeLimitRequest, limits.readLimitRequest] as const;
const decision = [limits.writeDecision, limits.readDecision] as const;
const limitChanged = [limits.writeLimitChanged, limits.readLimitChanged] as const;

/** `tallystick.v1.Limits` */
export const limitsService = {
  Check: method(`${LIMITS}/Check`, limitRequest, decision),
  BatchCheck: method(`${LIMITS}/BatchCheck`, listOf(limitRequest), listOf(decision)),
  Peek: method(`${LIMITS}/Peek`, limitRequest, decision),
  Refund: method(`${LIMITS}/Refund`, limitRequest, limitChanged),
  Release: method(`${LIMITS}/Release`, limitRequest, limitChanged),
  Penalize: method(`${LIMITS}/Penalize`, limitRequest, limitChanged),
  Reset: method(`${LIMITS}/Reset`, limitRequest, limitChanged),
  Block: method(`${LIMITS}/Block`, limitRequest, limitChanged),
  Unblock: method(`${LIMITS}/Unblock`, limitRequest, limitChanged),
};

const healthRequest = [health.writeHealthRequest, health.readHealthRequest] as const;
const healthResponse = [health.writeHealthResponse, health.readHealthResponse] as const;

/** `grpc.health.v1.Health` */
export const healthService = {
  Check: method('/grpc.health.v1.Health/Check', healthRequest, healthResponse),
  Watch: { ...method('/grpc.health.v1.Health/Watch', healthRequest, healthResponse), responseStream: true },
};
