/**
 * Limits: whether a subject may, under one or several rules. The rules of a request are given in full or by the names
 * declared in the configuration. A denial is a decision, never an error.
 */
import type { BlockOptions, ChangeOptions, ChangeResult, Decision, NamedLimit, PenaltyOptions, RefundOptions, Refusal, Rules, TakeItem, TakeOptions } from 'tallystick';
import { checkEach, checkList, checkObject, type Fields } from './checks.ts';
import { timeoutOf, type Call, type Context } from './context.ts';

/** What came of a batch of checks, in the order of its items. */
export interface CheckLimitsReply {
  readonly results: readonly (Decision | Refusal)[];
}

/** What a request that changes limits names. The library checks all of it. */
interface Subject {
  readonly subject: string;
  readonly rules: Rules;
}

const ASKED = ['subject', 'rules', 'cost'];
const REPEATABLE = ['requestId', 'requestTtlMs'];
const CHECK = new Set([...ASKED, ...REPEATABLE]);
const CHECK_MANY = new Set(['items']);
const PEEK = new Set(ASKED);
const REFUND = new Set([...ASKED, 'decision', ...REPEATABLE]);
const RELEASE = new Set(['subject', 'rules', 'lease', ...REPEATABLE]);
const PENALIZE = CHECK;
const RESET = new Set(['subject', 'rules', ...REPEATABLE]);
const BLOCK = new Set(['subject', 'forMs', ...REPEATABLE]);
const UNBLOCK = new Set(['subject', ...REPEATABLE]);

function recorded(context: Context, decision: Decision): Decision {
  const { rule, reason } = decision;
  context.figures.countDecision(rule === null || context.isDeclaredLimit(rule) ? rule ?? '' : 'given', reason);
  return decision;
}

/**
 * `{subject, rules, cost?, requestId?, requestTtlMs?}`: takes `cost` units under all rules, or nothing.
 *
 * @throws TallystickError when nothing could be decided.
 */
export async function checkLimits(context: Context, request: unknown, call?: Call): Promise<Decision> {
  const { subject, rules, ...options } = checkObject(request, CHECK, 'body') as Fields & Subject & TakeOptions;
  return recorded(context, await context.limits.take(subject, rules, { ...options, timeoutMs: timeoutOf(context, call) }));
}

/**
 * `{items: [{subject, rules, cost?, requestId?, requestTtlMs?}]}`: many, each by itself. Every item is checked before any is
 * taken.
 *
 * @throws TallystickError when the whole is refused, naming the index.
 */
export async function checkLimitsOfMany(context: Context, request: unknown, call?: Call): Promise<CheckLimitsReply> {
  const { items } = checkObject(request, CHECK_MANY, 'body');
  const checked = checkEach('items', checkList(items, 'items', context.maxBatchItems), (item) => checkObject(item, CHECK) as Fields & TakeItem);
  const results = await context.limits.takeMany(checked, { timeoutMs: timeoutOf(context, call) });
  for (const result of results) if ('allowed' in result) recorded(context, result);
  return { results };
}

/** `{subject, rules, cost?}`: what a check would be told now. Changes nothing. @throws TallystickError */
export async function peekLimits(context: Context, request: unknown, call?: Call): Promise<Decision> {
  const { subject, rules, ...options } = checkObject(request, PEEK, 'body') as Fields & Subject & Pick<TakeOptions, 'cost'>;
  return context.limits.peek(subject, rules, { ...options, timeoutMs: timeoutOf(context, call) });
}

/** `{subject, rules, cost?, decision?, requestId?, requestTtlMs?}`: gives units back. @throws TallystickError */
export async function refundLimits(context: Context, request: unknown, call?: Call): Promise<ChangeResult> {
  const { subject, rules, ...options } = checkObject(request, REFUND, 'body') as Fields & Subject & RefundOptions;
  return context.limits.refund(subject, rules, { ...options, timeoutMs: timeoutOf(context, call) });
}

/** `{subject, rules, lease, requestId?, requestTtlMs?}`: gives a lease back. @throws TallystickError */
export async function releaseLimits(context: Context, request: unknown, call?: Call): Promise<ChangeResult> {
  const { subject, rules, lease, ...options } = checkObject(request, RELEASE, 'body') as Fields & Subject & ChangeOptions & { readonly lease: string };
  return context.limits.release(subject, rules, lease, { ...options, timeoutMs: timeoutOf(context, call) });
}

/** `{subject, rules, cost?, requestId?, requestTtlMs?}`: takes units without asking. @throws TallystickError */
export async function penalizeLimits(context: Context, request: unknown, call?: Call): Promise<ChangeResult> {
  const { subject, rules, ...options } = checkObject(request, PENALIZE, 'body') as Fields & Subject & PenaltyOptions;
  return context.limits.penalize(subject, rules, { ...options, timeoutMs: timeoutOf(context, call) });
}

/** `{subject, rules?, requestId?, requestTtlMs?}`: forgets what these rules, or all, have counted. @throws TallystickError */
export async function resetLimits(context: Context, request: unknown, call?: Call): Promise<ChangeResult> {
  const { subject, rules, ...options } = checkObject(request, RESET, 'body') as Fields & Pick<Subject, 'subject'> & Partial<Subject> & ChangeOptions;
  return context.limits.reset(subject, rules, { ...options, timeoutMs: timeoutOf(context, call) });
}

/** `{subject, forMs?, requestId?, requestTtlMs?}`: denies every check, for a time or until unblocked. @throws TallystickError */
export async function blockSubject(context: Context, request: unknown, call?: Call): Promise<ChangeResult> {
  const { subject, ...options } = checkObject(request, BLOCK, 'body') as Fields & Pick<Subject, 'subject'> & BlockOptions;
  return context.limits.block(subject, { ...options, timeoutMs: timeoutOf(context, call) });
}

/** `{subject, requestId?, requestTtlMs?}`: ends a block. @throws TallystickError */
export async function unblockSubject(context: Context, request: unknown, call?: Call): Promise<ChangeResult> {
  const { subject, ...options } = checkObject(request, UNBLOCK, 'body') as Fields & Pick<Subject, 'subject'> & ChangeOptions;
  return context.limits.unblock(subject, { ...options, timeoutMs: timeoutOf(context, call) });
}

/** The rules of a checked request in full. */
export function rulesOf(context: Context, request: unknown): readonly NamedLimit[] {
  return context.limits.resolve((request as Subject).rules);
}
