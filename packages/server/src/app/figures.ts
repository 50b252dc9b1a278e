/**
 * Figures of this node for its metrics: plain numbers, cheap to record, read when somebody scrapes. Every
 * name in here comes from the program (a route, a counter type, an event), never from a caller.
 */

import type { Decision } from 'tallystick';

/** Upper edges of the response time buckets, in seconds. */
export const BUCKETS_SECONDS: readonly number[] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** How long the calls of one route took. */
export class ResponseTimes {
  /** Calls per bucket, not cumulated; the last is for what is above every edge. */
  readonly buckets = new Float64Array(BUCKETS_SECONDS.length + 1);
  sumSeconds = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < BUCKETS_SECONDS.length && seconds > (BUCKETS_SECONDS[bucket] as number)) bucket++;
    this.buckets[bucket] = (this.buckets[bucket] as number) + 1;
    this.sumSeconds += seconds;
  }

  get count(): number {
    return this.buckets.reduce((sum, calls) => sum + calls, 0);
  }
}

/** What came of an increment, as counted in metrics. */
export type IncrementStatus = 'applied' | 'accepted' | 'refused';

/**
 * What a rule of the rules file decided. `shadow_denied` was allowed; `fallback_…` was decided without the store;
 * `unmatched` and `unknown_domain` found no rule.
 */
export type RuleOutcome =
  | 'allowed'
  | 'denied'
  | 'shadow_denied'
  | `fallback_${'open' | 'closed' | 'local'}`
  | 'unmatched'
  | 'unknown_domain';

/** Recorded by use cases and transports, read by the metrics page. */
export class Figures {
  /** Increments by counter type and status. */
  readonly increments = new Map<string, Map<IncrementStatus, number>>();
  /** Decisions on limits by rule and reason. */
  readonly decisions = new Map<string, Map<Decision['reason'], number>>();
  /** Acts that the guard did not let pass, by rule. */
  readonly guardRefusals = new Map<string, number>();
  /** Decisions by rule of the rules file and outcome; the rule is empty where none was found. */
  readonly rules = new Map<string, Map<RuleOutcome, number>>();
  /** Calls that were refused because this process was busy. */
  shed = 0;
  /** By route: a transport and a path pattern or method name. */
  readonly responseTimes = new Map<string, ResponseTimes>();
  /** Events of the library by type. */
  readonly events = new Map<string, number>();

  countIncrement(keyType: string, status: IncrementStatus): void {
    count(this.increments, keyType, status);
  }

  /** @param rule A declared one, `given` for one that came with a call, and nothing for a block. */
  countDecision(rule: string, reason: Decision['reason']): void {
    count(this.decisions, rule, reason);
  }

  countGuardRefusal(rule: string): void {
    this.guardRefusals.set(rule, (this.guardRefusals.get(rule) ?? 0) + 1);
  }

  countRule(rule: string, outcome: RuleOutcome): void {
    count(this.rules, rule, outcome);
  }

  countEvent(type: string): void {
    this.events.set(type, (this.events.get(type) ?? 0) + 1);
  }

  /** The response times of a route, to be kept by whoever serves it. */
  timesOf(route: string): ResponseTimes {
    let times = this.responseTimes.get(route);
    if (times === undefined) this.responseTimes.set(route, (times = new ResponseTimes()));
    return times;
  }
}

function count<Inner>(figures: Map<string, Map<Inner, number>>, outer: string, inner: Inner): void {
  let within = figures.get(outer);
  if (within === undefined) figures.set(outer, (within = new Map<Inner, number>()));
  within.set(inner, (within.get(inner) ?? 0) + 1);
}
