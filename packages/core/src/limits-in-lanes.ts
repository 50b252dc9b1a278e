/** Limits over lanes: checks what comes in, finds the lane, and gives each caller its decision. */
import { TallystickError } from './errors.ts';
import type { Denials } from './limits-denials.ts';
import type { LimitRules } from './limits-rules.ts';
import type { Limits, NamedLimit, RefundOptions, Rules, TakeOptions } from './limits.ts';
import type { Settled } from './lanes/callers.ts';
import { Deadlines } from './lanes/deadline.ts';
import type { Environment } from './lanes/environment.ts';
import type { Lane } from './lanes/lane.ts';
import { checkDurationMs, inRange } from './model/amount.ts';
import { checkOptions, unexpected } from './model/check.ts';
import type { Decision, Ruling } from './model/decision.ts';
import { checkKey } from './model/key.ts';
import type { LimitsTerms } from './model/limit.ts';
import type { Operation } from './model/operation.ts';
import { partitionOf } from './model/partition.ts';

/** What the limits work with. */
export interface LimitParts {
  /** By partition. */
  readonly lanes: readonly Lane[];
  readonly rules: LimitRules;
  readonly denials: Denials;
  readonly environment: Environment;
}

const MAX_REQUEST_ID = 128;
const NO_OPTIONS = Object.freeze({});

export class LaneLimits implements Limits {
  readonly #parts: LimitParts;

  constructor(parts: LimitParts) {
    this.#parts = parts;
  }

  async take(subject: string, rules: Rules, options: TakeOptions = NO_OPTIONS): Promise<Decision> {
    const { denials, environment } = this.#parts;
    const { cost, requestId, timeoutMs } = options === NO_OPTIONS ? options : checkedTake(options, ['cost', 'requestId', 'timeoutMs']);
    const terms = this.#parts.rules.termsOf({ action: 'take', cost: cost ?? 1 }, rules);
    if (requestId === undefined && !denials.isEmpty) {
      const denied = denials.find(subject, terms, environment.nowMs());
      if (denied !== undefined) return denied;
    }
    const lease = hasLeases(terms) ? (requestId ?? environment.newSource()) : undefined;
    const op = { key: checkKey(subject, 'subject'), delta: terms.cost, terms, member: lease, requestId };
    const settled = await this.#submit(op, timeoutMs);
    const decision = decisionOf(settled, lease);
    if (!decision.allowed && requestId === undefined) denials.keep(subject, terms, decision, environment.nowMs());
    return decision;
  }

  async peek(subject: string, rules: Rules, options: Pick<TakeOptions, 'cost' | 'timeoutMs'> = NO_OPTIONS): Promise<Decision> {
    const { cost = 1, timeoutMs } = checkedTake(options, ['cost', 'timeoutMs']);
    const terms = this.#parts.rules.termsOf({ action: 'peek', cost }, rules);
    return decisionOf(await this.#submit({ key: checkKey(subject, 'subject'), delta: cost, terms }, timeoutMs), undefined);
  }

  async refund(subject: string, rules: Rules, options: RefundOptions = NO_OPTIONS): Promise<void> {
    const { cost = 1, decision } = checkedRefund(options);
    const terms = this.#parts.rules.termsOf({ action: 'refund', cost }, rules);
    if (decision?.allowed === false) return;
    await this.#change(subject, decision === undefined ? terms : { ...terms, takenAtMs: decision.atMs });
  }

  async release(subject: string, rules: Rules, lease: string): Promise<void> {
    const terms = this.#parts.rules.termsOf({ action: 'refund', cost: 1, leases: true }, rules);
    await this.#change(subject, terms, checkKey(lease, 'lease'));
  }

  async penalize(subject: string, rules: Rules, options: Pick<TakeOptions, 'cost'> = NO_OPTIONS): Promise<void> {
    const { cost = 1 } = checkedTake(options, ['cost']);
    await this.#change(subject, this.#parts.rules.termsOf({ action: 'penalize', cost }, rules));
  }

  async reset(subject: string, rules?: Rules): Promise<void> {
    await this.#change(subject, rules === undefined ? onSubject('reset') : this.#parts.rules.termsOf({ action: 'reset', cost: 1 }, rules));
  }

  async block(subject: string, options: { readonly forMs?: number } = NO_OPTIONS): Promise<void> {
    const { forMs } = checkOptions(options, ['forMs'], 'INVALID_ARGUMENT');
    await this.#change(subject, onSubject('block', forMs === undefined ? {} : { blockMs: checkBlockMs(forMs) }));
  }

  async unblock(subject: string): Promise<void> {
    await this.#change(subject, onSubject('unblock'));
  }

  resolve(rules: Rules): readonly NamedLimit[] {
    return this.#parts.rules.inFull(rules);
  }

  /** What may end a denial. Those decided before are answered before it, so that forgetting after the answer is enough; before it, for who asks meanwhile. */
  async #change(subject: string, terms: LimitsTerms, member?: string): Promise<void> {
    const { denials } = this.#parts;
    const answer = this.#submit({ key: checkKey(subject, 'subject'), delta: terms.cost, terms, member }, undefined);
    denials.forget(subject);
    await answer.finally(() => { denials.forget(subject); });
  }

  #submit(op: Operation, timeoutMs: number | undefined): Promise<Settled> {
    const { lanes, environment } = this.#parts;
    const lane = lanes[lanes.length === 1 ? 0 : partitionOf(op.key, lanes.length)] as Lane;
    const deadline = timeoutMs === undefined ? undefined : new Deadlines(environment).of(timeoutMs);
    return new Promise((resolve, reject) => { lane.submit(op, resolve, (error) => { reject(refusalOf(error)); }, deadline); });
  }
}

const onSubject = (action: 'reset' | 'block' | 'unblock', more: Partial<LimitsTerms> = {}): LimitsTerms =>
  ({ kind: 'limits', action, rules: [], cost: 1, ...more });

const hasLeases = ({ rules }: LimitsTerms): boolean => rules.some(({ algorithm }) => algorithm === 'concurrency');

function refusalOf(error: TallystickError): TallystickError {
  if (error.code !== 'UNSUPPORTED') return error;
  return new TallystickError('UNSUPPORTED', 'store: expected one that keeps limits, such as memoryStore()', { field: 'store', cause: error });
}

function decisionOf({ ruling, replayed }: Settled, lease: string | undefined): Decision {
  if (ruling === undefined) {
    throw new TallystickError('OUTCOME_UNKNOWN', 'timeoutMs: the time was up after the take was sent; it may have been granted', { field: 'timeoutMs' });
  }
  const decision = ruling.isGranted ? granted(ruling) : denied(ruling);
  if (replayed !== true && (lease === undefined || !ruling.isGranted)) return decision;
  return { ...decision, ...(lease !== undefined && ruling.isGranted && { lease }), ...(replayed === true && { replayed }) };
}

const msUntil = (atMs: number | null | undefined, nowMs: number): number | null => (atMs === null || atMs === undefined ? null : Math.max(0, atMs - nowMs));

function granted({ verdict: { granted: standing, atMs }, after, answeredAtMs }: Ruling): Decision {
  const { rule = null, limit = 0, remaining = 0, resetAtMs } = standing ?? {};
  const resetMs = msUntil(resetAtMs, answeredAtMs);
  return { allowed: true, limit, remaining: remaining + after, resetMs, retryAfterMs: 0, reason: 'allowed', rule, source: 'store', atMs };
}

function denied({ verdict: { denied: denial, atMs }, answeredAtMs }: Ruling): Decision {
  const { rule = null, limit = 0, remaining = 0, resetAtMs, retryAtMs } = denial ?? {};
  const [resetMs, retryAfterMs] = [msUntil(resetAtMs, answeredAtMs), msUntil(retryAtMs, answeredAtMs)];
  return { allowed: false, limit, remaining, resetMs, retryAfterMs, reason: rule === null ? 'blocked' : 'limited', rule, source: 'store', atMs };
}

function checkCost(cost: unknown): void {
  if (cost === undefined || (Number.isSafeInteger(cost) && (cost as number) >= 1 && inRange(cost as number))) return;
  throw unexpected('cost', 'an integer from 1 to 2^53 − 1', cost, 'INVALID_AMOUNT');
}

function checkedTake<T extends TakeOptions>(options: T, fields: readonly (keyof T & string)[]): T {
  const { cost, requestId, timeoutMs } = checkOptions(options, fields, 'INVALID_ARGUMENT');
  checkCost(cost);
  if (timeoutMs !== undefined) checkDurationMs(timeoutMs, 'timeoutMs');
  if (requestId !== undefined && !(typeof requestId === 'string' && requestId.length >= 1 && requestId.length <= MAX_REQUEST_ID)) {
    throw unexpected('requestId', `1 to ${MAX_REQUEST_ID} characters`, requestId, 'INVALID_ARGUMENT');
  }
  return options;
}

function checkedRefund(options: RefundOptions): RefundOptions {
  const { cost, decision } = checkOptions(options, ['cost', 'decision'], 'INVALID_ARGUMENT');
  checkCost(cost);
  if (decision !== undefined && !Number.isSafeInteger((decision as Decision | null)?.atMs)) throw unexpected('decision', 'the decision of a take', decision, 'INVALID_ARGUMENT');
  return options;
}

const LONGEST_BLOCK_MS = 100 * 366 * 86_400_000;

function checkBlockMs(forMs: unknown): number {
  if (Number.isSafeInteger(forMs) && (forMs as number) >= 1 && (forMs as number) <= LONGEST_BLOCK_MS) return forMs as number;
  throw unexpected('forMs', `an integer from 1 to ${LONGEST_BLOCK_MS}`, forMs, 'INVALID_ARGUMENT');
}
