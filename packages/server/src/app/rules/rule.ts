/** One rule of a rules file: the figures of a descriptor, and what becomes of them for some keys and tiers. */
import { TallystickError, type NamedLimit, type Rules } from 'tallystick';
import { at, choiceOf, listOf, objectOf, textOf, type Fields, type Place } from './fields.ts';

/** What is answered while the store is away: allowed, denied, or decided by this process alone and charged afterwards. */
export type OutagePolicy = 'open' | 'closed' | 'local';

/** Names of the policies. */
const OUTAGE_POLICIES: readonly OutagePolicy[] = ['open', 'closed', 'local'];

/** Limits that hold together; none: unlimited. */
export type Figures = readonly NamedLimit[];

/** A rule, ready to be asked. */
export interface Rule {
  readonly name: string;
  readonly figures: Figures;
  /** By the value of the descriptor's last entry. */
  readonly perKey: ReadonlyMap<string, Figures>;
  readonly perTier: ReadonlyMap<string, Figures>;
  /** Keys of the entries that tell subjects apart; undefined: all. */
  readonly by: readonly string[] | undefined;
  /** Counts and tells, and never denies. */
  readonly isShadow: boolean;
  readonly onOutage: OutagePolicy;
}

/** What holds below a domain or descriptor unless said otherwise. */
export type Inherited = Pick<Rule, 'isShadow' | 'onOutage'>;

/** Checks limits and returns them in full, as `limits.resolve` of the library does. */
export type Resolve = (rules: Rules) => readonly NamedLimit[];

/** Fields of a rule within a descriptor. */
export const RULE_FIELDS = ['name', 'limit', 'by', 'perKey', 'perTier', 'shadow', 'onOutage'] as const;

const UNLIMITED = 'unlimited';
const NO_FIGURES: Figures = Object.freeze([]);

/** What `shadow` and `onOutage` say, or what holds above. */
export function inheritedBy(fields: Fields, place: Place, above: Inherited): Inherited {
  return {
    isShadow: choiceOf(fields['shadow'], at(place, 'shadow'), [true, false], above.isShadow),
    onOutage: choiceOf(fields['onOutage'], at(place, 'onOutage'), OUTAGE_POLICIES, above.onOutage),
  };
}

/** The rule of a descriptor; undefined for one that only has others below it. */
export function ruleOf(fields: Fields, place: Place, defaults: Inherited & Pick<Rule, 'name'>, resolve: Resolve): Rule | undefined {
  if (fields['limit'] === undefined) {
    for (const name of RULE_FIELDS) {
      if (name !== 'shadow' && name !== 'onOutage' && fields[name] !== undefined) place.problems.say(at(place, name).path, 'means nothing without limit');
    }
    return undefined;
  }
  const name = fields['name'] === undefined ? defaults.name : (textOf(fields['name'], at(place, 'name')) ?? defaults.name);
  const { isShadow, onOutage } = defaults;
  const reader = new FigureReader(name, resolve);
  const figures = reader.read(fields['limit'], at(place, 'limit'));
  const overrides = (field: 'perKey' | 'perTier'): Rule['perKey'] => overridesOf(fields, at(place, field), reader);
  return { name, figures, perKey: overrides('perKey'), perTier: overrides('perTier'), by: byOf(fields['by'], at(place, 'by')), isShadow, onOutage };
}

function byOf(by: unknown, place: Place): readonly string[] | undefined {
  if (by === undefined) return undefined;
  if (Array.isArray(by)) return by.flatMap((key, i) => textOf(key, at(place, `[${i}]`)) ?? []);
  place.problems.add(place.path, 'a list of entry keys', by);
  return undefined;
}

function overridesOf(fields: Fields, place: Place, reader: FigureReader): Map<string, Figures> {
  const overrides = new Map<string, Figures>();
  const given = fields[place.path.slice(place.path.lastIndexOf('.') + 1)];
  if (given === undefined) return overrides;
  for (const [key, override] of Object.entries(objectOf(given, place) ?? {})) {
    overrides.set(key, reader.override(fields['limit'], override, at(place, key)));
  }
  return overrides;
}

/** Reads the figures of one rule. A limit that is alone has the rule's name; one of several has its place beside it. */
class FigureReader {
  readonly #name: string;
  readonly #resolve: Resolve;

  constructor(name: string, resolve: Resolve) {
    this.#name = name;
    this.#resolve = resolve;
  }

  /** `unlimited`, a limit, or a list of limits that hold together. */
  read(limit: unknown, place: Place): Figures {
    if (limit === UNLIMITED) return NO_FIGURES;
    if (!Array.isArray(limit)) return Object.freeze(this.#one(limit, place, this.#name));
    return Object.freeze(listOf(limit, place).flatMap((one, i) => this.#one(one, at(place, `[${i}]`), `${this.#name}[${i}]`)));
  }

  /** As {@link read}, but an object changes only the fields that it names. */
  override(limit: unknown, change: unknown, place: Place): Figures {
    if (change === UNLIMITED || Array.isArray(change)) return this.read(change, place);
    if (typeof limit === 'object' && limit !== null && !Array.isArray(limit)) return this.read({ ...limit, ...objectOf(change, place) }, place);
    place.problems.add(place.path, `${UNLIMITED} or a list of limits, as the rule's own is not one limit`, change);
    return NO_FIGURES;
  }

  #one(limit: unknown, place: Place, name: string): readonly NamedLimit[] {
    const fields = objectOf(limit, place);
    if (fields === undefined) return [];
    if (fields['name'] !== undefined) place.problems.say(at(place, 'name').path, 'a limit has the name of its rule');
    if (fields['algorithm'] === 'concurrency') place.problems.say(at(place, 'algorithm').path, 'a lease could not be released here: expected another algorithm');
    try {
      return this.#resolve({ ...fields, name } as unknown as NamedLimit).map((one) => Object.freeze(one));
    } catch (error) {
      if (!(error instanceof TallystickError)) throw error;
      const field = (error.field ?? '').replace(/^rules\.?/, '');
      place.problems.say(field === '' ? place.path : at(place, field).path, error.message.replace(/^rules[.\w]*: /, ''));
      return [];
    }
  }
}
