/**
 * What a decision says on HTTP: `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-10,
 * `Retry-After`, the older `X-RateLimit-*`, and problem details (RFC 9457) for a denial. Pure: any server can use it.
 *
 * Times are whole seconds from now, rounded up, so that whoever waits so long has waited long enough. No clock of
 * client or server is compared.
 */
import type { LimitOptions, NamedLimit } from './limits.ts';
import type { Decision } from './model/decision.ts';

/** Header fields by their names. A field that has nothing to say is not there. */
export interface RateLimitHeaders {
  /** Every rule that was asked: `"login";q=5;w=60`. */
  readonly 'RateLimit-Policy'?: string;
  /** The rule nearest to its limit, or the one to wait for: `"login";r=4;t=60`. Not there for a block. */
  readonly RateLimit?: string;
  /** Of a denial that waiting helps against. */
  readonly 'Retry-After'?: string;
  readonly 'X-RateLimit-Limit': string;
  readonly 'X-RateLimit-Remaining': string;
  /** Seconds from now, as `t` above. Not there when waiting does not help. */
  readonly 'X-RateLimit-Reset'?: string;
}

/** Problem details of a denial, to be sent as `application/problem+json`. */
export interface RateLimitProblem {
  readonly type: string;
  readonly title: string;
  /** 503 when the store is away and the rules are `closed` in an outage: nobody knows whether a limit is reached. */
  readonly status: 429 | 503;
  readonly detail: string;
  /** The rule that denied; none for a block. */
  readonly 'violated-policies': readonly string[];
  /** Milliseconds; null when waiting does not help. */
  readonly retryAfterMs: number | null;
}

/** The greatest integer of a structured field (RFC 9651). */
const MOST = 999_999_999_999_999;
const integer = (value: number): number => Math.min(value, MOST);
const secondsOf = (ms: number): number => Math.ceil(ms / 1000);

const percent = (character: string): string => Array.from(new TextEncoder().encode(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

/** A string of a structured field; what it cannot hold is percent-encoded. */
const quoted = (text: string): string => `"${text.replace(/[^\x20-\x7e]/gu, percent).replace(/["\\]/g, '\\$&')}"`;

function windowOf(rule: LimitOptions): string {
  if (rule.algorithm === 'concurrency') return ';qu="concurrent-requests"';
  // A window of a calendar has no length of its own; that of a rule is told by `t`.
  if (rule.algorithm === 'calendar') return '';
  return `;w=${secondsOf(rule.windowMs)}`;
}

const policyOf = (rule: NamedLimit): string => `${quoted(rule.name)};q=${integer(rule.limit)}${windowOf(rule)}`;

/**
 * The header fields of a decision.
 *
 * @param rules - The rules that were asked, in full; {@link Limits.resolve} gives them. None: no `RateLimit-Policy`.
 * @example
 * const decision = await tallystick.limits.take('user:42', 'login')
 * const headers = rateLimitHeaders(decision, tallystick.limits.resolve('login'))
 * // { RateLimit: '"login";r=4;t=60', 'RateLimit-Policy': '"login";q=5;w=60', … }
 */
export function rateLimitHeaders(decision: Decision, rules: readonly NamedLimit[]): RateLimitHeaders {
  const { allowed, rule, limit, remaining, resetMs, retryAfterMs } = decision;
  const waitMs = allowed ? resetMs : retryAfterMs;
  const wait = waitMs === null ? undefined : secondsOf(waitMs);
  return {
    ...(rules.length > 0 && { 'RateLimit-Policy': rules.map(policyOf).join(', ') }),
    ...(rule !== null && { RateLimit: `${quoted(rule)};r=${integer(remaining)}${wait === undefined ? '' : `;t=${wait}`}` }),
    ...(!allowed && wait !== undefined && { 'Retry-After': String(wait) }),
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    ...(wait !== undefined && { 'X-RateLimit-Reset': String(wait) }),
  };
}

/** What a person is told of the wait. */
function waitOf(retryAfterMs: number | null): string {
  return retryAfterMs === null ? 'Waiting does not help.' : `Try again in ${secondsOf(retryAfterMs)} s.`;
}

/** The problem details of a denial. Says nothing of the subject. */
export function rateLimitProblem({ rule, limit, retryAfterMs, reason }: Decision): RateLimitProblem {
  if (reason === 'outage') {
    const type = 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity';
    const detail = `Whether a limit is reached cannot be told now. ${waitOf(retryAfterMs)}`;
    return { type, title: 'Temporarily reduced capacity', status: 503, detail, 'violated-policies': [], retryAfterMs };
  }
  if (rule === null) {
    const detail = `Requests are blocked. ${waitOf(retryAfterMs)}`;
    return { type: 'about:blank', title: 'Too Many Requests', status: 429, detail, 'violated-policies': [], retryAfterMs };
  }
  return {
    type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
    title: 'Quota exceeded',
    status: 429,
    detail: `The limit ${rule} of ${limit} is reached. ${waitOf(retryAfterMs)}`,
    'violated-policies': [rule],
    retryAfterMs,
  };
}
