/**
 * The guard before likes: limits per address of the client, per user and API, per user over all APIs, and no second time
 * the same within a time.
 *
 * Those that concern the user are one take of one subject: all or nothing, in one atomic step. The address is a subject
 * of its own, asked first; it gets its unit back when the user is denied. An act that was not counted gives
 * everything back; one of which nobody knows whether it was counted gives nothing back.
 */
import { createHash } from 'node:crypto';
import { joinKey, TallystickError, type Decision, type Limits, type NamedLimit } from 'tallystick';
import type { Figures } from '../figures.ts';
import { clientAddress, type AddressOptions, type Peer } from './client-address.ts';

/** Settings of the guard. */
export interface GuardOptions extends AddressOptions {
  /** Acts of one address in any minute. */
  readonly ipPerMinute: number;
  /** Acts of one user through one API in any minute. */
  readonly userPerMinute: number;
  /** Acts of one user through all APIs in any minute. */
  readonly operationsPerMinute: number;
  /** For how long a user can't do the same to the same resource again; 0: he can. */
  readonly duplicateMs: number;
  /**
   * What is answered while the store is away. Default: the guard waits for it, so that what it says is exact, however slow
   * the store is.
   */
  readonly onOutage?: NamedLimit['onOutage'];
}

/** What somebody is about to do. */
export interface Act {
  /** The API: a name of this program. */
  readonly api: string;
  readonly userId: string;
  readonly resourceId: string;
  readonly requestId?: string | undefined;
  readonly requestTtlMs?: number | undefined;
  /** Absent for a call from within the process, which has no address. */
  readonly peer?: Peer | undefined;
}

/** The guard's answer to an act that it does not let pass: nothing was counted. */
export interface GuardDenial {
  readonly denied: 'RATE_LIMITED' | 'DUPLICATE';
  readonly decision: Decision;
  readonly rules: readonly NamedLimit[];
}

/** Units that were taken, and how to take and give back. */
interface Charge {
  readonly subject: string;
  readonly rules: readonly NamedLimit[];
  readonly requestId?: string | undefined;
  readonly requestTtlMs?: number | undefined;
}
interface Charged extends Charge {
  readonly decision: Decision;
}

const MINUTE_MS = 60_000;

const perMinute = (name: string, limit: number): NamedLimit => ({ name, algorithm: 'sliding-window', limit, windowMs: MINUTE_MS });

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Longer names stand in keys by their digest: a key has an end. */
const LONGEST_NAME_BYTES = 400;

/** A subject of the guard. */
const subjectOf = (kind: 'ip' | 'user', name: string): string =>
  Buffer.byteLength(name) <= LONGEST_NAME_BYTES ? joinKey('guard', kind, name) : joinKey('guard', `${kind} digest`, digest(name));

export class Guard {
  readonly #limits: Limits;
  readonly #figures: Figures;
  readonly #options: GuardOptions;
  readonly #ipRules: readonly NamedLimit[];
  readonly #operations: NamedLimit;

  constructor(limits: Limits, figures: Figures, options: GuardOptions) {
    this.#limits = limits;
    this.#figures = figures;
    this.#options = options;
    this.#ipRules = [perMinute('ip', options.ipPerMinute)];
    this.#operations = perMinute('operations', options.operationsPerMinute);
  }

  /**
   * Does `work` when every limit allows the act. `work` is told how many of `timeoutMs` are left.
   *
   * @throws TallystickError as `work` does, and when the guard can't decide: nothing was counted then.
   */
  async around<Done>(act: Act, timeoutMs: number, work: (leftMs: number) => Promise<Done>): Promise<Done | GuardDenial> {
    const endsMs = performance.now() + timeoutMs;
    const leftMs = (): number => Math.max(1, Math.ceil(endsMs - performance.now()));
    const charged: Charged[] = [];
    try {
      for (const charge of this.#chargesOf(act)) {
        const decision = await this.#take(charge, leftMs());
        if (!decision.allowed) return this.#deny(charge, decision, charged);
        charged.push({ ...charge, decision });
      }
      return await work(leftMs());
    } catch (error) {
      if (isRefusal(error)) this.#giveBack(charged);
      throw error;
    }
  }

  #chargesOf(act: Act): Charge[] {
    const { requestId, requestTtlMs } = act;
    const user: Charge = { subject: subjectOf('user', act.userId), rules: this.#userRules(act) };
    const again = typeof requestId !== 'string' || requestId === '' ? {} : { requestId: digest(JSON.stringify([act.api, act.resourceId, requestId])), requestTtlMs };
    return [...this.#ipCharges(act.peer), { ...user, ...again }].map((charge) => ({ ...charge, rules: this.#inOutage(charge.rules) }));
  }

  #inOutage(rules: readonly NamedLimit[]): readonly NamedLimit[] {
    const { onOutage } = this.#options;
    return onOutage === undefined ? rules : rules.map((rule) => ({ ...rule, onOutage }));
  }

  /** Without a request id: what comes again is a request all the same. */
  #ipCharges(peer: Peer | undefined): Charge[] {
    if (peer === undefined) return [];
    const address = clientAddress(peer, this.#options);
    if (address === undefined) throw new TallystickError('INVALID_ARGUMENT', 'client: expected an address of the connection, got none', { field: 'client' });
    return [{ subject: subjectOf('ip', address), rules: this.#ipRules }];
  }

  #userRules({ api, resourceId }: Act): NamedLimit[] {
    const { userPerMinute, duplicateMs } = this.#options;
    const rules = [perMinute(`user:${api}`, userPerMinute), this.#operations];
    if (duplicateMs === 0) return rules;
    const name = `${DUPLICATE}${api}:${digest(resourceId)}`;
    return [...rules, { name, algorithm: 'fixed-window', limit: 1, windowMs: duplicateMs }];
  }

  /**
   * A request id makes an act that comes again one act. A denial is no act: who comes again under its id is asked
   * anew.
   */
  async #take(charge: Charge, timeoutMs: number): Promise<Decision> {
    const { subject, rules, requestId, requestTtlMs } = charge;
    try {
      const again = requestId === undefined ? {} : { requestId, ...(requestTtlMs !== undefined && { requestTtlMs }) };
      const decision = await this.#limits.take(subject, rules, { ...again, timeoutMs });
      return decision.allowed || decision.replayed === undefined ? decision : await this.#limits.take(subject, rules, { timeoutMs });
    } catch (error) {
      if (!(error instanceof TallystickError) || error.code !== 'OUTCOME_UNKNOWN') throw error;
      throw new TallystickError('TIMEOUT', 'the guard had no answer in time; nothing was counted', { cause: error });
    }
  }

  #deny({ rules }: Charge, decision: Decision, charged: readonly Charged[]): GuardDenial {
    this.#giveBack(charged);
    const shown = { ...decision, rule: decision.rule === null ? null : shownName(decision.rule) };
    const isDuplicate = decision.rule?.startsWith(DUPLICATE) === true;
    this.#figures.countGuardRefusal(shown.rule?.split(':', 1)[0] ?? 'blocked');
    return { denied: isDuplicate ? 'DUPLICATE' : 'RATE_LIMITED', decision: shown, rules: rules.map((rule) => ({ ...rule, name: shownName(rule.name) })) };
  }

  /**
   * Nobody waits for it: whoever asks next comes after it in its lane. Under a request id it is done once, however
   * often the act comes again. Where it can't be done the units are free again when their window ends.
   */
  #giveBack(charged: readonly Charged[]): void {
    for (const { subject, rules, decision, requestId } of charged) {
      const once = requestId === undefined ? {} : { requestId: `back.${requestId}` };
      this.#limits.refund(subject, rules, { decision, ...once }).catch(() => undefined);
    }
  }
}

const DUPLICATE = 'duplicate:';

/** The name of a rule without what it has of the resource. */
const shownName = (name: string): string => (name.startsWith(DUPLICATE) ? name.slice(0, name.lastIndexOf(':')) : name);

/** Whether it is known that nothing was counted. */
const isRefusal = (error: unknown): boolean => error instanceof TallystickError && error.code !== 'OUTCOME_UNKNOWN' && error.code !== 'INTERNAL';
