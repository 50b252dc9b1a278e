/** The messages of `grpc.health.v1.Health`, each of one field: a service's name, and a status. */
import type { Reader } from './reader.ts';
import { BYTES, VARINT, type Writer } from './writer.ts';

/** ServingStatus */
export type HealthStatus = 'UNKNOWN' | 'SERVING' | 'NOT_SERVING' | 'SERVICE_UNKNOWN';

/** By number. */
const STATUSES: readonly HealthStatus[] = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];

export const writeHealthRequest = (to: Writer, service: string): void => to.string(1, service);

export function readHealthRequest(from: Reader): string {
  let service = '';
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | BYTES)) service = from.string();
    else from.skip(tag);
  }
  return service;
}

export const writeHealthResponse = (to: Writer, status: HealthStatus): void => to.uint32(1, STATUSES.indexOf(status));

export function readHealthResponse(from: Reader): HealthStatus {
  let number = 0;
  for (let tag = from.tag(); tag !== 0; tag = from.tag()) {
    if (tag === ((1 << 3) | VARINT)) number = from.uint32();
    else from.skip(tag);
  }
  return STATUSES[number] ?? 'UNKNOWN';
}
