/**
 * Decides a call by the rules that hold now. Each descriptor finds at most one rule; limits of one subject are taken in
 * one atomic step, those of several subjects each by itself, at once. Where one denies, what the others had granted is
 * given back before the answer, so a denied call is charged nothing.
 */
import type { Decision, Limits, NamedLimit } from 'tallystick';
import type { Figures as NodeFigures, RuleOutcome } from '../figures.ts';
import { Charges, type Charged } from './charges.ts';
import type { LiveRules, Reloads, RulesStatus } from './live-rules.ts';
import { matchOf, type Descriptor, type Match } from './match.ts';
import { Outage, type Told } from './outage.ts';
import type { OutagePolicy } from './rule.ts';

/** What was decided of one descriptor. */
export interface DescriptorStatus {
  readonly allowed: boolean;
  /** Name of the rule; null when none matches. */
  readonly rule: string | null;
  /** The limit that is nearest, and where the subject stands with it; not there when nothing was counted. */
  readonly limit?: NamedLimit;
  readonly decision?: Decision;
  /** The policy that answered while the store was away. */
  readonly fallback?: OutagePolicy;
}

/** What was decided of a call. */
export interface RulesDecision {
  readonly allowed: boolean;
  /** In the order of the descriptors. */
  readonly statuses: readonly DescriptorStatus[];
  /** Whether the rules ask for header fields in the answer. */
  readonly hasHeaders: boolean;
}

/** Settings of {@link RulesEngine}. */
export interface RulesEngineOptions {
  readonly live: LiveRules;
  readonly limits: Limits;
  readonly figures: NodeFigures;
  /** Told when the store refused to be told of units that were granted or given back without it. */
  readonly onUncharged: (error: unknown) => void;
}

const UNCHARGED: Told = Object.freeze({ allowed: true });
const UNMATCHED: DescriptorStatus = Object.freeze({ allowed: true, rule: null });

export class RulesEngine {
  readonly #options: RulesEngineOptions;
  readonly #outage: Outage;

  constructor(options: RulesEngineOptions) {
    this.#options = options;
    this.#outage = new Outage(options.limits, options.onUncharged);
  }

  /** What is said of the rules. */
  get status(): RulesStatus {
    return this.#options.live.status;
  }

  /** How often a changed file was read. */
  get reloads(): Readonly<Reloads> {
    return this.#options.live.reloads;
  }

  /** Whether calls are answered without the store now. */
  get isAway(): boolean {
    return this.#outage.isAway;
  }

  /**
   * Decides a call of `hits` units.
   *
   * @throws TallystickError when nothing could be decided: bad input, or this node is closing.
   */
  async decide(domainName: string, descriptors: readonly Descriptor[], hits = 1): Promise<RulesDecision> {
    const { rules } = this.#options.live.current;
    const domain = rules.domains.get(domainName);
    if (domain === undefined) {
      this.#options.figures.countRule('', 'unknown_domain');
      return { allowed: true, statuses: descriptors.map(() => UNMATCHED), hasHeaders: false };
    }
    const matches = descriptors.map((descriptor) => matchOf(domainName, domain, descriptor, hits));
    const charges = new Charges(matches);
    const charged = await Promise.all(charges.asks.map(async (ask) => ({ ask, told: await this.#outage.take(ask, rules.outageAfterMs) })));
    const allowed = charged.every(({ ask, told }) => told.allowed || ask.isShadow);
    if (!allowed) await Promise.all(charged.map(({ ask, told }) => this.#outage.giveBack(ask, told)));
    const statuses = matches.map((match) => (match === undefined ? UNMATCHED : statusOf(match, charges.of(match, charged))));
    this.#count(matches, charges, charged);
    return { allowed, statuses, hasHeaders: domain.hasHeaders };
  }

  /** Where the subjects of a descriptor stand. Changes nothing. */
  async peek(domainName: string, descriptor: Descriptor): Promise<{ readonly subject: string; readonly rule: string; readonly decision: Decision | null } | undefined> {
    const domain = this.#options.live.current.rules.domains.get(domainName);
    const match = domain === undefined ? undefined : matchOf(domainName, domain, descriptor, 0);
    if (match === undefined) return undefined;
    const { subject, figures, rule } = match;
    return { subject, rule: rule.name, decision: figures.length === 0 ? null : await this.#options.limits.peek(subject, figures) };
  }

  /** Looks at the file no more, and charges what is still to be charged. */
  async close(): Promise<void> {
    this.#options.live.close();
    await this.#outage.close();
  }

  #count(matches: readonly (Match | undefined)[], charges: Charges, charged: readonly Charged[]): void {
    const { figures } = this.#options;
    for (const match of matches) {
      if (match === undefined) {
        figures.countRule('', 'unmatched');
        continue;
      }
      const told = charges.of(match, charged)?.told ?? UNCHARGED;
      figures.countRule(match.rule.name, outcomeOf(told, match.rule.isShadow));
    }
  }
}

function statusOf({ rule: { name, isShadow }, figures }: Match, charged: Charged | undefined): DescriptorStatus {
  if (charged === undefined) return { allowed: true, rule: name };
  const { allowed, decision, fallback } = charged.told;
  const limit = figures.find((one) => one.name === decision?.rule);
  // Of limits that were taken together, a denial is told of the one that denied.
  const isDenied = !allowed && !isShadow && (decision === undefined || decision.rule === null || limit !== undefined);
  const stands = limit !== undefined && decision !== undefined ? { limit, decision } : {};
  return { allowed: !isDenied, rule: name, ...stands, ...(fallback !== undefined && { fallback }) };
}

/** What is counted of a rule: bounded names, never a caller's. */
function outcomeOf({ allowed, fallback }: Told, isShadow: boolean): RuleOutcome {
  if (fallback !== undefined) return `fallback_${fallback}`;
  if (allowed) return 'allowed';
  return isShadow ? 'shadow_denied' : 'denied';
}
