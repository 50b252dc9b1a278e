/**
 * The limit of requests, whatever the framework: who asks, what he is told, and what is said to a store at fault.
 * An adapter turns a {@link Passage} into its framework's answer, and does nothing else.
 */
import { TallystickError } from '../errors.ts';
import { rateLimitHeaders, rateLimitProblem, type RateLimitProblem } from '../limits-headers.ts';
import type { Limits, NamedLimit, Rules } from '../limits.ts';
import { checkDurationMs } from '../model/amount.ts';
import { checkFunction, checkObject, checkOptions, unexpected } from '../model/check.ts';
import type { Decision } from '../model/decision.ts';
import { checkPrefixBits, IPV6_PREFIX_BITS, ipSubject } from './client-ip.ts';

/** What a route may say for itself. */
export interface RouteLimit<Request> {
  /** The rules to take under, by their declared names or in full. */
  readonly rules?: Rules;
  /**
   * Who is limited. Default: the framework's own IP address of the client, so that its setting of trusted proxies decides;
   * of an IPv6 address the first `ipv6PrefixBits`. What is no key fails the request: there is no bucket `undefined`.
   */
  readonly subject?: (request: Request) => string | Promise<string>;
  /** Units of a request. Default 1. */
  readonly cost?: number | ((request: Request) => number | Promise<number>);
}

/** Options of every adapter. */
export interface RequestLimitOptions<Request> extends RouteLimit<Request> {
  readonly limits: Pick<Limits, 'take' | 'resolve'>;
  /** Requests that are not limited. Default: none. */
  readonly skip?: (request: Request) => boolean | Promise<boolean>;
  /** Bits of an IPv6 address that name a client; 1 to 128. Default 64. */
  readonly ipv6PrefixBits?: number;
  /** What holds when the store can't be asked and the rules have no `onOutage`: let requests through, or answer 503. Default `open`. */
  readonly onFault?: 'open' | 'closed';
  /** How long a request waits for the store. Default 1,000 ms. */
  readonly timeoutMs?: number;
  /** Told of a store that could not be asked. Default: nobody. */
  readonly onError?: (error: unknown) => void;
}

/** What becomes of a request: `problem` is the answer to one that is not let through. */
export interface Passage {
  readonly headers: Readonly<Record<string, string>>;
  readonly decision?: Decision;
  readonly problem?: RateLimitProblem;
}

/** What an adapter knows of its framework. */
export interface GateParts<Request> {
  readonly ipOf: (request: Request) => string | undefined;
}

const FIELDS = ['limits', 'rules', 'subject', 'cost', 'skip', 'ipv6PrefixBits', 'onFault', 'timeoutMs', 'onError'] as const;
const ROUTE_FIELDS = ['rules', 'subject', 'cost'] as const;
const TIMEOUT_MS = 1000;
const NOTHING: Passage = Object.freeze({ headers: Object.freeze({}) });

const AWAY: RateLimitProblem = {
  type: 'about:blank', title: 'Service Unavailable', status: 503, detail: 'Whether the request is within its limits cannot be told now.', 'violated-policies': [], retryAfterMs: 1000,
};

/** Whether the store, and not the call, is at fault. */
const isFault = (error: unknown): boolean => error instanceof TallystickError && (error.transient || error.code === 'OUTCOME_UNKNOWN');

export class Gate<Request> {
  readonly #options: RequestLimitOptions<Request>;
  readonly #ipOf: GateParts<Request>['ipOf'];
  readonly #inFull = new Map<Rules, readonly NamedLimit[]>();

  /** @throws TallystickError `INVALID_CONFIG`, naming the option. */
  constructor(options: RequestLimitOptions<Request>, { ipOf }: GateParts<Request>) {
    this.#options = checkGate(options);
    this.#ipOf = ipOf;
    if (options.rules !== undefined) this.#resolve(options.rules);
  }

  /** @throws TallystickError when the request has no subject, or the route's options are wrong. */
  async pass(request: Request, route: RouteLimit<Request> = {}): Promise<Passage> {
    const { limits, skip, timeoutMs = TIMEOUT_MS } = this.#options;
    const { rules, subject, cost = 1 } = { ...this.#options, ...checkOptions(route, ROUTE_FIELDS) };
    if (rules === undefined || (await skip?.(request)) === true) return NOTHING;
    const policies = this.#resolve(rules);
    const who = subject === undefined ? ipSubject(this.#ipOf(request), this.#options.ipv6PrefixBits ?? IPV6_PREFIX_BITS) : await subject(request);
    const units = typeof cost === 'number' ? cost : await cost(request);
    try {
      return told(await limits.take(who, rules, { cost: units, timeoutMs }), policies);
    } catch (error) {
      if (!isFault(error)) throw error;
      return this.#fault(error);
    }
  }

  #fault(error: unknown): Passage {
    const { onFault = 'open', onError } = this.#options;
    onError?.(error);
    return onFault === 'open' ? NOTHING : { headers: { 'Retry-After': '1' }, problem: AWAY };
  }

  /** The rules of a route are few, and the same object or name each time; those that are not are not kept. */
  #resolve(rules: Rules): readonly NamedLimit[] {
    const known = this.#inFull.get(rules);
    if (known !== undefined) return known;
    const inFull = this.#options.limits.resolve(rules);
    if (this.#inFull.size < MOST_KEPT) this.#inFull.set(rules, inFull);
    return inFull;
  }
}

const MOST_KEPT = 1000;

function told(decision: Decision, policies: readonly NamedLimit[]): Passage {
  const headers = { ...rateLimitHeaders(decision, policies) };
  return decision.allowed ? { headers, decision } : { headers, decision, problem: rateLimitProblem(decision) };
}

function checkGate<Request>(options: RequestLimitOptions<Request>): RequestLimitOptions<Request> {
  const { limits, subject, cost, skip, ipv6PrefixBits, onFault, timeoutMs, onError } = checkOptions(options, FIELDS);
  checkObject(limits, 'limits', 'INVALID_CONFIG');
  checkFunction(subject, 'subject');
  if (typeof cost !== 'number') checkFunction(cost, 'cost');
  checkFunction(skip, 'skip');
  checkFunction(onError, 'onError');
  if (ipv6PrefixBits !== undefined) checkPrefixBits(ipv6PrefixBits);
  if (timeoutMs !== undefined) checkDurationMs(timeoutMs, 'timeoutMs');
  if (!['open', 'closed', undefined].includes(onFault)) throw unexpected('onFault', 'open or closed', onFault);
  return options;
}
