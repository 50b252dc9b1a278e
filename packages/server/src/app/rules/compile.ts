/** A rules file, checked whole and made ready to be asked. docs/rules.md describes it. */
import { at, choiceOf, fieldsOf, listOf, textOf, wholeOf, type Fields, type Place } from './fields.ts';
import { Problems, type Problem } from './problems.ts';
import { inheritedBy, ruleOf, RULE_FIELDS, type Inherited, type OutagePolicy, type Resolve } from './rule.ts';
import { Node } from './tree.ts';

/** The rules of one domain. */
export interface Domain {
  readonly root: Node;
  /** The entry that names a caller's tier; it is no part of the way to a rule. */
  readonly tierKey: string | undefined;
  /** Whether answers carry header fields for the client. */
  readonly hasHeaders: boolean;
  /** Of limits that come with a call. */
  readonly onOutage: OutagePolicy;
}

/** The rules of a file. */
export interface CompiledRules {
  readonly domains: ReadonlyMap<string, Domain>;
  /** How many rules. */
  readonly count: number;
  /** How long a call waits for the store before it is answered without it. */
  readonly outageAfterMs: number;
}

/** The one version of the schema that there is. */
const SCHEMA = 1;
const FILE = ['version', 'onOutage', 'outageAfterMs', 'domains'];
const DOMAIN = ['domain', 'tierKey', 'headers', 'shadow', 'onOutage', 'descriptors'];
const DESCRIPTOR = ['key', 'value', ...RULE_FIELDS, 'descriptors'];
const DEPTH = 16;
const DEFAULT_OUTAGE_AFTER_MS = 80;

/** The rules in a parsed file, or all that is wrong with it. */
export function compileRules(document: unknown, resolve: Resolve): CompiledRules | { readonly problems: readonly Problem[] } {
  const problems = new Problems();
  const rules = new Compiler(resolve).compile(document, { path: '', problems });
  return problems.found.length > 0 || rules === undefined ? { problems: problems.found } : rules;
}

/** Where a descriptor hangs. */
interface Parent {
  readonly node: Node;
  readonly depth: number;
  readonly name: string;
  /** Keys of the entries on the way. */
  readonly keys: readonly string[];
  readonly inherited: Inherited;
}

class Compiler {
  readonly #resolve: Resolve;
  readonly #names = new Set<string>();

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  compile(document: unknown, place: Place): CompiledRules | undefined {
    const fields = fieldsOf(document, place, FILE);
    if (fields === undefined) return undefined;
    if (fields['version'] !== SCHEMA) place.problems.add('version', String(SCHEMA), fields['version']);
    if (fields['domains'] === undefined) place.problems.add('domains', 'a list of domains', undefined);
    const inherited = inheritedBy({ onOutage: fields['onOutage'] }, place, { isShadow: false, onOutage: 'open' });
    const outageAfterMs = wholeOf(fields['outageAfterMs'], at(place, 'outageAfterMs'), [1, 60_000], DEFAULT_OUTAGE_AFTER_MS);
    const domains = new Map<string, Domain>();
    for (const [i, domain] of listOf(fields['domains'], at(place, 'domains')).entries()) {
      this.#domain(domain, at(place, `domains[${i}]`), inherited, domains);
    }
    return { domains, count: this.#names.size, outageAfterMs };
  }

  #domain(value: unknown, place: Place, above: Inherited, domains: Map<string, Domain>): void {
    const fields = fieldsOf(value, place, DOMAIN);
    if (fields === undefined) return;
    const name = textOf(fields['domain'], at(place, 'domain')) ?? '';
    if (domains.has(name)) place.problems.add(at(place, 'domain').path, 'each domain once', name);
    const tierKey = fields['tierKey'] === undefined ? undefined : textOf(fields['tierKey'], at(place, 'tierKey'));
    const hasHeaders = choiceOf(fields['headers'], at(place, 'headers'), [true, false], true);
    const root = new Node();
    const inherited = inheritedBy(fields, place, above);
    domains.set(name, { root, tierKey, hasHeaders, onOutage: inherited.onOutage });
    this.#descriptors(fields, place, { node: root, depth: 0, name, keys: [], inherited });
  }

  #descriptors(fields: Fields, place: Place, parent: Parent): void {
    for (const [i, value] of listOf(fields['descriptors'], at(place, 'descriptors')).entries()) {
      this.#descriptor(value, at(place, `descriptors[${i}]`), parent);
    }
  }

  #descriptor(value: unknown, place: Place, parent: Parent): void {
    const fields = fieldsOf(value, place, DESCRIPTOR);
    if (fields === undefined) return;
    const key = textOf(fields['key'], at(place, 'key')) ?? '';
    const matched = valueOf(fields['value'], at(place, 'value'));
    const { node, isNew } = parent.node.child(key, matched);
    if (!isNew) place.problems.say(place.path, 'an earlier descriptor has the same key and value');
    const name = `${parent.name}/${key}${matched === undefined ? '' : `=${matched}`}`;
    const keys = [...parent.keys, key];
    const inherited = inheritedBy(fields, place, parent.inherited);
    node.rule = ruleOf(fields, place, { ...inherited, name }, this.#resolve);
    if (node.rule !== undefined) this.#checkRule(node.rule, place, keys);
    if (parent.depth + 1 >= DEPTH && fields['descriptors'] !== undefined) place.problems.say(place.path, `expected at most ${DEPTH} levels`);
    else this.#descriptors(fields, place, { node, depth: parent.depth + 1, name, keys, inherited });
  }

  #checkRule({ name, by }: NonNullable<Node['rule']>, place: Place, keys: readonly string[]): void {
    if (this.#names.has(name)) place.problems.say(at(place, 'name').path, `another rule has the name ${JSON.stringify(name)}`);
    this.#names.add(name);
    const stranger = by?.find((key) => !keys.includes(key));
    if (stranger !== undefined) place.problems.add(at(place, 'by').path, `keys on the way to the rule (${keys.join(', ')})`, stranger);
  }
}

function valueOf(value: unknown, place: Place): string | undefined {
  if (value === undefined) return undefined;
  if (value === '*') place.problems.say(place.path, 'expected no value at all, which stands for any, got "*"');
  return textOf(value, place);
}
