/** What a call asks of the store: the limits that its descriptors found, as few takes as can be. */
import type { Match } from './match.ts';
import type { Ask, Told } from './outage.ts';
import type { Figures } from './rule.ts';

/** One take. One of shadow rules is by itself: it must not deny what goes with it. */
export interface RulesAsk extends Ask {
  readonly isShadow: boolean;
}

/** A take, and what came of it. */
export interface Charged {
  readonly ask: RulesAsk;
  readonly told: Told;
}

/** The most limits of one take. */
const MOST_LIMITS = 32;

export class Charges {
  readonly asks: RulesAsk[] = [];
  readonly #places = new Map<Match, number>();

  constructor(matches: readonly (Match | undefined)[]) {
    for (const match of matches) if (match !== undefined && match.figures.length > 0) this.#add(match);
  }

  /** What came of the take of `match`; undefined for one that is unlimited. */
  of(match: Match, charged: readonly Charged[]): Charged | undefined {
    return charged[this.#places.get(match) ?? -1];
  }

  #add(match: Match): void {
    const { subject, figures, hits: cost, rule: { isShadow, onOutage } } = match;
    const place = this.asks.findIndex((ask) => ask.subject === subject && goesWith(ask, match));
    const ask = this.asks[place];
    if (ask === undefined) this.#places.set(match, this.asks.push({ subject, figures, cost, isShadow, onOutage }) - 1);
    else {
      this.asks[place] = { ...ask, figures: joined(ask.figures, figures) };
      this.#places.set(match, place);
    }
  }
}

/** Whether limits of one subject can be one take: all or nothing, by the same amount, and none of them twice. */
function goesWith(ask: RulesAsk, { figures, hits, rule: { isShadow, onOutage } }: Match): boolean {
  const isAlike = ask.cost === hits && ask.isShadow === isShadow && ask.onOutage === onOutage;
  return isAlike && ask.figures.length + figures.length <= MOST_LIMITS && !figures.some(({ name }) => ask.figures.some((other) => other.name === name));
}

const known = new WeakMap<Figures, WeakMap<Figures, Figures>>();

/** Both together: one object as long as both are, so that what is kept by figures finds them again. */
function joined(first: Figures, second: Figures): Figures {
  let ofFirst = known.get(first);
  if (ofFirst === undefined) known.set(first, (ofFirst = new WeakMap<Figures, Figures>()));
  let both = ofFirst.get(second);
  if (both === undefined) ofFirst.set(second, (both = Object.freeze([...first, ...second])));
  return both;
}
