/**
 * The wire of Tallystick's gRPC services: messages, their bytes, and the .proto files. It is for the server
 * and for tools; an application uses {@link https://www.npmjs.com/package/@tallystick/client | the client}.
 *
 * @packageDocumentation
 */
import { fileURLToPath } from 'node:url';

export type {
  AddRequest,
  AddResponse,
  BatchAddRequest,
  Counted,
  GetRequest,
  GetResponse,
  ReadAddRequest,
  ReadGetRequest,
  Refused,
  StreamAddRequest,
  StreamAddResponse,
} from './counters.ts';
export type { Outcome } from './enums.ts';
export type { AddFreqReq, BatchAddFreqReq, BatchFreqRsp, BatchGetFreqReq, FreqRsp, GetFreqReq } from './frequency.ts';
export type { HealthStatus } from './health.ts';
export type { LimitRequest, WireRule } from './limits.ts';
export {
  RATE_LIMIT_CODE,
  type KeyValue,
  type RateLimitDescriptor,
  type RateLimitRequest,
  type RateLimitResponse,
  type RateLimitStatus,
  type UnitLimit,
} from './rate-limit.ts';
export type { Int64 } from './reader.ts';
export { countersService, frequencyService, healthService, limitsService, rateLimitService, type Method } from './services.ts';

/** The folder to give to a protobuf compiler as an include path. */
export const PROTO_FOLDER = fileURLToPath(new URL('../../proto', import.meta.url));

/** The .proto files below {@link PROTO_FOLDER}. */
export const PROTO_FILES: readonly string[] = [
  'tallystick/v1/counters.proto',
  'tallystick/v1/frequency_control.proto',
  'tallystick/v1/limits.proto',
  'grpc/health/v1/health.proto',
  'envoy/service/ratelimit/v3/rls.proto',
];
