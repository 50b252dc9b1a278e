/**
 * Takes that are answered in time, with the store or without it. A take that the store does not answer soon is
 * answered by the rule's policy; from then on nobody waits, until such a late take is answered after all: it is its
 * own probe, since its lane sends it until then. What the store decided late and what the caller had been told are
 * then brought together: every unit that was granted is charged once, and none that was not.
 */
import { TallystickError, type Decision, type Limits } from 'tallystick';
import { Insurance, type Charge } from './insurance.ts';
import type { OutagePolicy } from './rule.ts';

/** A charge, and what holds for it while the store is away. A cost of 0 only asks. */
export interface Ask extends Charge {
  readonly onOutage: OutagePolicy;
}

/** What a caller was told. */
export interface Told {
  readonly allowed: boolean;
  /** Not there when nobody counted. */
  readonly decision?: Decision;
  /** The policy that answered instead of the store. */
  readonly fallback?: OutagePolicy;
}

export class Outage {
  readonly #limits: Limits;
  readonly #onUncharged: (error: unknown) => void;
  readonly #insurance: Insurance;
  /** Takes that the store owes an answer to, though their callers have one. */
  #late = 0;
  /** What was told of them and then given back, before the store said anything. */
  readonly #givenBack = new WeakSet<Told>();
  readonly #owed = new WeakSet<Told>();

  /** @param onUncharged Told when the store refused a correction. */
  constructor(limits: Limits, onUncharged: (error: unknown) => void) {
    this.#limits = limits;
    this.#onUncharged = onUncharged;
    this.#insurance = new Insurance(limits, onUncharged);
  }

  /** Whether calls are answered without the store now. */
  get isAway(): boolean {
    return this.#late > 0;
  }

  /** @throws TallystickError when the take is refused for what it asks, or this node is closing. */
  take(ask: Ask, afterMs: number): Promise<Told> {
    return this.isAway ? this.#withoutStore(ask) : this.#inTime(ask, afterMs);
  }

  /** Gives back what a caller was granted. */
  async giveBack(ask: Ask, told: Told): Promise<void> {
    if (!told.allowed || ask.cost === 0) return;
    if (this.#owed.has(told)) this.#givenBack.add(told);
    else if (told.fallback === undefined) await this.#refund(ask, told.decision);
    else if (told.fallback === 'local') await this.#insurance.takeBack(ask, told.decision);
  }

  /** Charges what is still to be charged, as long as the store is not closed. */
  close(): Promise<void> {
    return this.#insurance.close();
  }

  #inTime(ask: Ask, afterMs: number): Promise<Told> {
    return new Promise((resolve, reject) => {
      let told: Promise<Told> | undefined;
      const late = (): void => {
        told = this.#owe(ask);
        told.then(resolve, reject);
      };
      const timer = setTimeout(late, afterMs);
      const settled = (decision?: Decision): void => {
        if (told !== undefined) void told.then((it) => this.#reconcile(ask, it, decision)).catch(this.#onUncharged);
      };
      this.#ask(ask).then(
        (decision) => {
          clearTimeout(timer);
          settled(decision);
          this.#insurance.settle();
          resolve({ allowed: decision.allowed, decision });
        },
        (error: unknown) => {
          clearTimeout(timer);
          settled();
          if (told === undefined && isFault(error)) this.#withoutStore(ask).then(resolve, reject);
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what was thrown is passed on as it is
          else reject(error);
        },
      );
    });
  }

  #ask({ subject, figures, cost }: Ask): Promise<Decision> {
    return cost === 0 ? this.#limits.peek(subject, figures) : this.#limits.take(subject, figures, { cost });
  }

  /** The answer of the policy, while the take is still on its way. */
  async #owe(ask: Ask): Promise<Told> {
    this.#late++;
    const told = await this.#fallback(ask);
    this.#owed.add(told);
    return told;
  }

  /** The answer of the policy; the store is not asked. */
  async #withoutStore(ask: Ask): Promise<Told> {
    const told = await this.#fallback(ask);
    if (told.allowed && told.fallback === 'local' && ask.cost > 0) this.#insurance.note(ask);
    return told;
  }

  async #fallback(ask: Ask): Promise<Told> {
    if (ask.onOutage !== 'local') return { allowed: ask.onOutage === 'open', fallback: ask.onOutage };
    const decision = await this.#insurance.take(ask);
    return { allowed: decision.allowed, decision, fallback: 'local' };
  }

  /** @param decision What the store said at last; nothing when it refused, and so did nothing. */
  async #reconcile(ask: Ask, told: Told, decision: Decision | undefined): Promise<void> {
    this.#late--;
    this.#owed.delete(told);
    if (ask.cost === 0) return;
    const isGranted = decision?.allowed === true;
    const isHeld = told.allowed && !this.#givenBack.has(told);
    if (isGranted && !isHeld) await this.#refund(ask, decision);
    else if (!isGranted && isHeld && told.fallback === 'local') this.#insurance.note(ask);
    if (!isGranted && isHeld) this.#insurance.settle();
  }

  async #refund({ subject, figures, cost }: Ask, decision: Decision | undefined): Promise<void> {
    await this.#limits.refund(subject, figures, { cost, ...(decision !== undefined && { decision }) });
  }
}

/** Whether the store could not do it, rather than would not: nothing happened. */
function isFault(error: unknown): boolean {
  return error instanceof TallystickError && error.transient && error.code !== 'CLOSED';
}
