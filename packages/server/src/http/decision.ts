/** A decision on limits on the wire: its JSON, the header fields that go with it, and what a denial looks like as a status. */
import { errorTable, rateLimitHeaders, rateLimitProblem, type Decision, type NamedLimit } from 'tallystick';
import type { HttpAnswer } from './route.ts';

const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** Why a request was denied. */
type DenialCode = 'RATE_LIMITED' | 'DUPLICATE';

const headersOf = (decision: Decision, rules: readonly NamedLimit[]): Record<string, string> => ({ ...rateLimitHeaders(decision, rules) });

/** A decision that was asked for: the answer, whether it allows or not. */
export function decisionAnswer(decision: Decision, rules: readonly NamedLimit[]): HttpAnswer {
  return { status: 200, body: JSON.stringify(decision), headers: headersOf(decision, rules) };
}

/**
 * A denial that takes the place of an answer: 429 (503 when the store is away and a rule is closed then), the envelope and problem details (RFC 9457) in one object. `data` has
 * the decision.
 */
export function denialAnswer(decision: Decision, rules: readonly NamedLimit[], code: DenialCode = 'RATE_LIMITED'): HttpAnswer {
  const problem = rateLimitProblem(decision);
  const { number, meaning } = errorTable[problem.status === 503 ? 'STORE_UNAVAILABLE' : code];
  const body = { code: number, msg: code === 'DUPLICATE' ? meaning : problem.detail, data: decision, ...problem };
  return { status: problem.status, body: JSON.stringify(body), contentType: PROBLEM_TYPE, headers: headersOf(decision, rules) };
}
