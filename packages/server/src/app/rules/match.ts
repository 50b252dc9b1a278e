/** From a descriptor to its rule, its subject and its figures. */
import type { Domain } from './compile.ts';
import { overrideOf, type Override } from './override.ts';
import type { Figures, Rule } from './rule.ts';
import { subjectOf } from './subject.ts';
import { walk, type Entry } from './tree.ts';

/** What a caller tells of one thing it wants to do. */
export interface Descriptor {
  readonly entries: readonly Entry[];
  /** Units; 0 only asks. Default: those of the call. */
  readonly hits?: number;
  /** A limit of the caller's own, instead of the rule's. */
  readonly override?: Override;
}

/** What a descriptor found. */
export interface Match {
  readonly rule: Rule;
  readonly subject: string;
  readonly figures: Figures;
  readonly hits: number;
}

/** What `descriptor` finds in a domain; undefined when that is nothing. */
export function matchOf(name: string, { root, tierKey, onOutage }: Domain, descriptor: Descriptor, hits: number): Match | undefined {
  const { entries: given, hits: own = hits, override } = descriptor;
  const tier = tierKey === undefined ? undefined : given.find(({ key }) => key === tierKey)?.value;
  const entries = tier === undefined ? given : given.filter(({ key }) => key !== tierKey);
  const rule = override === undefined ? walk(root, entries)?.rule : overrideOf(override, onOutage);
  if (rule === undefined) return undefined;
  return { rule, subject: subjectOf(name, entries, rule.by), figures: figuresOf(rule, entries.at(-1)?.value, tier), hits: own };
}

function figuresOf({ figures, perKey, perTier }: Rule, value: string | undefined, tier: string | undefined): Figures {
  return perKey.get(value ?? '') ?? perTier.get(tier ?? '') ?? figures;
}
