/** Batches of takes alone, as takes.lua takes them: each take is its subject, the number of its terms, and an amount. */
import type { Batch } from '../../model/batch.ts';
import { faultOf } from '../../model/fault.ts';
import type { LimitsTerms } from '../../model/limit.ts';
import type { Operation } from '../../model/operation.ts';
import type { Keyspace } from './buckets.ts';
import { LONGEST_SHORT, type RoundCall } from './encode.ts';
import { PlainAdds } from './plain-adds.ts';
import { encodeTerms } from './wire-limits.ts';

/** Makes the calls of takes.lua. */
export class TakesEncoder {
  readonly #items = new PlainAdds();
  /** JSON of terms that were sent before. */
  readonly #texts = new WeakMap<LimitsTerms, string>();

  /** A batch as takes.lua takes it; undefined when anything in it is not for that script. */
  encode({ source, seq, operations }: Batch, space: Keyspace, outbox: boolean): RoundCall | undefined {
    if (operations.length === 0 || source.length > LONGEST_SHORT) return undefined;
    const keys = outbox ? [space.meta, space.youngSources, space.outbox] : [space.meta, space.youngSources];
    const all: LimitsTerms[] = [];
    this.#items.put(source);
    this.#items.putNumber(seq);
    this.#items.putNumber(keys.length);
    for (let i = 0; i < operations.length; i++) {
      const op = operations[i]!;
      if (!isTake(op)) {
        this.#items.discard();
        return undefined;
      }
      keys.push(space.subject(op.key));
      this.#items.putNumber(numberOf(op.terms, all));
      this.#items.putNumber(op.delta);
    }
    return { keys, args: [this.#items.finish(), `[${all.map((terms) => this.#textOf(terms)).join(',')}]`] };
  }

  #textOf(terms: LimitsTerms): string {
    const known = this.#texts.get(terms);
    if (known !== undefined) return known;
    const text = JSON.stringify(encodeTerms(terms));
    this.#texts.set(terms, text);
    return text;
  }
}

/** The number of terms among those of the batch, from 1 on. */
function numberOf(terms: LimitsTerms, all: LimitsTerms[]): number {
  const place = all.lastIndexOf(terms);
  return place >= 0 ? place + 1 : all.push(terms);
}

type Take = Operation & { readonly terms: LimitsTerms };

/** Whether the outcome of an operation is decided by subject, terms and amount alone, and it cannot be refused. */
function isTake(op: Operation): op is Take {
  const { delta, terms, requestId, requestTtlMs, effect } = op;
  if (terms?.kind !== 'limits' || terms.action !== 'take' || terms.rules.length === 0) return false;
  if (requestId !== undefined || requestTtlMs !== undefined || effect !== undefined) return false;
  return delta > 0 && delta % terms.cost === 0 && !terms.rules.some(asksMore) && faultOf(op) === undefined;
}

/** A lease has a name, and a calendar may have to be refused. */
const asksMore = ({ algorithm }: LimitsTerms['rules'][number]): boolean => algorithm === 'concurrency' || algorithm === 'calendar';
