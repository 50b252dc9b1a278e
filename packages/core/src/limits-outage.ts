/**
 * Takes that do not wait for a store that is away: `onOutage` of their rules says what they are answered.
 *
 * A take that has waited for `waitMs` opens the switch of its lane and is answered without the store, and so is
 * every take after it, at once. It stays in its lane, which sends it until it is answered, and that answer closes the
 * switch. So the switch needs no probe, and one partition that is away says nothing of the others.
 *
 * The account: a take is either in the lane or answered here alone. What was granted here alone is owed, and charged to
 * the store once, by an operation of the lane, when it is back. Of a take that is in the lane, its late answer is
 * compared with what its caller was told, and only the difference is charged or given back.
 */
import type { TallystickError } from './errors.ts';
import { Insurance, type Owed } from './limits-insurance.ts';
import type { OnOutage } from './limits.ts';
import type { Settled } from './lanes/callers.ts';
import type { Environment } from './lanes/environment.ts';
import type { LaneEvent } from './lanes/events.ts';
import type { Lane } from './lanes/lane.ts';
import type { Ruling, Verdict } from './model/decision.ts';
import type { LimitsTerms } from './model/limit.ts';
import type { Operation } from './model/operation.ts';

/** What the rules of a call say of an outage, together. */
export interface OutagePolicy {
  /** `closed` if any rule says so; `local` if any other does, and then under those rules alone. */
  readonly onOutage: OnOutage;
  readonly terms: LimitsTerms;
}

/** An answer that did not come from the store. */
export interface FellBack extends Settled {
  readonly ruling: Ruling;
  readonly fallback: OnOutage;
  /** What stood for the difference of the store's clock to the process's. */
  readonly offsetMs: number;
}

/** What the outages of one lane are seen and bridged by. */
export interface OutageParts {
  readonly lane: Lane;
  readonly environment: Environment;
  /** How long a take waits for the store. */
  readonly waitMs: number;
  readonly onEvent: (event: LaneEvent) => void;
}

/** What the caller of a take that a lane has was told, and what is owed for it. */
interface Said {
  readonly told: FellBack;
  readonly owed: Owed | undefined;
}

/** Told of an operation that a lane has. */
interface Watching {
  /** It has waited too long; it stays in the lane. */
  readonly gaveUp: () => void;
  /** Answered, perhaps after giving up. */
  readonly answered: (settled: Settled) => void;
  /** Refused before giving up. */
  readonly refused: (error: TallystickError) => void;
}

/** When to ask again where nobody knows. */
const ASK_AGAIN_MS = 1000;

export class Outage {
  readonly #parts: OutageParts;
  readonly #insurance = new Insurance();
  #isAway = false;
  /** The store's clock less the process's, as last heard. */
  #offsetMs: number;
  /** Takes and peeks that the store did not answer. */
  fallbacks = 0;

  constructor(parts: OutageParts) {
    this.#parts = parts;
    this.#offsetMs = Date.now() - parts.environment.nowMs();
  }

  /** A take or peek. */
  ask(op: Operation, policy: OutagePolicy, timeoutMs = Infinity): Promise<Settled | FellBack> {
    if (this.#isAway) return Promise.resolve(this.#alone(op, policy));
    return new Promise((resolve, reject) => {
      let said: Said | undefined;
      this.#watch(op, Math.min(timeoutMs, this.#parts.waitMs), {
        gaveUp: () => { resolve((said = this.#inDoubt(op, policy)).told); },
        answered: (settled) => {
          if (said === undefined) resolve(settled);
          else this.#compare(op, said, settled);
        },
        refused: (error) => {
          if (error.code === 'OVERLOADED') resolve(this.#alone(op, policy));
          else reject(error);
        },
      });
    });
  }

  /** A change. In an outage it is `accepted` at once: the lane has it. */
  change(op: Operation, timeoutMs = Infinity): Promise<Settled> {
    const waitMs = this.#isAway ? 0 : Math.min(timeoutMs, this.#parts.waitMs);
    return new Promise((resolve, reject) => {
      this.#watch(op, waitMs, {
        gaveUp: () => { resolve({ outcome: 'accepted', value: 0, exact: false, delta: op.delta }); },
        answered: resolve,
        refused: reject,
      });
    });
  }

  /** Gives back what was granted here at `atMs`. @returns The units of it that the store will not be charged for. */
  refund(key: string, terms: LimitsTerms, atMs: number): number {
    return this.#insurance.refund(key, { terms, lease: undefined, units: terms.cost, atMs });
  }

  /** Gives a lease back. @returns Whether it was granted here, and the store will not hear of it. */
  release(key: string, lease: string, terms: LimitsTerms): boolean {
    return this.#insurance.release(key, lease, terms, this.#nowMs());
  }

  /** Hands over to the lane what is owed and still counts, by a clock that was `shiftMs` behind. */
  handOver(shiftMs = 0): void {
    this.#insurance.handOver(this.#nowMs() - shiftMs, (key, owed) => { this.#charge(key, { ...owed, atMs: owed.atMs + shiftMs }); });
  }

  #watch(op: Operation, waitMs: number, { gaveUp, answered, refused }: Watching): void {
    const { lane, environment } = this.#parts;
    let [isLate, isDone] = [false, false];
    const giveUp = (): void => {
      if (isDone) return;
      [isLate, this.#isAway] = [true, true];
      gaveUp();
    };
    // What has arrived is looked at first: perhaps it was this process that was held up, and not the store.
    const callOff = environment.after(waitMs, () => { environment.later(giveUp); });
    const end = (): void => {
      isDone = true;
      callOff();
    };
    lane.submit(op, (settled) => {
      end();
      const beforeMs = this.#offsetMs;
      this.#learn(settled);
      answered(settled);
      if (this.#isAway) this.handOver(Math.floor(this.#offsetMs - beforeMs));
      this.#isAway = false;
    }, (error) => {
      end();
      if (isLate) this.#dropped(op, error);
      else refused(error);
    });
  }

  /** By the store's clock, as far as it is known. */
  #nowMs(): number {
    return Math.floor(this.#parts.environment.nowMs() + this.#offsetMs);
  }

  /** Answers a take that no lane has. */
  #alone(op: Operation, policy: OutagePolicy): FellBack {
    const told = this.#fallBack(op, policy);
    if (isOwed(op, policy, told)) this.#insurance.owe(op.key, owedOf(op, policy, told));
    return told;
  }

  /** Answers a take that a lane has. */
  #inDoubt(op: Operation, policy: OutagePolicy): Said {
    const told = this.#fallBack(op, policy);
    if (!isOwed(op, policy, told)) return { told, owed: undefined };
    const owed = { ...owedOf(op, policy, told), inDoubt: true };
    this.#insurance.owe(op.key, owed);
    return { told, owed };
  }

  #fallBack(op: Operation, { onOutage, terms }: OutagePolicy): FellBack {
    this.fallbacks++;
    const nowMs = this.#nowMs();
    const local = onOutage === 'local' ? this.#insurance.ask(op, terms, nowMs) : undefined;
    const fallback = onOutage === 'local' && local === undefined ? 'closed' : onOutage;
    const verdict = local ?? unasked(terms, fallback, nowMs);
    const ruling = { verdict, isGranted: verdict.granted !== undefined, after: 0, answeredAtMs: nowMs };
    return { outcome: 'applied', value: 0, exact: false, delta: 0, ruling, fallback, offsetMs: this.#offsetMs };
  }

  /**
   * The late answer to a take whose caller was told something here. What the store granted is given back when the caller
   * was denied or has given back meanwhile, and when it was granted so late that it may belong to another window.
   * What is owed then is charged to the window of the time at which the caller was told.
   */
  #compare(op: Operation, { told, owed }: Said, { ruling }: Settled): void {
    const terms = op.terms as LimitsTerms;
    if (terms.action !== 'take') return;
    if (owed !== undefined) this.#insurance.settle(op.key, owed);
    const atMs = told.ruling.verdict.atMs + Math.floor(this.#offsetMs - told.offsetMs);
    const isGranted = ruling?.isGranted === true;
    const isInTime = isGranted && ruling.verdict.atMs - atMs <= this.#parts.waitMs;
    if (isInTime && told.ruling.isGranted && (owed === undefined || isWhole(owed, op))) return;
    if (isGranted) this.#submit({ key: op.key, delta: op.delta, terms: { ...terms, action: 'refund', takenAtMs: ruling.verdict.atMs }, member: op.member });
    if (owed !== undefined && owed.units > 0) this.#charge(op.key, { ...owed, atMs });
  }

  /** The store has answered, and said its time. */
  #learn({ ruling }: Settled): void {
    if (ruling !== undefined) this.#offsetMs = ruling.answeredAtMs - this.#parts.environment.nowMs();
  }

  #charge(key: string, { terms, lease, units, atMs }: Owed): void {
    this.#submit({ key, delta: units, terms: { ...terms, action: 'penalize', cost: units, takenAtMs: atMs }, member: lease });
  }

  #submit(op: Operation): void {
    this.#parts.lane.submit(op, () => undefined, (error) => { this.#dropped(op, error); });
  }

  #dropped({ key, delta }: Operation, error: TallystickError): void {
    this.#parts.onEvent({ type: 'dropped', key, delta, error });
  }
}

const isWhole = ({ units, lease }: Owed, { delta, member }: Operation): boolean => units === delta && lease === member;

const isOwed = (op: Operation, { onOutage }: OutagePolicy, { ruling }: FellBack): boolean =>
  onOutage === 'local' && ruling.isGranted && (op.terms as LimitsTerms).action === 'take';

function owedOf({ delta, member }: Operation, { terms }: OutagePolicy, { ruling }: FellBack): Owed {
  return { terms, lease: member, units: delta, atMs: ruling.verdict.atMs };
}

/** What is said where nothing is counted. */
function unasked({ rules }: LimitsTerms, fallback: OnOutage, atMs: number): Verdict {
  const { name: rule = null, limit = 0 } = rules[0] ?? {};
  if (fallback === 'open') return { atMs, granted: { rule, limit, remaining: limit, resetAtMs: atMs } };
  return { atMs, denied: { rule, limit, remaining: 0, resetAtMs: null, retryAtMs: atMs + ASK_AGAIN_MS } };
}
