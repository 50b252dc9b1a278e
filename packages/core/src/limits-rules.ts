/** Rules as they are declared or given: checked, and made to shared terms so that takes can be combined. */
import { TallystickError, type ErrorCode } from './errors.ts';
import type { OutagePolicy } from './limits-outage.ts';
import type { Calendar, LimitOptions, NamedLimit, OnOutage, Rules } from './limits.ts';
import { MAX_VALUE } from './model/amount.ts';
import { checkObject, unexpected } from './model/check.ts';
import type { CalendarUnit, LimitAction, LimitRule, LimitsTerms } from './model/limit.ts';

type Field = 'unit' | 'timeZone' | 'limit' | 'windowMs' | 'leaseMs' | 'slices' | 'burst' | 'align' | 'mode';
type Given = Readonly<Partial<Record<Field | 'algorithm' | 'name' | 'onOutage', unknown>>>;

/** Fields of every rule. */
const COMMON: readonly string[] = ['algorithm', 'name', 'onOutage'];
/** From the laxest to the strictest. */
const POLICIES: readonly unknown[] = ['open', 'local', 'closed'] satisfies OnOutage[];

const FIELDS: Record<LimitRule['algorithm'], readonly Field[]> = {
  'fixed-window': ['limit', 'windowMs', 'align'],
  'sliding-window': ['limit', 'windowMs', 'slices', 'mode'],
  'sliding-log': ['limit', 'windowMs'],
  'token-bucket': ['limit', 'windowMs', 'burst'],
  concurrency: ['limit', 'leaseMs'],
  calendar: ['limit', 'unit', 'timeZone'],
};

const LONGEST_MS = 10 * 366 * 86_400_000;
const MOST_RECORDS = 100_000;
const MOST_RULES = 32;
/** Terms kept: beyond, all are made anew. */
const MOST_SHARED = 1000;

function whole(given: Given, field: Field, [least, most]: readonly [number, number], fallback?: number): number {
  const value = given[field] === undefined ? fallback : given[field];
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  throw unexpected(field, `an integer from ${least} to ${most}`, value, 'INVALID_ARGUMENT');
}

function choice<T extends string>(given: Given, field: Field, [first, second]: readonly [T, T]): T {
  const { [field]: value = first } = given;
  if (value === first || value === second) return value as T;
  throw unexpected(field, `${first} or ${second}`, value, 'INVALID_ARGUMENT');
}

/** Units times milliseconds are counted exactly. */
function checkProduct(field: Field, units: number, windowMs: number): number {
  if (units * windowMs <= MAX_VALUE) return units;
  throw unexpected(field, `${field} × windowMs of at most 2^53 − 1`, units, 'INVALID_ARGUMENT');
}

const windowOf = (given: Given, least = 1): number => whole(given, 'windowMs', [least, LONGEST_MS]);
const limitOf = (given: Given, most = MAX_VALUE): number => whole(given, 'limit', [0, most]);

function bucket(name: string, given: Given): LimitRule {
  const windowMs = windowOf(given);
  const limit = checkProduct('limit', limitOf(given), windowMs);
  const burst = limit === 0 ? 0 : checkProduct('burst', whole(given, 'burst', [1, MAX_VALUE], limit), windowMs);
  return { algorithm: 'token-bucket', name, id: `${name}/bucket/${windowMs}`, limit, windowMs, burst };
}

function slices(name: string, given: Given): LimitRule {
  const parts = whole(given, 'slices', [1, 1000], 10);
  const windowMs = windowOf(given, parts);
  const mode = choice(given, 'mode', ['conservative', 'interpolated']);
  const limit = mode === 'interpolated' ? checkProduct('limit', limitOf(given), windowMs) : limitOf(given);
  return { algorithm: 'sliding-window', name, id: `${name}/slices/${windowMs}/${parts}`, limit, windowMs, slices: parts, mode };
}

const UNITS: readonly unknown[] = ['day', 'week', 'month', 'year'] satisfies CalendarUnit[];

/** A calendar, and about when it is asked. */
export interface Almanac {
  readonly calendar: Calendar | undefined;
  readonly atMs: number;
}

function edgesOf(unit: CalendarUnit, timeZone: string, { calendar, atMs }: Almanac): readonly number[] {
  if (calendar === undefined) throw unexpected('algorithm', 'one that needs no calendar, or the option calendar of createTallystick', 'calendar', 'INVALID_ARGUMENT');
  try {
    return Object.freeze([...calendar(unit, timeZone, atMs)]);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw unexpected('timeZone', 'an IANA time zone such as Europe/Berlin', timeZone, 'INVALID_ARGUMENT');
  }
}

function calendarRule(name: string, given: Given, almanac: Almanac): LimitRule {
  const { unit, timeZone = 'UTC' } = given;
  if (!UNITS.includes(unit)) throw unexpected('unit', `one of ${UNITS.join(', ')}`, unit, 'INVALID_ARGUMENT');
  if (typeof timeZone !== 'string' || timeZone.length > 64) throw unexpected('timeZone', 'an IANA time zone such as Europe/Berlin', timeZone, 'INVALID_ARGUMENT');
  const edges = edgesOf(unit as CalendarUnit, timeZone, almanac);
  return { algorithm: 'calendar', name, id: `${name}/${unit as CalendarUnit}/${timeZone}`, limit: limitOf(given), unit: unit as CalendarUnit, timeZone, edges };
}

function ruleOf(name: string, given: Given, almanac: Almanac): LimitRule {
  switch (given.algorithm as LimitRule['algorithm']) {
    case 'fixed-window': {
      const [windowMs, align] = [windowOf(given), choice(given, 'align', ['first', 'clock'])];
      return { algorithm: 'fixed-window', name, id: `${name}/${align}/${windowMs}`, limit: limitOf(given), windowMs, align };
    }
    case 'sliding-window':
      return slices(name, given);
    case 'sliding-log': {
      const windowMs = windowOf(given);
      return { algorithm: 'sliding-log', name, id: `${name}/log/${windowMs}`, limit: limitOf(given, MOST_RECORDS), windowMs };
    }
    case 'token-bucket':
      return bucket(name, given);
    case 'concurrency': {
      const leaseMs = whole(given, 'leaseMs', [1, LONGEST_MS]);
      return { algorithm: 'concurrency', name, id: `${name}/leases`, limit: limitOf(given, MOST_RECORDS), leaseMs };
    }
    case 'calendar':
      return calendarRule(name, given, almanac);
  }
}

function outageOf({ onOutage }: Given): OnOutage | undefined {
  if (onOutage === undefined || POLICIES.includes(onOutage)) return onOutage as OnOutage | undefined;
  throw unexpected('onOutage', `one of ${POLICIES.join(', ')}`, onOutage, 'INVALID_ARGUMENT');
}

/** Undefined when any rule has none: that one can't be answered without the store. */
function strictest(rules: readonly Checked[]): OnOutage | undefined {
  const places = rules.map(({ onOutage }) => POLICIES.indexOf(onOutage));
  return places.includes(-1) ? undefined : (POLICIES[Math.max(...places)] as OnOutage);
}

/** @throws TallystickError `INVALID_ARGUMENT` or `UNKNOWN_FIELD`, naming the field. */
function checkedRule(name: unknown, options: LimitOptions, almanac: Almanac): Checked {
  checkObject(options, 'rule');
  const given = options as Given;
  if (typeof name !== 'string' || name.length === 0 || name.length > 128) throw unexpected('name', 'a string of 1 to 128 characters', name, 'INVALID_ARGUMENT');
  const fields = Object.hasOwn(FIELDS, String(given.algorithm)) ? FIELDS[given.algorithm as LimitRule['algorithm']] : undefined;
  if (fields === undefined) throw unexpected('algorithm', `one of ${Object.keys(FIELDS).join(', ')}`, given.algorithm, 'INVALID_ARGUMENT');
  const stranger = Object.keys(given).find((field) => !COMMON.includes(field) && !fields.includes(field as Field));
  if (stranger === undefined) return { rule: Object.freeze(ruleOf(name, given, almanac)), onOutage: outageOf(given) };
  throw new TallystickError('UNKNOWN_FIELD', `${stranger}: not a field of ${String(given.algorithm)}, which knows ${[...fields, 'onOutage'].join(', ')}`, { field: stranger });
}

/** The error of a part of something, placed in it. */
function placed(error: unknown, place: string, code?: ErrorCode): unknown {
  if (!(error instanceof TallystickError)) return error;
  return new TallystickError(code ?? error.code, `${place}.${error.message}`, { field: `${place}.${error.field ?? 'rule'}`, cause: error });
}

/** What an operation does, beside its rules. */
export interface Act {
  readonly action: LimitAction;
  readonly cost: number;
  /** Only leases. */
  readonly leases?: boolean;
}

/** What tells terms apart; undefined for what JSON cannot say, such as a bigint: it will be refused. */
function nameOf(act: Act, rules: Rules): string | undefined {
  try {
    return JSON.stringify([act, rules]);
  } catch {
    return undefined;
  }
}

/** What a call comes to. */
export interface Asked {
  readonly terms: LimitsTerms;
  /** Undefined when a rule does not say what holds in an outage: then the call waits for the store. */
  readonly outage: OutagePolicy | undefined;
}

/** A rule, and what does not concern the store. */
interface Checked {
  readonly rule: LimitRule;
  readonly onOutage: OnOutage | undefined;
}

function bare({ id: _, ...rule }: LimitRule): NamedLimit {
  if (rule.algorithm !== 'calendar') return rule;
  const { edges: __, ...given } = rule;
  return given;
}

export class LimitRules {
  readonly #declared = new Map<string, Checked>();
  readonly #asked = new Map<string, Asked>();
  /** Takes of one unit under one declared rule: the common case. */
  readonly #plain = new Map<string, Asked>();

  readonly #byName: Readonly<Record<string, LimitOptions>>;
  #almanac: Almanac;

  /** @throws TallystickError `INVALID_CONFIG`, naming rule and field. */
  constructor(byName: Readonly<Record<string, LimitOptions>>, almanac: Almanac) {
    this.#byName = byName;
    this.#almanac = almanac;
    this.#declare();
  }

  /** These terms with calendars that reach to `atMs`, the store's time; from now on all have such. */
  turned(terms: LimitsTerms, atMs: number): LimitsTerms {
    if (this.#almanac.atMs !== atMs) {
      this.#almanac = { ...this.#almanac, atMs };
      this.#asked.clear();
      this.#declare();
    }
    const rules = terms.rules.map((rule) =>
      rule.algorithm === 'calendar' ? Object.freeze({ ...rule, edges: edgesOf(rule.unit, rule.timeZone, this.#almanac) }) : rule);
    return Object.freeze({ ...terms, rules });
  }

  #declare(): void {
    for (const [name, options] of Object.entries(this.#byName)) {
      try {
        this.#declared.set(name, checkedRule(name, options, this.#almanac));
      } catch (error) {
        throw placed(error, `limits[${JSON.stringify(name)}]`, 'INVALID_CONFIG');
      }
      this.#plain.set(name, this.#make({ action: 'take', cost: 1 }, name));
    }
  }

  /** The same object for the same rules, action and cost. */
  ask(act: Act, rules: Rules): Asked {
    if (typeof rules === 'string' && act.action === 'take' && act.cost === 1) {
      const plain = this.#plain.get(rules);
      if (plain !== undefined) return plain;
    }
    const name = nameOf(act, rules);
    if (name === undefined) return this.#make(act, rules);
    const known = this.#asked.get(name);
    if (known !== undefined) return known;
    if (this.#asked.size >= MOST_SHARED) this.#asked.clear();
    const asked = this.#make(act, rules);
    this.#asked.set(name, asked);
    return asked;
  }

  /** Rules without what is ours alone. */
  inFull(rules: Rules): readonly NamedLimit[] {
    return this.ask({ action: 'peek', cost: 1 }, rules).terms.rules.map(bare);
  }

  #make({ action, cost, leases = false }: Act, rules: Rules): Asked {
    const all = this.#rulesOf(rules);
    const kept = leases ? all.filter(({ rule }) => rule.algorithm === 'concurrency') : all;
    if (leases && kept.length === 0) throw unexpected('rules', 'a concurrency rule', rules, 'INVALID_ARGUMENT');
    const termsUnder = (some: readonly Checked[]): LimitsTerms =>
      Object.freeze({ kind: 'limits', action, rules: Object.freeze(some.map(({ rule }) => rule)), cost });
    const onOutage = strictest(kept);
    const outage = onOutage && { onOutage, terms: termsUnder(kept.filter((one) => one.onOutage === onOutage)) };
    return Object.freeze({ terms: termsUnder(kept), outage });
  }

  #rulesOf(rules: Rules): Checked[] {
    const list: readonly (string | NamedLimit)[] = Array.isArray(rules) ? (rules as readonly (string | NamedLimit)[]) : [rules as string | NamedLimit];
    if (list.length === 0 || list.length > MOST_RULES) throw unexpected('rules', `1 to ${MOST_RULES} rules`, rules, 'INVALID_ARGUMENT');
    const found = list.map((rule, i) => this.#ruleOf(rule, Array.isArray(rules) ? `rules[${i}]` : 'rules'));
    const twice = found.findIndex(({ rule }, i) => found.some((other, j) => j < i && other.rule.id === rule.id));
    if (twice >= 0) throw unexpected(`rules[${twice}]`, 'each rule once', found[twice]?.rule.name, 'INVALID_ARGUMENT');
    return found;
  }

  #ruleOf(rule: string | NamedLimit, place: string): Checked {
    if (typeof rule === 'string') {
      const declared = this.#declared.get(rule);
      if (declared !== undefined) return declared;
      throw unexpected(place, 'the name of a declared limit', rule, 'INVALID_ARGUMENT');
    }
    try {
      return checkedRule((rule as NamedLimit | null)?.name, rule, this.#almanac);
    } catch (error) {
      throw placed(error, place);
    }
  }
}
