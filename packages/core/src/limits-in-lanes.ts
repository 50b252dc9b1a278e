/** Limits over lanes: checks what comes in, finds the lane, and gives each caller its decision. */
import type { Refusal } from './counters.ts';
import { TallystickError } from './errors.ts';
import { checkItems, checkRequestId, checkRequestTtl, inItem, toRefusal } from './lane-counters.ts';
import type { Denials } from './limits-denials.ts';
import type { LimitRules } from './limits-rules.ts';
import type { BlockOptions, ChangeOptions, ChangeResult, Limits, NamedLimit, PenaltyOptions, RefundOptions, Rules, TakeItem, TakeOptions } from './limits.ts';
import type { Settled } from './lanes/callers.ts';
import { Deadlines } from './lanes/deadline.ts';
import type { Environment } from './lanes/environment.ts';
import type { Lane } from './lanes/lane.ts';
import { checkDurationMs, inRange } from './model/amount.ts';
import { checkObject, checkOptions, unexpected } from './model/check.ts';
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

const NO_OPTIONS = Object.freeze({});
const TAKE = ['cost', 'requestId', 'requestTtlMs', 'timeoutMs'] as const;
const CHANGE = ['requestId', 'requestTtlMs', 'timeoutMs'] as const;

export class LaneLimits implements Limits {
  readonly #parts: LimitParts;

  constructor(parts: LimitParts) {
    this.#parts = parts;
  }

  take(subject: string, rules: Rules, options: TakeOptions = NO_OPTIONS): Promise<Decision> {
    try {
      return this.#take(this.#takeOf(subject, rules, options), options.timeoutMs);
    } catch (error) {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what was thrown is passed on as it is
      return Promise.reject(error);
    }
  }

  async takeMany(items: readonly TakeItem[], options: Pick<TakeOptions, 'timeoutMs'> = NO_OPTIONS): Promise<(Decision | Refusal)[]> {
    const { timeoutMs } = checkedCall(options, ['timeoutMs']);
    checkItems(items);
    const takes = items.map((item, index) => inItem(index, () => this.#itemOf(item)));
    return Promise.all(takes.map((op, index) => this.#take(op, items[index]?.timeoutMs ?? timeoutMs).catch(toRefusal)));
  }

  async peek(subject: string, rules: Rules, options: Pick<TakeOptions, 'cost' | 'timeoutMs'> = NO_OPTIONS): Promise<Decision> {
    const { cost = 1, timeoutMs } = checkedCall(options, ['cost', 'timeoutMs']);
    const terms = this.#parts.rules.termsOf({ action: 'peek', cost }, rules);
    return decisionOf(await this.#submit({ key: checkKey(subject, 'subject'), delta: cost, terms }, timeoutMs), undefined);
  }

  async refund(subject: string, rules: Rules, options: RefundOptions = NO_OPTIONS): Promise<ChangeResult> {
    const { cost = 1, decision } = checkedCall(options, ['cost', 'decision', ...CHANGE]);
    if (decision !== undefined) checkDecision(decision);
    const terms = this.#parts.rules.termsOf({ action: 'refund', cost }, rules);
    checkKey(subject, 'subject');
    if (decision?.allowed === false) return { outcome: 'applied' };
    return this.#change(subject, decision === undefined ? terms : { ...terms, takenAtMs: decision.atMs }, options);
  }

  async release(subject: string, rules: Rules, lease: string, options: ChangeOptions = NO_OPTIONS): Promise<ChangeResult> {
    const terms = this.#parts.rules.termsOf({ action: 'refund', cost: 1, leases: true }, rules);
    return this.#change(subject, terms, checkedCall(options, CHANGE), checkKey(lease, 'lease'));
  }

  async penalize(subject: string, rules: Rules, options: PenaltyOptions = NO_OPTIONS): Promise<ChangeResult> {
    const { cost = 1 } = checkedCall(options, ['cost', ...CHANGE]);
    return this.#change(subject, this.#parts.rules.termsOf({ action: 'penalize', cost }, rules), options);
  }

  async reset(subject: string, rules?: Rules, options: ChangeOptions = NO_OPTIONS): Promise<ChangeResult> {
    const terms = rules === undefined ? onSubject('reset') : this.#parts.rules.termsOf({ action: 'reset', cost: 1 }, rules);
    return this.#change(subject, terms, checkedCall(options, CHANGE));
  }

  async block(subject: string, options: BlockOptions = NO_OPTIONS): Promise<ChangeResult> {
    const { forMs } = checkedCall(options, ['forMs', ...CHANGE]);
    return this.#change(subject, onSubject('block', forMs === undefined ? {} : { blockMs: checkBlockMs(forMs) }), options);
  }

  async unblock(subject: string, options: ChangeOptions = NO_OPTIONS): Promise<ChangeResult> {
    return this.#change(subject, onSubject('unblock'), checkedCall(options, CHANGE));
  }

  resolve(rules: Rules): readonly NamedLimit[] {
    return this.#parts.rules.inFull(rules);
  }

  #itemOf(item: TakeItem): Operation {
    checkObject(item, 'item');
    const { subject, rules, ...options } = item;
    return this.#takeOf(subject, rules, options);
  }

  /** A checked take. Its member is the name of the lease that it asks for. */
  #takeOf(subject: string, rules: Rules, options: TakeOptions): Operation {
    const { cost, requestId, requestTtlMs } = options === NO_OPTIONS ? options : checkedCall(options, TAKE);
    const terms = this.#parts.rules.termsOf({ action: 'take', cost: cost ?? 1 }, rules);
    const lease = hasLeases(terms) ? (requestId ?? this.#parts.environment.newSource()) : undefined;
    return { key: checkKey(subject, 'subject'), delta: terms.cost, terms, member: lease, requestId, requestTtlMs };
  }

  async #take(op: Operation, timeoutMs: number | undefined): Promise<Decision> {
    const { denials, environment } = this.#parts;
    const { key, requestId, member } = op;
    const terms = op.terms as LimitsTerms;
    if (requestId === undefined && !denials.isEmpty) {
      const denied = denials.find(key, terms, environment.nowMs());
      if (denied !== undefined) return denied;
    }
    const decision = decisionOf(await this.#submit(op, timeoutMs), member);
    if (!decision.allowed && requestId === undefined) denials.keep(key, terms, decision, environment.nowMs());
    return decision;
  }

  /** What may end a denial. Those decided before are answered before it, so that forgetting after the answer is enough; before it, for who asks meanwhile. */
  async #change(subject: string, terms: LimitsTerms, options: ChangeOptions, member?: string): Promise<ChangeResult> {
    const { denials } = this.#parts;
    const { requestId, requestTtlMs, timeoutMs } = options;
    const op = { key: checkKey(subject, 'subject'), delta: terms.cost, terms, member, requestId, requestTtlMs };
    const answer = this.#submit(op, timeoutMs);
    denials.forget(subject);
    const { outcome, replayed } = await answer.finally(() => { denials.forget(subject); });
    return replayed === true ? { outcome, replayed } : { outcome };
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

/** `options`, when it has no other fields than these and each is as it must be. */
function checkedCall<T extends TakeOptions>(options: T, fields: readonly (keyof T & string)[]): T {
  const { cost, requestId, timeoutMs } = checkOptions(options, fields, 'INVALID_ARGUMENT');
  checkCost(cost);
  if (timeoutMs !== undefined) checkDurationMs(timeoutMs, 'timeoutMs');
  checkRequestId(requestId);
  checkRequestTtl(options);
  return options;
}

function checkDecision(decision: Decision | null): void {
  if (Number.isSafeInteger(decision?.atMs)) return;
  throw unexpected('decision', 'the decision of a take', decision, 'INVALID_ARGUMENT');
}

const LONGEST_BLOCK_MS = 100 * 366 * 86_400_000;

function checkBlockMs(forMs: unknown): number {
  if (Number.isSafeInteger(forMs) && (forMs as number) >= 1 && (forMs as number) <= LONGEST_BLOCK_MS) return forMs as number;
  throw unexpected('forMs', `an integer from 1 to ${LONGEST_BLOCK_MS}`, forMs, 'INVALID_ARGUMENT');
}
