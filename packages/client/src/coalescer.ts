/**
 * Puts the calls of one tick into one message, and sends it again until it is answered.
 *
 * Calls wait in a queue. At the end of the tick, up to `maxBatchItems` of them are taken as a batch; while as
 * many batches as may be are in flight, calls gather in the queue, so load makes batches longer, not more.
 * A batch keeps its place until each of its calls is settled: by an answer, by a refusal that trying again
 * can't change, or by its own deadline. An attempt that was lost or refused for now is made again after a
 * pause that doubles, with the same request ids and without the calls that were settled meanwhile.
 */
import { TallystickError } from 'tallystick';
import { Fault, mayPass, unsent } from './fault.ts';
import { WaitingCall, WaitingRoom } from './waiting.ts';

/** Makes one attempt: results and errors in the order of the calls. @throws Fault */
export type Send<Item, Result> = (
  calls: readonly WaitingCall<Item, Result>[],
  deadlineMs: number,
) => Promise<readonly (Result | TallystickError)[]>;

/** Settings of a {@link Coalescer}. */
export interface CoalescerSettings<Item> {
  /** Waits for a connection until `deadlineMs`. @throws Fault */
  readonly ready: (deadlineMs: number) => Promise<void> | undefined;
  /** Whether asking for an item twice is harmless. */
  readonly repeatable: (item: Item) => boolean;
  /** What to tell the caller of a call that may have been done, and whose answer will not come in time. */
  readonly unknown: (item: Item, where: string) => TallystickError;
  /** The server, for messages. */
  readonly where: () => string;
  /** Whether the index in the refusal of a whole message is that of one of the calls. */
  readonly indexed: boolean;
  readonly maxBatchItems: number;
  readonly maxInFlight: number;
  readonly maxPending: number;
}

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1000;

export class Coalescer<Item, Result> {
  readonly #send: Send<Item, Result>;
  readonly #settings: CoalescerSettings<Item>;
  readonly #room: WaitingRoom<WaitingCall<Item, Result>>;
  #queue: WaitingCall<Item, Result>[] = [];
  #inFlight = 0;
  #scheduled = false;
  #closed = false;

  constructor(send: Send<Item, Result>, settings: CoalescerSettings<Item>) {
    this.#send = send;
    this.#settings = settings;
    this.#room = new WaitingRoom((call) => this.#settle(call, this.#endOf(call, unsent(settings.where()))));
  }

  /** Asks for `item`; settles by its deadline. @throws TallystickError (as a rejection) */
  call(item: Item, timeoutMs: number): Promise<Result> {
    if (this.#closed) return Promise.reject(closed());
    if (this.#room.calls.size >= this.#settings.maxPending) return Promise.reject(overloaded(this.#settings.maxPending));
    const call = new WaitingCall<Item, Result>(item, Date.now() + timeoutMs, this.#settings.repeatable(item));
    this.#room.enter(call);
    this.#queue.push(call);
    this.#schedule();
    return call.promise;
  }

  /** Takes no more calls; resolves when the last is settled, which is at its deadline or `byMs` at the latest. */
  async close(byMs: number): Promise<void> {
    this.#closed = true;
    const all = Promise.allSettled(Array.from(this.#room.calls, ({ promise }) => promise));
    const timer = setTimeout(() => {
      for (const call of this.#room.calls) this.#settle(call, this.#endOf(call, closed()));
    }, Math.max(0, byMs - Date.now()));
    await all;
    clearTimeout(timer);
  }

  #schedule(): void {
    if (this.#scheduled || this.#queue.length === 0 || this.#inFlight >= this.#settings.maxInFlight) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    const { maxBatchItems, maxInFlight } = this.#settings;
    while (this.#inFlight < maxInFlight && this.#queue.length > 0) {
      const batch = this.#queue.splice(0, maxBatchItems).filter(({ settled }) => !settled);
      if (batch.length > 0) void this.#deliver(batch);
    }
  }

  async #deliver(batch: WaitingCall<Item, Result>[]): Promise<void> {
    this.#inFlight++;
    let left = batch;
    for (let pauseMs = FIRST_PAUSE_MS; left.length > 0; left = left.filter(({ settled }) => !settled)) {
      if (await this.#attempt(left)) continue;
      // A random part of it, so that clients that lost the same server do not come back together.
      await sleep(Math.random() * pauseMs);
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    }
    this.#inFlight--;
    this.#schedule();
  }

  /** Makes one attempt; returns whether the next, if any call is left, should follow at once. */
  async #attempt(calls: readonly WaitingCall<Item, Result>[]): Promise<boolean> {
    try {
      const deadlineMs = calls.reduce((latest, call) => Math.max(latest, call.deadlineMs), 0);
      await this.#settings.ready(deadlineMs);
      for (const call of calls) call.inFlight = true;
      const results = await this.#send(calls, deadlineMs);
      for (const [index, call] of calls.entries()) this.#answered(call, results[index] ?? noAnswer());
      return calls.every(({ settled }) => settled);
    } catch (error) {
      return this.#failed(calls, error instanceof Fault ? error : new Fault(internal(error), { again: false, lost: true }));
    }
  }

  /** A call that was refused by itself, for now, is asked again with the batch. */
  #answered(call: WaitingCall<Item, Result>, result: Result | TallystickError): void {
    if (result instanceof TallystickError && mayPass(result)) {
      call.inFlight = false;
      call.refusal = result;
    } else this.#settle(call, result);
  }

  /** Notes what an attempt came to, settles what trying again can't help, and returns whether not to pause. */
  #failed(calls: readonly WaitingCall<Item, Result>[], fault: Fault): boolean {
    for (const call of calls) {
      call.inFlight = false;
      if (fault.lost) call.lost = true;
      else call.refusal = fault.error;
    }
    const bad = this.#settings.indexed && !fault.lost ? calls[fault.error.index ?? -1] : undefined;
    if (bad !== undefined) {
      // Refused for one bad item, and nothing was done: the others go without it.
      this.#settle(bad, onItsOwn(fault.error));
      return true;
    }
    for (const call of calls) {
      if (!fault.again || (call.lost && !call.repeatable)) this.#settle(call, this.#endOf(call, fault.error));
    }
    return false;
  }

  /** What to tell of a call that ends without an answer, `otherwise` when nothing can have been done. */
  #endOf({ item, inFlight, lost, refusal }: WaitingCall<Item, Result>, otherwise: TallystickError): TallystickError {
    return inFlight || lost ? this.#settings.unknown(item, this.#settings.where()) : (refusal ?? otherwise);
  }

  #settle(call: WaitingCall<Item, Result>, result: Result | TallystickError): void {
    call.settle(result);
    this.#room.leave(call);
  }
}

/** Does not keep the process alive: the calls that wait do. */
const sleep = (delayMs: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, delayMs).unref());

/** The same error without the place in a batch that the caller knows nothing of. */
function onItsOwn({ code, message, field, cause }: TallystickError): TallystickError {
  const place = /^[a-z]+\[\d+\]\.?/;
  const own = field?.replace(place, '');
  const detail = own === undefined || own === '' ? { cause } : { cause, field: own };
  return new TallystickError(code, message.replace(place, '').replace(/^: /, ''), detail);
}

const closed = (): TallystickError => new TallystickError('CLOSED', 'the client is closed');

const overloaded = (most: number): TallystickError => new TallystickError('OVERLOADED', `maxPending: ${most} calls are waiting already`);

const internal = (cause: unknown): TallystickError => new TallystickError('INTERNAL', `the client failed: ${String(cause)}`, { cause });

const noAnswer = (): TallystickError => new TallystickError('INTERNAL', 'the server answered fewer items than it was asked');
