/**
 * Limits kept in this process while the store is away, and what is to be charged to the store for it.
 *
 * A subject begins anew here, so that each process may grant a limit once more. What was granted is remembered with
 * its time until it counts no more, and handed over once: the store charges it to the window it belongs to.
 */
import type { Verdict } from './model/decision.ts';
import type { LimitsTerms } from './model/limit.ts';
import type { Operation } from './model/operation.ts';
import type { Limits as State } from './operations/limits/cells.ts';
import { limits as strategy } from './operations/limits/index.ts';

/** What was granted here, and the store is to be charged for. */
export interface Owed {
  terms: LimitsTerms;
  lease: string | undefined;
  units: number;
  /** Of the last grant in it. */
  atMs: number;
  /** A lane has the take, too; what is owed of it is known when that is answered. */
  readonly inDoubt?: boolean;
}

interface Insured {
  state: State | undefined;
  owed: Owed[];
}

/** Subjects kept at once; what is beyond is not insured. */
const MOST_SUBJECTS = 100_000;
/** Entries of a subject under the same terms; beyond, two that follow each other become one, at the later time. */
const MOST_OWED = 32;
/** Old subjects looked at for each new one, so that those that count no more make room. */
const LOOKED_AT = 2;

export class Insurance {
  readonly #subjects = new Map<string, Insured>();

  /** Takes or peeks. @returns Undefined when there is no room for one subject more. */
  ask({ key, delta, member }: Operation, terms: LimitsTerms, nowMs: number): Verdict | undefined {
    const insured = this.#find(key, nowMs);
    if (insured === undefined && this.#isFull(nowMs)) return undefined;
    const [{ verdict }, state] = strategy.apply(insured?.state, { key, delta, terms, member }, nowMs);
    if (insured !== undefined) insured.state = state;
    else if (state !== undefined) this.#subjects.set(key, { state, owed: [] });
    return verdict;
  }

  /** Remembers what was just granted. */
  owe(key: string, owed: Owed): void {
    const insured = this.#subjects.get(key);
    if (insured === undefined) return;
    insured.owed.push(owed);
    const alike = insured.owed.filter((other) => isPlain(other) && sameRules(other.terms, owed.terms));
    if (alike.length > MOST_OWED) insured.owed = thinned(insured.owed, alike);
  }

  /** What was in doubt no longer is. */
  settle(key: string, owed: Owed): void {
    const insured = this.#subjects.get(key);
    if (insured !== undefined) insured.owed = insured.owed.filter((other) => other !== owed);
  }

  /** Gives back what was granted here at `atMs`. @returns The units of it that the store will not be charged for. */
  refund(key: string, { terms, units, atMs }: Owed): number {
    const insured = this.#subjects.get(key);
    if (insured === undefined) return 0;
    strategy.apply(insured.state, { key, delta: units, terms: { ...terms, action: 'refund', takenAtMs: atMs } }, atMs);
    let left = units;
    for (const owed of insured.owed.toReversed()) {
      if (owed.lease !== undefined || !sameRules(owed.terms, terms)) continue;
      const back = Math.min(left, owed.units);
      owed.units -= back;
      left -= back;
    }
    insured.owed = insured.owed.filter((owed) => owed.units > 0 || owed.inDoubt);
    return units - left;
  }

  /** Gives a lease back. @returns Whether it was granted here, and the store will not hear of it. */
  release(key: string, lease: string, terms: LimitsTerms, nowMs: number): boolean {
    const insured = this.#subjects.get(key);
    if (insured === undefined) return false;
    strategy.apply(insured.state, { key, delta: terms.cost, terms, member: lease }, nowMs);
    const held = insured.owed.find((owed) => owed.lease === lease);
    if (held === undefined) return false;
    const others = held.terms.rules.filter(({ algorithm }) => algorithm !== 'concurrency');
    held.lease = undefined;
    held.terms = { ...held.terms, rules: others };
    if (others.length === 0) held.units = 0;
    return true;
  }

  /** Forgets everything but what is in doubt; tells what of it still counts. */
  handOver(nowMs: number, tell: (key: string, owed: Owed) => void): void {
    const subjects = [...this.#subjects];
    this.#subjects.clear();
    for (const [key, { state, owed }] of subjects) {
      const inDoubt = owed.filter((one) => one.inDoubt);
      if (inDoubt.length > 0) this.#subjects.set(key, { state: undefined, owed: inDoubt });
      if (endOf(state) > nowMs) for (const one of owed) if (!one.inDoubt && one.units > 0) tell(key, one);
    }
  }

  #find(key: string, nowMs: number): Insured | undefined {
    const insured = this.#subjects.get(key);
    if (insured === undefined || endOf(insured.state) > nowMs || insured.owed.some(({ inDoubt }) => inDoubt)) return insured;
    this.#subjects.delete(key);
    return undefined;
  }

  #isFull(nowMs: number): boolean {
    for (let looked = 0; looked < LOOKED_AT; looked++) {
      const [oldest] = this.#subjects.keys();
      const insured = oldest === undefined ? undefined : this.#find(oldest, nowMs);
      if (oldest === undefined || insured === undefined) continue;
      this.#subjects.delete(oldest);
      this.#subjects.set(oldest, insured);
    }
    return this.#subjects.size >= MOST_SUBJECTS;
  }
}

/** When nothing of it counts any more. */
const endOf = (state: State | undefined): number => (state === undefined ? 0 : (strategy.expiresAtMs(state) ?? 0));

const isPlain = ({ lease, inDoubt }: Owed): boolean => lease === undefined && inDoubt !== true;

const sameRules = (a: LimitsTerms, b: LimitsTerms): boolean => a.rules.length === b.rules.length && a.rules.every(({ id }, i) => id === b.rules[i]?.id);

/** Every second one of those `alike` is added to the one after it: the later time is the stricter one. */
function thinned(all: readonly Owed[], alike: readonly Owed[]): Owed[] {
  const gone = new Set<Owed>();
  for (let i = 0; i + 1 < alike.length; i += 2) {
    const [earlier, later] = [alike[i] as Owed, alike[i + 1] as Owed];
    later.units += earlier.units;
    gone.add(earlier);
  }
  return all.filter((owed) => !gone.has(owed));
}
