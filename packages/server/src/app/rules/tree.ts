/**
 * The rules of a domain as a tree of descriptor entries, as Envoy's reference service has them. A call walks it by
 * map lookups, one entry a level: an exact value first, then the longest beginning, then any value. The way that was
 * taken is not taken back, and the rule that holds is the one at its end.
 */
import type { Rule } from './rule.ts';

/** One entry of a descriptor. */
export interface Entry {
  readonly key: string;
  readonly value: string;
}

/** What follows on the entries that led here. */
export class Node {
  rule: Rule | undefined;
  readonly #byKey = new Map<string, Values>();

  /** The node for an entry of `key` and `value`; a value that ends in `*` stands for all that begin so, undefined for any. */
  child(key: string, value: string | undefined): { node: Node; isNew: boolean } {
    let values = this.#byKey.get(key);
    if (values === undefined) this.#byKey.set(key, (values = new Values()));
    return values.place(value);
  }

  next({ key, value }: Entry): Node | undefined {
    return this.#byKey.get(key)?.find(value);
  }
}

class Values {
  readonly #exact = new Map<string, Node>();
  /** By the length of the beginning, the longest first. */
  #beginnings: { readonly length: number; readonly nodes: Map<string, Node> }[] = [];
  #any: Node | undefined;

  place(value: string | undefined): { node: Node; isNew: boolean } {
    if (value === undefined) {
      const isNew = this.#any === undefined;
      return { node: (this.#any ??= new Node()), isNew };
    }
    const isBeginning = value.endsWith('*');
    const text = isBeginning ? value.slice(0, -1) : value;
    const nodes = isBeginning ? this.#beginningsOf(text.length) : this.#exact;
    const known = nodes.get(text);
    if (known !== undefined) return { node: known, isNew: false };
    const node = new Node();
    nodes.set(text, node);
    return { node, isNew: true };
  }

  find(value: string): Node | undefined {
    return this.#exact.get(value) ?? this.#beginning(value) ?? this.#any;
  }

  #beginning(value: string): Node | undefined {
    for (const { length, nodes } of this.#beginnings) {
      const node = nodes.get(value.slice(0, length));
      if (node !== undefined) return node;
    }
    return undefined;
  }

  #beginningsOf(length: number): Map<string, Node> {
    const known = this.#beginnings.find((those) => those.length === length);
    if (known !== undefined) return known.nodes;
    const nodes = new Map<string, Node>();
    this.#beginnings = [...this.#beginnings, { length, nodes }].sort((a, b) => b.length - a.length);
    return nodes;
  }
}

/** The node at the end of `entries`; undefined when no way leads there. */
export function walk(root: Node, entries: readonly Entry[]): Node | undefined {
  let node: Node | undefined = root;
  for (const entry of entries) {
    node = node.next(entry);
    if (node === undefined) return undefined;
  }
  return node;
}
