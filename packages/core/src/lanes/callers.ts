/**
 * Who waits for a batch, and the value each is given: the value right after its own amount, which is the
 * entry's value less what came after it. Callers are kept in parallel columns, not as objects: an add
 * allocates its promise and, for a new key, its entry.
 */
import { TallystickError, type ErrorCode } from '../errors.ts';
import type { AddResult } from '../model/add-result.ts';
import type { Answer, Note } from '../model/answer.ts';
import type { Ruling, Verdict } from '../model/decision.ts';
import type { Operation } from '../model/operation.ts';
import type { Deadline } from './deadline.ts';
import type { Entry } from './entry.ts';

/** What became of an operation; with a ruling for a take or peek of limits. */
export interface Settled extends AddResult {
  readonly ruling?: Ruling;
}

/** Called with what became of an operation. */
export type Resolve = (result: Settled) => void;
/** Called when the operation was refused. */
export type Reject = (error: TallystickError) => void;
/** Asks again for one caller of a combined entry that was refused as a whole. */
export type AskSingly = (op: Operation, resolve: Resolve, reject: Reject, deadline: Deadline | undefined) => void;

/** The deadline of the callers at the places `from` to `to`, without that one. */
interface Limit {
  readonly deadline: Deadline;
  readonly from: number;
  to: number;
}

export class Callers {
  readonly #entries: Entry[] = [];
  readonly #deltas: number[] = [];
  readonly #resolves: Resolve[] = [];
  readonly #rejects: Reject[] = [];
  /** The deadlines of callers that came with one, by rising place. */
  readonly #limits: Limit[] = [];
  #limited = 0;
  /** Callers that were told `accepted`. */
  #accepted = 0;
  /** Callers that left before the batch was sealed. */
  #left = 0;

  /** Callers that joined. */
  get joined(): number {
    return this.#entries.length;
  }

  /** Callers whose operation has no outcome yet: those who wait, and those who were told `accepted`. */
  get unsettled(): number {
    return this.#entries.length - this.#left;
  }

  /** Adds a caller who waits for an entry; returns its place. */
  add(entry: Entry, delta: number, resolve: Resolve, reject: Reject): number {
    this.#deltas.push(delta);
    this.#resolves.push(resolve);
    this.#rejects.push(reject);
    return this.#entries.push(entry) - 1;
  }

  /** Callers that were told `accepted`. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Callers that wait with a deadline. */
  get limited(): number {
    return this.#limited;
  }

  /** Limits how long the caller who came last, at `place`, waits. */
  limit(place: number, deadline: Deadline): void {
    this.#limited++;
    const last = this.#limits.at(-1);
    if (last?.deadline === deadline && last.to === place) last.to++;
    else this.#limits.push({ deadline, from: place, to: place + 1 });
  }

  /** Tells the places whose deadline has passed, and who still wait; returns when the next one passes. */
  overdue(nowMs: number, tell: (place: number, deadline: Deadline) => void): number {
    let nextMs = Infinity;
    for (const { deadline, from, to } of this.#limits) {
      if (deadline.atMs > nowMs) {
        nextMs = Math.min(nextMs, deadline.atMs);
        continue;
      }
      for (let place = from; place < to; place++) if (this.#waits(place)) tell(place, deadline);
    }
    return nextMs;
  }

  /** Tells the places of those who still wait and would not wait for a store that is away. */
  impatient(tell: (place: number, deadline: Deadline) => void): void {
    for (const { deadline, from, to } of this.#limits) {
      if (deadline.onOutage === 'queue') continue;
      for (let place = from; place < to; place++) if (this.#waits(place)) tell(place, deadline);
    }
  }

  /** What the caller at `place` asked for. */
  at(place: number): { readonly key: string; readonly delta: number } {
    return { key: (this.#entries[place] as Entry).key, delta: this.#deltas[place] as number };
  }

  /** Takes a caller out of a batch that is not sealed, and refuses it; returns the entry it leaves. */
  withdraw(place: number, error: TallystickError): Entry {
    const entry = this.#entries[place] as Entry;
    entry.delta -= this.#deltas[place] as number;
    entry.callers--;
    // An amount that is alone again is decided by itself.
    if (entry.callers === 1) entry.reach = undefined;
    (this.#rejects[place] as Reject)(error);
    this.#leave(place, hasLeft, hasLeft);
    this.#left++;
    return entry;
  }

  /** Tells a caller that its operation is kept; `reject` is called if it is refused after all. */
  accept(place: number, estimate: number, reject: Reject): void {
    const delta = this.#deltas[place] as number;
    (this.#resolves[place] as Resolve)({ outcome: 'accepted', value: estimate, exact: false, delta });
    this.#leave(place, hasAnswer, reject);
    this.#accepted++;
  }

  /** Gives every caller its result. `sealed` are the entries in the order of the batch. */
  settle(sealed: readonly Entry[], answer: Answer, again: AskSingly): void {
    start(sealed, answer);
    for (let place = 0; place < this.#entries.length; place++) {
      const resolve = this.#resolves[place] as Resolve;
      if (resolve === hasLeft) continue;
      const entry = this.#entries[place] as Entry;
      const { note } = entry;
      if (note !== undefined) {
        this.#settleNoted(place, note, answer.atMs, again);
        continue;
      }
      const delta = this.#deltas[place] as number;
      entry.running += delta;
      resolve({ outcome: 'applied', value: entry.running, exact: true, delta });
    }
  }

  /** Refuses every caller that still waits. */
  fail(code: ErrorCode, message: string): void {
    for (const reject of this.#rejects) reject(new TallystickError(code, message));
  }

  #deadlineAt(place: number): Deadline | undefined {
    return this.#limits.find(({ from, to }) => from <= place && place < to)?.deadline;
  }

  #waits(place: number): boolean {
    const resolve = this.#resolves[place];
    return resolve !== hasLeft && resolve !== hasAnswer;
  }

  #leave(place: number, resolve: Resolve, reject: Reject): void {
    if (this.#deadlineAt(place) !== undefined) this.#limited--;
    this.#resolves[place] = resolve;
    this.#rejects[place] = reject;
  }

  #settleNoted(place: number, note: Note, atMs: number, again: AskSingly): void {
    const entry = this.#entries[place] as Entry;
    const delta = this.#deltas[place] as number;
    const resolve = this.#resolves[place] as Resolve;
    const reject = this.#rejects[place] as Reject;
    const combined = entry.callers > 1;
    if (note.verdict !== undefined) resolve(ruled(note, note.verdict, atMs, { value: (entry.running += delta), delta }));
    else if (note.code === undefined) resolve(noted(note, atMs, combined ? { value: (entry.running += delta), delta } : note));
    else if (combined) again({ key: entry.key, delta, terms: entry.terms }, resolve, reject, this.#deadlineAt(place));
    else reject(refusal(note.code, delta, note.value));
  }
}

/** Stands in for the functions of a caller that left before its batch was sealed. */
const hasLeft = (): void => undefined;
/** Stands in for the function of a caller that was told `accepted`. */
const hasAnswer = (): void => undefined;

/** Sets each entry to its value before the first caller's amount, and gives it its note. */
function start(sealed: readonly Entry[], { values, notes }: Answer): void {
  for (let i = 0; i < sealed.length; i++) {
    const entry = sealed[i] as Entry;
    entry.running = (values[i] as number) - entry.delta;
  }
  for (const note of notes) (sealed[note.index] as Entry).note = note;
}

function noted({ expiresAtMs, replayed }: Note, atMs: number, { value, delta }: { value: number; delta: number }): AddResult {
  // A first answer that is given again may be about a counter that has expired since.
  const ttlMs = expiresAtMs === undefined ? 0 : expiresAtMs - atMs;
  // Literals, not spreads: this is the way of every add to a counter that expires.
  if (replayed) return { outcome: 'applied', value, exact: true, delta, ...(ttlMs > 0 && { ttlMs }), replayed };
  return ttlMs > 0 ? { outcome: 'applied', value, exact: true, delta, ttlMs } : { outcome: 'applied', value, exact: true, delta };
}

/** The first callers were granted: those up to whom no more was asked than was granted. */
function ruled(note: Note, verdict: Verdict, answeredAtMs: number, { value, delta }: { value: number; delta: number }): Settled {
  const isGranted = verdict.denied === undefined || value <= note.delta;
  const ruling = { verdict, isGranted, after: Math.max(0, note.delta - value), answeredAtMs };
  const result = { outcome: 'applied', value, exact: true, delta: isGranted ? delta : 0, ruling } as const;
  return note.replayed ? { ...result, replayed: true } : result;
}

function refusal(code: ErrorCode, delta: number, value: number): TallystickError {
  const range = code === 'OUT_OF_RANGE';
  const message = range ? `${delta} would take the counter from ${value} out of ±(2^53 − 1)` : `${delta} was refused, the counter stays at ${value}`;
  return new TallystickError(code, `delta: ${message}`, { field: 'delta', value });
}
