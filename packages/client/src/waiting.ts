/** Calls that wait for an answer, and the one timer that ends the wait of each at its deadline. */
import { TallystickError } from 'tallystick';

/**
 * One call of an application. Invariant: it is settled once; while `inFlight`, an attempt is under way whose
 * outcome is not known; once `lost`, an attempt was under way and its answer will never come.
 */
export class WaitingCall<Item, Result> {
  readonly item: Item;
  readonly deadlineMs: number;
  /** Whether asking twice is harmless: a read, or a write with a request id. */
  readonly repeatable: boolean;
  readonly promise: Promise<Result>;
  inFlight = false;
  lost = false;
  settled = false;
  /** Why the server last refused to do it for now. */
  refusal: TallystickError | undefined;
  #resolve!: (result: Result) => void;
  #reject!: (error: TallystickError) => void;

  constructor(item: Item, deadlineMs: number, repeatable: boolean) {
    this.item = item;
    this.deadlineMs = deadlineMs;
    this.repeatable = repeatable;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  settle(result: Result | TallystickError): void {
    if (this.settled) return;
    this.settled = true;
    if (result instanceof TallystickError) this.#reject(result);
    else this.#resolve(result);
  }
}

/** What a {@link WaitingRoom} needs of a call. */
export type Waiting = Pick<WaitingCall<unknown, unknown>, 'deadlineMs' | 'settled'>;

/**
 * The calls that wait. A timer stands at the earliest deadline there was when it was set; most calls are
 * answered before theirs, so it fires rarely and then looks at all that are still there. It is cleared when
 * nothing waits, so it keeps no process alive.
 */
export class WaitingRoom<Call extends Waiting> {
  readonly calls = new Set<Call>();
  readonly #expire: (call: Call) => void;
  #timer: NodeJS.Timeout | undefined;
  #timerAtMs = Infinity;

  /** `expire` is told of each call whose deadline has passed, and must settle it. */
  constructor(expire: (call: Call) => void) {
    this.#expire = expire;
  }

  enter(call: Call): void {
    this.calls.add(call);
    if (call.deadlineMs < this.#timerAtMs) this.#setTimer(call.deadlineMs);
  }

  /** Takes out a call that is settled. */
  leave(call: Call): void {
    this.calls.delete(call);
    if (this.calls.size > 0) return;
    clearTimeout(this.#timer);
    this.#timerAtMs = Infinity;
  }

  #setTimer(atMs: number): void {
    clearTimeout(this.#timer);
    this.#timerAtMs = atMs;
    this.#timer = setTimeout(() => this.#look(), Math.max(0, atMs - Date.now()));
  }

  #look(): void {
    const nowMs = Date.now();
    let nextMs = Infinity;
    for (const call of this.calls) {
      if (call.deadlineMs <= nowMs) this.#expire(call);
      else if (call.deadlineMs < nextMs) nextMs = call.deadlineMs;
    }
    this.#timerAtMs = Infinity;
    if (this.calls.size > 0) this.#setTimer(nextMs);
  }
}
