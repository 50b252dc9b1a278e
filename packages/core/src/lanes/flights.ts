/**
 * Sealed batches on their way: sent in order, sent again until they are answered, and kept for a while
 * after, when the store may lose them.
 *
 * While nothing is in flight, the last answered batch is sent again every second: a store that has it says so
 * once more, and one that lost it, or more, is heard of without waiting for the next add.
 *
 * Invariants: the batches in flight have consecutive seqs ending at the last one sealed; everything before
 * them was answered; there are at most `window` of them, so a replica that remembers the results of as many
 * batches can always answer again.
 */
import { TallystickError } from '../errors.ts';
import { isBehind, type Answer, type Reply } from '../model/answer.ts';
import { effectsOf, WINDOW, type Batch } from '../model/batch.ts';
import type { Operation } from '../model/operation.ts';
import { backoffMs } from './backoff.ts';
import type { Watch } from './breaker.ts';
import type { Entry } from './entry.ts';
import type { OpenBatch } from './open-batch.ts';
import type { LaneOptions } from './options.ts';
import { RESEND_BOUNDS, ResendWindow } from './resend-window.ts';

/** A sealed batch and who waits for it. */
export interface Flight {
  batch: Batch;
  readonly callers: OpenBatch;
  /** The operations as they were sealed, in the order of the answer. */
  readonly entries: readonly Entry[];
  readonly sealedAtMs: number;
  answer: Answer | undefined;
}

/** One batch of the repair loop: a flight, or an answered batch that the store has lost. */
interface Errand {
  batch: Batch;
  readonly flight: Flight | undefined;
}

/** Who is told what becomes of the batches. */
interface FlightListener {
  readonly answered: (flight: Flight, answer: Answer) => void;
  /** The store is away. */
  readonly away: () => void;
  /** There may be room for a batch again. */
  readonly ready: () => void;
  /** The store is closed, and answers nothing any more. */
  readonly closed: () => void;
}

const PROBE_EVERY_MS = 1000;

/** A source that was idle for so long takes a new identity, long before a replica forgets the old one. */
const RENEW_AFTER_MS = 3_600_000;

export class Flights {
  readonly #options: LaneOptions;
  readonly #window: number;
  readonly #answered: ResendWindow | undefined;
  readonly #listener: FlightListener;
  #flights: Flight[] = [];
  #source: string;
  #seq = 0;
  #sealedAtMs: number;
  #repairing = false;
  #abandoned = false;
  #endPause: (() => void) | undefined;
  #callOffProbe: (() => void) | undefined;
  /** When the first of the probes that are not answered was sent. */
  #probedAtMs: number | undefined;
  readonly #watch: Watch | undefined;
  /** The last batch of which a probe told that something in it was dropped. */
  #probedSeq = 0;
  readonly totals = { batches: 0, resends: 0, lostBatches: 0 };

  constructor(options: LaneOptions, listener: FlightListener) {
    this.#options = options;
    this.#listener = listener;
    this.#window = Math.min(options.window ?? WINDOW, WINDOW);
    this.#answered = options.store.mayLose ? new ResendWindow(options.resend ?? RESEND_BOUNDS) : undefined;
    this.#source = options.environment.newSource();
    this.#sealedAtMs = options.environment.nowMs();
    this.#watch = options.breaker?.watch({ oldestMs: () => this.#oldestMs(), away: listener.away });
  }

  get isEmpty(): boolean {
    return this.#flights.length === 0;
  }

  /** Whether the store is away. */
  get isAway(): boolean {
    return this.#watch?.isAway === true;
  }

  /** Whether another batch may be sealed now. */
  get hasRoom(): boolean {
    return !this.#repairing && !this.#abandoned && this.#flights.length < this.#window;
  }

  /** Batches whose answers are awaited. */
  unanswered(): OpenBatch[] {
    return this.#flights.filter(({ answer }) => answer === undefined).map(({ callers }) => callers);
  }

  /** Seals a batch and sends it. */
  send(callers: OpenBatch, entries: readonly Entry[]): void {
    this.#renewWhenIdle();
    const batch = { source: this.#source, partition: this.#options.partition, seq: ++this.#seq, operations: entries };
    const flight: Flight = { batch, callers, entries, sealedAtMs: this.#sealedAtMs, answer: undefined };
    this.#flights.push(flight);
    this.#watch?.sent();
    this.totals.batches++;
    this.#options.store.apply(batch).then(
      (reply) => {
        this.#first(flight, batch, reply);
      },
      (error: unknown) => {
        if (isClosed(error)) this.#storeClosed();
        else if (flight.answer === undefined && this.#flights.includes(flight)) this.#startRepair(Infinity, error);
      },
    );
  }

  /** Sends nothing any more. */
  abandon(): void {
    this.#abandoned = true;
    this.#flights = [];
    this.#endPause?.();
    this.#callOffProbe?.();
  }

  /** What was answered once waits for nobody, though it may be sent again. */
  #oldestMs(): number | undefined {
    return this.#flights.find(({ answer }) => answer === undefined)?.sealedAtMs ?? this.#probedAtMs;
  }

  #storeClosed(): void {
    if (!this.#abandoned) this.#listener.closed();
  }

  #renewWhenIdle(): void {
    const nowMs = this.#options.environment.nowMs();
    if (this.#flights.length === 0 && nowMs - this.#sealedAtMs > RENEW_AFTER_MS) this.#renew();
    this.#sealedAtMs = nowMs;
  }

  #renew(): void {
    this.#source = this.#options.environment.newSource();
    this.#seq = 0;
    this.#probedSeq = 0;
    this.#answered?.clear();
  }

  /** The reply to a first send. One that comes late, after the batch took a new identity, says nothing. */
  #first(flight: Flight, batch: Batch, reply: Reply): void {
    if (flight.batch !== batch) return;
    if (!isBehind(reply)) this.#answer(flight, reply);
    else if (flight.answer === undefined) this.#startRepair(reply.behind);
  }

  #answer(flight: Flight, answer: Answer): void {
    if (flight.answer !== undefined || this.#abandoned) return;
    this.#options.latency?.observe(this.#options.environment.nowMs() - flight.sealedAtMs);
    this.#heard();
    flight.answer = answer;
    if (!this.#repairing) this.#retire();
    this.#listener.answered(flight, answer);
  }

  #heard(): void {
    this.#probedAtMs = undefined;
    this.#watch?.answered();
  }

  /** Moves the answered batches at the front on to the resend window. */
  #retire(): void {
    while (this.#flights[0]?.answer !== undefined) {
      const { batch, answer } = this.#flights.shift() as Flight;
      this.#answered?.keep(batch, answer, this.#options.environment.nowMs());
    }
    this.#probeLater();
  }

  #probeLater(): void {
    if (this.#answered === undefined || this.#callOffProbe !== undefined || this.#abandoned) return;
    const { environment, probeEveryMs = PROBE_EVERY_MS } = this.#options;
    this.#callOffProbe = environment.after(probeEveryMs, () => {
      this.#callOffProbe = undefined;
      void this.#probe();
    });
  }

  /** As long as anything can be sent again. What is in flight is itself a probe. */
  async #probe(): Promise<void> {
    const nowMs = this.#options.environment.nowMs();
    const batch = this.#answered?.newest(nowMs);
    if (batch === undefined) {
      // Who asks no more hears of no return either.
      this.#heard();
      return;
    }
    const isIdle = this.#flights.length === 0 && !this.#repairing;
    const reply = isIdle ? await this.#ask(batch, nowMs) : undefined;
    if (reply !== undefined && batch.source === this.#source) this.#probed(batch, reply);
    this.#probeLater();
  }

  async #ask(batch: Batch, nowMs: number): Promise<Reply | undefined> {
    this.#probedAtMs ??= nowMs;
    this.#watch?.sent();
    const reply = await this.#options.store.apply(batch).catch(this.#probeFailed);
    if (reply !== undefined) this.#heard();
    return reply;
  }

  /** A fault says nothing, and the next probe asks again; but of a closed store there is nothing to be heard. */
  readonly #probeFailed = (error: unknown): undefined => {
    if (isClosed(error)) this.#storeClosed();
  };

  #probed(batch: Batch, reply: Reply): void {
    if (isBehind(reply)) {
      this.#startRepair(reply.behind);
    } else if (batch.seq !== this.#probedSeq) {
      // It had been lost, if it was refused now; its answer is remembered, and need not be told every second.
      const told = this.#reportDropped(batch, reply);
      if (told) this.#probedSeq = batch.seq;
    }
  }

  #startRepair(last: number, error?: unknown): void {
    if (this.#repairing || this.#abandoned) return;
    this.#repairing = true;
    void this.#repair(last, error);
  }

  /**
   * Sends one by one, in order, everything after `last` and everything unanswered, until all is answered.
   * `last` is what the store said it holds; Infinity after a fault, when only the unanswered are in doubt.
   */
  async #repair(last: number, error: unknown): Promise<void> {
    let attempt = 0;
    if (last === Infinity) await this.#pause(++attempt, error);
    let errands = this.#errands(last);
    for (;;) {
      if (errands.length === 0) errands = this.#errands(Infinity);
      const next = errands[0];
      if (next === undefined || this.#abandoned) break;
      const reply = await this.#run(next).catch((fault: unknown) => ({ fault }));
      if ('fault' in reply && isClosed(reply.fault)) {
        this.#storeClosed();
      } else if ('fault' in reply) {
        await this.#pause(++attempt, reply.fault);
      } else if (isBehind(reply)) {
        // Behind again without any progress: do not hammer a store that is still coming back.
        if (++attempt > 1) await this.#pause(attempt, undefined);
        errands = this.#errands(reply.behind);
      } else {
        attempt = 0;
        errands.shift();
        if (next.flight !== undefined) this.#answer(next.flight, reply);
      }
    }
    this.#repairing = false;
    if (this.#abandoned) return;
    this.#retire();
    this.#listener.ready();
  }

  /** Sends one errand; what was decided meanwhile is sent as decided. */
  async #run({ batch, flight }: Errand): Promise<Reply> {
    this.totals.resends++;
    const sent = flight?.answer === undefined ? batch : effectsOf(batch, flight.answer);
    const reply = await this.#options.store.apply(sent);
    if (!isBehind(reply)) this.#reportDropped(sent, reply);
    return reply;
  }

  /** Effects come back one by one, and one may run into the range that all of them together had kept. Returns whether any did. */
  #reportDropped({ operations }: Batch, { values, notes }: Answer): boolean {
    let isAny = false;
    // An answer that was remembered is about the operations as they were first sent.
    if (values.length !== operations.length) return isAny;
    for (const { index, code } of notes) {
      const { key, delta, effect } = operations[index] as Operation;
      if (code === undefined || effect === undefined) continue;
      const error = new TallystickError(code, `delta: ${delta}, lost by the store and sent again, was refused`, { field: 'delta' });
      this.#options.onEvent({ type: 'dropped', key, delta, error });
      isAny = true;
    }
    return isAny;
  }

  /** Everything to send when the store holds this source's batches up to `last`. */
  #errands(last: number): Errand[] {
    if (this.#abandoned) return [];
    const held: Errand[] = (this.#answered?.after(last, this.#options.environment.nowMs()) ?? []).map((batch) => ({ batch, flight: undefined }));
    for (const flight of this.#flights) {
      if (flight.answer === undefined || flight.batch.seq > last) held.push({ batch: flight.batch, flight });
    }
    if (last === Infinity) return held;
    const { partition, onEvent } = this.#options;
    const missing = held.filter(({ batch }) => batch.seq > last);
    onEvent({ type: 'behind', partition, last, batches: missing.length });
    const first = missing[0]?.batch.seq ?? last + 1;
    if (first > last + 1) {
      // Nothing in flight is held by the store then, for flights follow each other up to the last one sealed.
      this.totals.lostBatches += first - last - 1;
      onEvent({ type: 'gap', partition, from: last + 1, to: first - 1 });
      this.#takeNewIdentity(missing);
    }
    return held;
  }

  /** Continues under a new source, with what is still held as its first batches. */
  #takeNewIdentity(missing: readonly Errand[]): void {
    this.#renew();
    for (const errand of missing) {
      const { flight } = errand;
      const decided = flight?.answer === undefined ? errand.batch : effectsOf(errand.batch, flight.answer);
      errand.batch = { ...decided, source: this.#source, seq: ++this.#seq };
      if (flight === undefined) {
        this.#answered?.keep(errand.batch, undefined, this.#options.environment.nowMs());
      } else {
        flight.batch = errand.batch;
        if (flight.answer !== undefined) flight.answer = DECIDED;
      }
    }
  }

  /** Waits before the next attempt; `error` is what made it necessary. */
  #pause(attempt: number, error: unknown): Promise<void> {
    if (this.#abandoned) return Promise.resolve();
    const { environment, onEvent, partition } = this.#options;
    onEvent({ type: 'resend', partition, seq: this.#flights[0]?.batch.seq ?? this.#seq, attempt, error });
    return new Promise((resolve) => {
      const callOff = environment.after(backoffMs(attempt, environment.random), resolve);
      this.#endPause = () => {
        callOff();
        resolve();
      };
    });
  }
}

/** The answer of a batch that already consists of decided effects. */
const DECIDED: Answer = Object.freeze({ atMs: 0, values: [], notes: [] });

const isClosed = (error: unknown): boolean => error instanceof TallystickError && error.code === 'CLOSED';
