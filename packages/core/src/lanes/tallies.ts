/**
 * The first level of `batched` counters: amounts absorbed in this process, summed per key, and handed to
 * the lane every interval or after so many adds. Costs memory per distinct key, not per call.
 *
 * A key's tally is kept from flush to flush while the key is busy, with the last exact value seen, so that
 * an estimate is one addition; a key that had nothing to flush is dropped.
 */
import { describe, TallystickError } from '../errors.ts';
import { checkAmount, inRange } from '../model/amount.ts';
import { checkKey } from '../model/key.ts';
import type { Operation, Terms } from '../model/operation.ts';
import type { Reject, Resolve } from './callers.ts';
import type { Environment } from './environment.ts';
import type { LaneEvent } from './events.ts';

/** What one key has pending. */
export interface Tally {
  readonly key: string;
  readonly terms: Terms | undefined;
  /** Absorbed, not handed over. */
  delta: number;
  /** Handed over, not answered: in sum, and in how many operations. */
  flying: number;
  flights: number;
  /** How many of those were answered since this tally began. */
  answers: number;
  /** Callers that learn the base now. Nothing is handed over meanwhile: what would leave the range can still be refused. */
  learners: number;
  /** The last exact value seen; undefined until one was. */
  base: number | undefined;
}

/** Settings of the first level. */
export interface TallyOptions {
  readonly environment: Environment;
  readonly flushEveryMs: number;
  readonly flushAfterAdds: number;
  /** Distinct keys that may be pending. */
  readonly maxPending: number;
  /** The terms of a new key. @throws TallystickError when it cannot be tallied. */
  readonly termsOf: (key: string) => Terms | undefined;
  /** Whether the store is away, for this key: what is absorbed then stays here, which costs memory per key and not per flush. */
  readonly isAway: (key: string) => boolean;
  /** Hands an amount over to the key's lane, which tells what became of it: by a promise for each key, a flush took twice as long. */
  readonly handOver: (op: Operation, resolve: Resolve, reject: Reject) => void;
  readonly onEvent: (event: LaneEvent) => void;
}

/** Amounts that were held back are looked at again after so long: there may be a million keys. */
const HELD_EVERY_MS = 1000;
/** How long a closing process waits before it offers a full lane the same amounts again. */
const RETRY_MS = 5;

export class Tallies {
  readonly #options: TallyOptions;
  readonly #flushAfterAdds: number;
  readonly #tallies = new Map<string, Tally>();
  #adds = 0;
  #flying = 0;
  #callOff: (() => void) | undefined;
  #closed = false;
  #onAnswer: (() => void) | undefined;
  /** Amounts a full lane gave back. */
  #takenBack = 0;

  constructor(options: TallyOptions) {
    this.#options = options;
    this.#flushAfterAdds = options.flushAfterAdds;
  }

  /** Keys with a tally. */
  get size(): number {
    return this.#tallies.size;
  }

  find(key: string): Tally | undefined {
    return this.#tallies.get(key);
  }

  /** Whether amounts under these terms can join what is pending for `key`. */
  fits(key: string, terms: Terms | undefined): boolean {
    const tally = this.#tallies.get(key);
    return tally === undefined || tally.terms === terms;
  }

  /**
   * Absorbs an amount, under the terms that `termsOf` gives for its key.
   *
   * @throws TallystickError when it is refused; nothing was counted then.
   */
  add(key: string, delta: number, termsOf = this.#options.termsOf): Tally {
    const tally = this.#tallies.get(key) ?? this.#open(key, delta, termsOf);
    const sum = tally.delta + delta;
    const total = sum + tally.flying + (tally.base ?? 0);
    if (!Number.isSafeInteger(delta) || !inRange(sum) || !inRange(total) || this.#closed) this.#refuse(delta, total);
    tally.delta = sum;
    if (++this.#adds >= this.#flushAfterAdds) this.flush();
    else if (this.#callOff === undefined) this.#flushLater();
    return tally;
  }

  /**
   * Tells a tally the store's value, when a caller whose amount it has taken in has learned it.
   *
   * @throws TallystickError `OUT_OF_RANGE` when the amount cannot stay; it is taken out again.
   */
  learned(tally: Tally, delta: number, base: number | undefined): void {
    tally.learners--;
    tally.base ??= base;
    const total = tally.delta + tally.flying + (tally.base ?? 0);
    // What a closing process has handed over already, the store refuses.
    if (inRange(total) || tally.flights > 0) return;
    tally.delta -= delta;
    throw outOfRange(delta, total);
  }

  /** Hands everything absorbed over to the lanes. */
  flush(): void {
    this.#callOff?.();
    this.#callOff = undefined;
    this.#adds = 0;
    let isAnyHeld = false;
    for (const tally of this.#tallies.values()) {
      if (tally.learners > 0 && !this.#closed) continue;
      if (tally.delta === 0) {
        if (tally.flights === 0) this.#tallies.delete(tally.key);
      } else if (!this.#closed && this.#options.isAway(tally.key)) {
        isAnyHeld = true;
      } else {
        this.#handOver(tally);
      }
    }
    if (this.#tallies.size > 0 && !this.#closed) this.#flushLater(isAnyHeld ? HELD_EVERY_MS : 0);
  }

  /** Takes no more. */
  shut(): void {
    this.#closed = true;
  }

  /** Takes no more, and resolves when everything absorbed was handed over and answered. */
  async drain(): Promise<void> {
    this.#closed = true;
    while (this.#tallies.size > 0) {
      const before = this.#takenBack;
      this.flush();
      if (this.#flying > 0) await new Promise<void>((resolve) => (this.#onAnswer = resolve));
      if (this.#takenBack > before) await new Promise<void>((resolve) => this.#options.environment.after(RETRY_MS, resolve));
    }
  }

  /** Stops flushing; returns how many keys had amounts that were not handed over. (Those that were, the lanes account for.) */
  abandon(): number {
    this.#closed = true;
    this.#callOff?.();
    const left = [...this.#tallies.values()].filter(({ delta }) => delta !== 0).length;
    this.#tallies.clear();
    return left;
  }

  #open(key: string, delta: number, termsOf: TallyOptions['termsOf']): Tally {
    checkKey(key);
    checkAmount(delta);
    if (this.#closed) this.#refuse(delta, delta);
    if (this.#tallies.size >= this.#options.maxPending) {
      throw new TallystickError('OVERLOADED', `maxPending: ${this.#tallies.size} keys are waiting to be flushed; try again later`);
    }
    const tally: Tally = { key, terms: termsOf(key), delta: 0, flying: 0, flights: 0, answers: 0, learners: 0, base: undefined };
    this.#tallies.set(key, tally);
    return tally;
  }

  #refuse(delta: number, total: number): never {
    checkAmount(delta);
    if (this.#closed) throw new TallystickError('CLOSED', 'closed: no more operations are taken');
    throw outOfRange(delta, total);
  }

  #flushLater(leastMs = 0): void {
    this.#callOff = this.#options.environment.after(Math.max(this.#options.flushEveryMs, leastMs), () => {
      this.flush();
    });
  }

  #handOver(tally: Tally): void {
    const { delta } = tally;
    tally.delta = 0;
    tally.flying += delta;
    tally.flights++;
    this.#flying++;
    const answered = (): void => {
      tally.flying -= delta;
      tally.flights--;
      tally.answers++;
      this.#flying--;
      this.#onAnswer?.();
    };
    this.#options.handOver(
      { key: tally.key, delta, terms: tally.terms },
      ({ value }) => {
        tally.base = value;
        answered();
      },
      (error) => {
        answered();
        this.#takeBack(tally, delta, error);
      },
    );
  }

  /** A lane that is full, for now, gives the amount back; one that the store refuses for good is reported. */
  #takeBack(tally: Tally, delta: number, error: TallystickError): void {
    const forNow = error.code === 'OVERLOADED' && inRange(tally.delta + delta);
    if (forNow) {
      tally.delta += delta;
      this.#takenBack++;
    } else {
      this.#options.onEvent({ type: 'dropped', key: tally.key, delta, error });
    }
  }
}

function outOfRange(delta: number, total: number): TallystickError {
  return new TallystickError('OUT_OF_RANGE', `delta: ${describe(delta)} would take the counter to ${total}, out of ±(2^53 − 1)`, { field: 'delta' });
}
