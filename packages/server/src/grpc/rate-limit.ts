/** `envoy.service.ratelimit.v3.RateLimitService`: Envoy's calls, decided by the rules file. */
import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import {
  RATE_LIMIT_CODE,
  rateLimitService as service,
  type KeyValue,
  type RateLimitDescriptor,
  type RateLimitRequest,
  type RateLimitResponse,
  type RateLimitStatus,
  type UnitLimit,
} from '@tallystick/client/wire';
import { rateLimitHeaders, TallystickError, type NamedLimit } from 'tallystick';
import type { App, Descriptor, DescriptorStatus, RulesDecision } from '../app/index.ts';
import { unary, type Surroundings } from './unary.ts';

const DAY_MS = 86_400_000;
/** By the number of a Unit. A month has 30 days and a year 365, as in Envoy's own service. */
const UNIT_MS = [0, 1000, 60_000, 3_600_000, DAY_MS, 30 * DAY_MS, 365 * DAY_MS];
const MAX_UINT32 = 2 ** 32 - 1;
const MAX_DESCRIPTORS = 100;
const MAX_ENTRIES = 100;

const invalid = (field: string, message: string): TallystickError => new TallystickError('INVALID_ARGUMENT', `${field}: ${message}`, { field });

function descriptorOf({ entries, limit, hits_addend }: RateLimitDescriptor, index: number): Descriptor {
  const place = `descriptors[${index}]`;
  if (entries.length === 0 || entries.length > MAX_ENTRIES) throw invalid(`${place}.entries`, `expected 1 to ${MAX_ENTRIES}, got ${entries.length}`);
  if (typeof hits_addend === 'bigint' || (hits_addend ?? 0) < 0) throw invalid(`${place}.hits_addend`, `expected at most 2^53 − 1, got ${hits_addend}`);
  return { entries, ...(hits_addend !== undefined && { hits: hits_addend }), ...(limit !== undefined && { override: overrideOf(limit, place) }) };
}

function overrideOf({ requests_per_unit: limit, unit }: UnitLimit, place: string): NonNullable<Descriptor['override']> {
  const windowMs = UNIT_MS[unit] ?? 0;
  if (windowMs === 0) throw invalid(`${place}.limit.unit`, `expected a number from 1 to ${UNIT_MS.length - 1}, got ${unit}`);
  return { limit, windowMs };
}

function unitLimitOf(limit: NamedLimit): UnitLimit {
  const unit = 'windowMs' in limit ? UNIT_MS.indexOf(limit.windowMs) : 0;
  return { name: limit.name, requests_per_unit: Math.min(limit.limit, MAX_UINT32), unit: Math.max(0, unit) };
}

function statusOf({ allowed, limit, decision }: DescriptorStatus): RateLimitStatus {
  const code = allowed ? RATE_LIMIT_CODE.ok : RATE_LIMIT_CODE.overLimit;
  if (limit === undefined || decision === undefined) return { code, current_limit: undefined, limit_remaining: 0, resetMs: undefined };
  const resetMs = (decision.allowed ? decision.resetMs : decision.retryAfterMs) ?? undefined;
  return { code, current_limit: unitLimitOf(limit), limit_remaining: Math.min(decision.remaining, MAX_UINT32), resetMs };
}

/** The status to tell a client of: the one that denied, else the one with the least left. */
function nearest(statuses: readonly DescriptorStatus[]): DescriptorStatus | undefined {
  const counted = statuses.filter(({ decision }) => decision !== undefined);
  return counted.find(({ allowed }) => !allowed) ?? counted.sort((a, b) => (a.decision?.remaining ?? 0) - (b.decision?.remaining ?? 0))[0];
}

/** Says, too, when the store was away and a policy of the rules answered. */
function headersOf({ statuses, hasHeaders }: RulesDecision): KeyValue[] {
  if (!hasHeaders) return [];
  const fallback = statuses.find((status) => status.fallback !== undefined)?.fallback;
  const { decision, limit } = nearest(statuses) ?? {};
  const fields = decision === undefined ? {} : rateLimitHeaders(decision, limit === undefined ? [] : [limit]);
  const headers = Object.entries(fields).map(([key, value]) => ({ key, value: String(value) }));
  return fallback === undefined ? headers : [...headers, { key: 'X-RateLimit-Fallback', value: fallback }];
}

async function shouldRateLimit(app: App, { domain, descriptors, hits_addend }: RateLimitRequest): Promise<RateLimitResponse> {
  if (app.rules === undefined) throw new TallystickError('UNSUPPORTED', 'rules: this node was given no rules file');
  if (domain === '') throw invalid('domain', 'expected a name, got nothing');
  if (descriptors.length === 0 || descriptors.length > MAX_DESCRIPTORS) {
    throw invalid('descriptors', `expected 1 to ${MAX_DESCRIPTORS}, got ${descriptors.length}`);
  }
  const decision = await app.rules.decide(domain, descriptors.map(descriptorOf), hits_addend === 0 ? 1 : hits_addend);
  const overall_code = decision.allowed ? RATE_LIMIT_CODE.ok : RATE_LIMIT_CODE.overLimit;
  return { overall_code, statuses: decision.statuses.map(statusOf), response_headers_to_add: headersOf(decision) };
}

/** The method over the rules. */
export function rateLimitHandlers(app: App, around: Surroundings): UntypedServiceImplementation {
  return { ShouldRateLimit: unary(service.ShouldRateLimit, around, (request) => shouldRateLimit(app, request)) };
}
