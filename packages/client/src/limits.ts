/** The limits of a node, as an application holds them. */
import type {
  BlockOptions,
  ChangeOptions,
  ChangeResult,
  Decision,
  NamedLimit,
  PenaltyOptions,
  RefundOptions,
  Refusal,
  Rules,
  TakeItem,
  TakeOptions,
} from 'tallystick';
import { reads, writes, type Asking } from './asking.ts';
import { checked, checkedEach } from './check.ts';
import type { CallOptions } from './counters.ts';
import { refusalOf } from './fault.ts';
import { limitsService, type LimitRequest, type WireRule } from './wire/index.ts';

/** Limits of a node: as in the library, with the same decisions and errors. Rules go by the names the node has declared, or in full. */
export interface ClientLimits {
  /**
   * Takes `cost` units under all rules, or nothing. Calls of one tick travel in one message.
   *
   * @throws TallystickError (as a rejection) when nothing could be decided, or `OUTCOME_UNKNOWN`.
   * @example const { allowed, retryAfterMs } = await client.limits.take('user:42', 'login')
   */
  take(subject: string, rules: Rules, options?: TakeOptions): Promise<Decision>;
  /** Takes many in one call, each by itself: one bad item refuses them all, naming its index. */
  takeMany(items: readonly Omit<TakeItem, 'timeoutMs'>[], options?: CallOptions): Promise<readonly (Decision | Refusal)[]>;
  /** What a take would be told now. Changes nothing. */
  peek(subject: string, rules: Rules, options?: Pick<TakeOptions, 'cost' | 'timeoutMs'>): Promise<Decision>;
  /** Gives units back; of a decision, to the window they came from. */
  refund(subject: string, rules: Rules, options?: RefundOptions): Promise<ChangeResult>;
  /** Gives a lease of `concurrency` rules back. */
  release(subject: string, rules: Rules, lease: string, options?: ChangeOptions): Promise<ChangeResult>;
  /** Takes units without asking. */
  penalize(subject: string, rules: Rules, options?: PenaltyOptions): Promise<ChangeResult>;
  /** Forgets what these rules, or all, have counted of the subject. A block stays. */
  reset(subject: string, rules?: Rules, options?: ChangeOptions): Promise<ChangeResult>;
  /** Denies every take of the subject for `forMs`, or until `unblock`. */
  block(subject: string, options?: BlockOptions): Promise<ChangeResult>;
  /** Ends a block. */
  unblock(subject: string, options?: ChangeOptions): Promise<ChangeResult>;
}

function wireRules(rules: Rules): readonly WireRule[] {
  const list = (Array.isArray(rules) ? rules : [rules]) as readonly (string | NamedLimit)[];
  return checkedEach('rule', 'rules', list.map((rule) => (typeof rule === 'string' ? { name: rule } : rule)));
}

/** A decision, or the error that stands in its place. */
const resultOf = (result: Decision | Refusal): Decision | ReturnType<typeof refusalOf> => ('outcome' in result ? refusalOf(result) : result);

/** Makes the calls. */
export function clientLimits(asking: Asking): ClientLimits {
  const { link, settings, request } = asking;
  const ofItem = writes<LimitRequest>(({ requestId }) => requestId);
  const takes = asking.coalesced<LimitRequest, Decision>(async (calls, deadlineMs) => {
    const items = calls.map(({ item }) => item);
    return (await link.call(limitsService.BatchCheck, items, deadlineMs)).map(resultOf);
  }, ofItem);
  const batches = asking.alone(limitsService.BatchCheck, writes<readonly LimitRequest[]>((items) => items[0]?.requestId));
  const peeks = asking.alone(limitsService.Peek, reads);
  const changes = Object.fromEntries(
    (['Refund', 'Release', 'Penalize', 'Reset', 'Block', 'Unblock'] as const).map((name) => [name, asking.alone(limitsService[name], ofItem)]),
  );
  const repeatable = (given: TakeOptions, timeoutMs: number): Pick<LimitRequest, 'requestId' | 'requestTtlMs'> => request(given, timeoutMs);
  const change = (name: string, message: Omit<LimitRequest, 'requestId' | 'requestTtlMs'>, { timeoutMs = settings.timeoutMs, ...given }: ChangeOptions): Promise<ChangeResult> =>
    (changes[name] as NonNullable<(typeof changes)[string]>).call({ ...message, ...repeatable(given, timeoutMs) }, timeoutMs);
  return {
    take: async (subject, rules, options = {}) => {
      const { timeoutMs = settings.timeoutMs, cost, ...given } = checked('take', { ...options, subject });
      return takes.call({ subject, rules: wireRules(rules), cost, ...repeatable(given, timeoutMs) }, timeoutMs);
    },
    takeMany: async (items, options = {}) => {
      const { timeoutMs = settings.timeoutMs } = checked('call', options);
      const list = checkedEach('takeItem', 'items', items).map(({ subject, rules, cost, ...given }) => ({ subject, rules: wireRules(rules), cost, ...repeatable(given, timeoutMs) }));
      return batches.call(list, timeoutMs);
    },
    peek: async (subject, rules, options = {}) => {
      const { timeoutMs = settings.timeoutMs, cost } = checked('take', { ...options, subject });
      return peeks.call({ subject, rules: wireRules(rules), cost }, timeoutMs) as Promise<Decision>;
    },
    refund: async (subject, rules, options = {}) => {
      const { cost, decision, ...given } = checked('change', { ...options, subject });
      if (decision?.allowed === false) return { outcome: 'applied' };
      return change('Refund', { subject, rules: wireRules(rules), cost, takenAtMs: decision?.atMs }, given);
    },
    release: async (subject, rules, lease, options = {}) => {
      return change('Release', { subject, rules: wireRules(rules), lease }, checked('change', { ...options, subject, lease }));
    },
    penalize: async (subject, rules, options = {}) => {
      const { cost, ...given } = checked('change', { ...options, subject });
      return change('Penalize', { subject, rules: wireRules(rules), cost }, given);
    },
    reset: async (subject, rules, options = {}) => {
      return change('Reset', { subject, rules: rules === undefined ? [] : wireRules(rules) }, checked('change', { ...options, subject }));
    },
    block: async (subject, options = {}) => {
      const { forMs, ...given } = checked('change', { ...options, subject });
      return change('Block', { subject, rules: [], forMs }, given);
    },
    unblock: async (subject, options = {}) => change('Unblock', { subject, rules: [] }, checked('change', { ...options, subject })),
  };
}
