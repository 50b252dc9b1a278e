/** Limits over lanes: checks what comes in, finds the lane, and gives each caller its decision. */
import type { Refusal } from './counters.ts';
import { errorTable, TallystickError } from './errors.ts';
import { checkItems, checkRequestId, checkRequestTtl, inItem, toRefusal } from './lane-counters.ts';
import type { Denials } from './limits-denials.ts';
import type { FellBack, Outage, OutagePolicy } from './limits-outage.ts';
import type { Asked, LimitRules } from './limits-rules.ts';
import type {
  BlockOptions,
  ChangeOptions,
  ChangeResult,
  Limits,
  NamedLimit,
  OnOutage,
  PenaltyOptions,
  RefundOptions,
  Rules,
  TakeItem,
  TakeOptions,
} from './limits.ts';
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
  /** By partition. */
  readonly outages: readonly Outage[];
  readonly rules: LimitRules;
  readonly denials: Denials;
  readonly environment: Environment;
}

const NO_OPTIONS = Object.freeze({});
const TAKE = ['cost', 'requestId', 'requestTtlMs', 'timeoutMs'] as const;
const CHANGE = ['requestId', 'requestTtlMs', 'timeoutMs'] as const;

/** A checked take, and what its rules say of an outage. */
type Take = readonly [op: Operation, outage: OutagePolicy | undefined];

export class LaneLimits implements Limits {
  readonly #parts: LimitParts;

  constructor(parts: LimitParts) {
    this.#parts = parts;
  }

  /** Takes and peeks that the store did not answer. */
  get fallbacks(): number {
    return this.#parts.outages.reduce((sum, { fallbacks }) => sum + fallbacks, 0);
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
    return Promise.all(takes.map((take, index) => this.#take(take, items[index]?.timeoutMs ?? timeoutMs).catch(toRefusal)));
  }

  async peek(subject: string, rules: Rules, options: Pick<TakeOptions, 'cost' | 'timeoutMs'> = NO_OPTIONS): Promise<Decision> {
    const { cost = 1, timeoutMs } = checkedCall(options, ['cost', 'timeoutMs']);
    const { terms, outage } = this.#parts.rules.ask({ action: 'peek', cost }, rules);
    const op = { key: checkKey(subject, 'subject'), delta: cost, terms };
    return decisionOf(await this.#ask([op, outage], timeoutMs), undefined);
  }

  async refund(subject: string, rules: Rules, options: RefundOptions = NO_OPTIONS): Promise<ChangeResult> {
    const { cost = 1, decision } = checkedCall(options, ['cost', 'decision', ...CHANGE]);
    if (decision !== undefined) checkDecision(decision);
    const { terms, outage } = this.#parts.rules.ask({ action: 'refund', cost }, rules);
    const key = checkKey(subject, 'subject');
    if (decision?.allowed === false) return { outcome: 'applied' };
    if (decision?.source === 'fallback') return this.#refundFallback(key, outage, { ...options, decision });
    return this.#change(key, { terms: decision === undefined ? terms : { ...terms, takenAtMs: decision.atMs }, outage }, options);
  }

  async release(subject: string, rules: Rules, lease: string, options: ChangeOptions = NO_OPTIONS): Promise<ChangeResult> {
    const { terms, outage } = this.#parts.rules.ask({ action: 'refund', cost: 1, leases: true }, rules);
    const [key, member] = [checkKey(subject, 'subject'), checkKey(lease, 'lease')];
    checkedCall(options, CHANGE);
    if (outage?.onOutage === 'local' && this.#outageOf(key).release(key, member, terms)) return { outcome: 'applied' };
    return this.#change(key, { terms, outage }, options, member);
  }

  async penalize(subject: string, rules: Rules, options: PenaltyOptions = NO_OPTIONS): Promise<ChangeResult> {
    const { cost = 1 } = checkedCall(options, ['cost', ...CHANGE]);
    return this.#change(subject, this.#parts.rules.ask({ action: 'penalize', cost }, rules), options);
  }

  async reset(subject: string, rules?: Rules, options: ChangeOptions = NO_OPTIONS): Promise<ChangeResult> {
    const asked = rules === undefined ? onSubject('reset') : this.#parts.rules.ask({ action: 'reset', cost: 1 }, rules);
    return this.#change(subject, asked, checkedCall(options, CHANGE));
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

  /** Before the lanes take no more: what is owed to the store. */
  handOver(): void {
    for (const outage of this.#parts.outages) outage.handOver();
  }

  /** Gives back what the store was perhaps not asked for; only `local` counted it. */
  async #refundFallback(key: string, outage: OutagePolicy | undefined, options: RefundOptions & { readonly decision: Decision }): Promise<ChangeResult> {
    if (outage?.onOutage !== 'local') return { outcome: 'applied' };
    const [{ terms }, { atMs }] = [outage, options.decision];
    const left = terms.cost - this.#outageOf(key).refund(key, terms, atMs);
    return left === 0 ? { outcome: 'applied' } : this.#change(key, { terms: { ...terms, cost: left, takenAtMs: atMs }, outage }, options);
  }

  #itemOf(item: TakeItem): Take {
    checkObject(item, 'item');
    const { subject, rules, ...options } = item;
    return this.#takeOf(subject, rules, options);
  }

  /** The member of a take is the name of the lease that it asks for. */
  #takeOf(subject: string, rules: Rules, options: TakeOptions): Take {
    const { cost, requestId, requestTtlMs } = options === NO_OPTIONS ? options : checkedCall(options, TAKE);
    const { terms, outage } = this.#parts.rules.ask({ action: 'take', cost: cost ?? 1 }, rules);
    const lease = hasLeases(terms) ? (requestId ?? this.#parts.environment.newSource()) : undefined;
    return [{ key: checkKey(subject, 'subject'), delta: terms.cost, terms, member: lease, requestId, requestTtlMs }, outage];
  }

  async #take(take: Take, timeoutMs: number | undefined): Promise<Decision> {
    const { denials, environment } = this.#parts;
    const { key, requestId, member, terms } = take[0];
    if (requestId === undefined && !denials.isEmpty) {
      const denied = denials.find(key, terms as LimitsTerms, environment.nowMs());
      if (denied !== undefined) return denied;
    }
    const decision = decisionOf(await this.#ask(take, timeoutMs), member);
    if (!decision.allowed && requestId === undefined && decision.source === 'store') {
      denials.keep(key, terms as LimitsTerms, decision, environment.nowMs());
    }
    return decision;
  }

  /** What may end a denial. Those decided before are answered before it, so that forgetting after the answer is enough; before it, for who asks meanwhile. */
  async #change(subject: string, { terms, outage }: Asked, options: ChangeOptions, member?: string): Promise<ChangeResult> {
    const { denials } = this.#parts;
    const { requestId, requestTtlMs, timeoutMs } = options;
    const op = { key: checkKey(subject, 'subject'), delta: terms.cost, terms, member, requestId, requestTtlMs };
    const answer = outage === undefined ? this.#submit(op, timeoutMs) : this.#outageOf(op.key).change(op, timeoutMs);
    denials.forget(subject);
    const { outcome, replayed } = await answer.finally(() => { denials.forget(subject); });
    return replayed === true ? { outcome, replayed } : { outcome };
  }

  #ask(take: Take, timeoutMs: number | undefined): Promise<Settled | FellBack> {
    const answer = this.#askOnce(take, timeoutMs);
    return hasCalendar(take[0].terms as LimitsTerms) ? answer.catch((error: unknown) => this.#askAgain(take, error, timeoutMs)) : answer;
  }

  #askOnce([op, outage]: Take, timeoutMs: number | undefined): Promise<Settled | FellBack> {
    if (outage === undefined) return this.#submit(op, timeoutMs);
    return this.#outageOf(op.key).ask(op, outage, timeoutMs);
  }

  /** A store whose clock is at none of the windows that came with a take refuses it, and says its time. Nothing has happened then. */
  #askAgain([op, outage]: Take, error: unknown, timeoutMs: number | undefined): Promise<Settled | FellBack> {
    if (!(error instanceof TallystickError) || error.code !== 'OUT_OF_CALENDAR' || error.value === undefined) throw error;
    const { value: atMs } = error;
    const turned = (terms: LimitsTerms): LimitsTerms => this.#parts.rules.turned(terms, atMs);
    const again = { ...op, terms: turned(op.terms as LimitsTerms) };
    return this.#askOnce([again, outage && { ...outage, terms: turned(outage.terms) }], timeoutMs).catch((cause: unknown) => {
      if (!(cause instanceof TallystickError) || cause.code !== 'OUT_OF_CALENDAR') throw cause;
      throw new TallystickError('OUT_OF_CALENDAR', errorTable.OUT_OF_CALENDAR.meaning, { cause });
    });
  }

  #submit(op: Operation, timeoutMs: number | undefined): Promise<Settled> {
    const { lanes, environment } = this.#parts;
    const lane = lanes[this.#partitionOf(op.key)] as Lane;
    const deadline = timeoutMs === undefined ? undefined : new Deadlines(environment).of(timeoutMs);
    return new Promise((resolve, reject) => { lane.submit(op, resolve, (error) => { reject(refusalOf(error)); }, deadline); });
  }

  #outageOf(key: string): Outage {
    return this.#parts.outages[this.#partitionOf(key)] as Outage;
  }

  #partitionOf(key: string): number {
    const { length } = this.#parts.lanes;
    return length === 1 ? 0 : partitionOf(key, length);
  }
}

const onSubject = (action: 'reset' | 'block' | 'unblock', more: Partial<LimitsTerms> = {}): Asked =>
  ({ terms: { kind: 'limits', action, rules: [], cost: 1, ...more }, outage: undefined });

const hasCalendar = ({ rules }: LimitsTerms): boolean => rules.some(({ algorithm }) => algorithm === 'calendar');
const hasLeases = ({ rules }: LimitsTerms): boolean => rules.some(({ algorithm }) => algorithm === 'concurrency');

function refusalOf(error: TallystickError): TallystickError {
  if (error.code !== 'UNSUPPORTED') return error;
  return new TallystickError('UNSUPPORTED', 'store: expected one that keeps limits, such as memoryStore()', { field: 'store', cause: error });
}

function decisionOf(settled: Settled | FellBack, lease: string | undefined): Decision {
  const { ruling, replayed } = settled;
  if (ruling === undefined) {
    throw new TallystickError('OUTCOME_UNKNOWN', 'timeoutMs: the time was up after the take was sent; it may have been granted', { field: 'timeoutMs' });
  }
  const decision = 'fallback' in settled ? fellBack(ruling, settled.fallback) : ruling.isGranted ? granted(ruling) : denied(ruling);
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

function fellBack(ruling: Ruling, fallback: OnOutage): Decision {
  if (ruling.isGranted) return { ...granted(ruling), source: 'fallback' };
  return { ...denied(ruling), ...(fallback === 'closed' && { reason: 'outage' }), source: 'fallback' };
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
