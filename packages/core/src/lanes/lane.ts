/**
 * A lane: one source's queue for one partition.
 *
 *   callers → open batch → sealed → in flight (at most `window`) → answered → resend window
 *
 * A batch is sealed before it is sent, never changed after, and sent again under the same identity until
 * it is answered. In the ordinary course batches are sent without waiting for each other; after a fault,
 * or when the store says that it is behind, the repair loop sends what is missing one by one, in order.
 */
import { TallystickError } from '../errors.ts';
import type { AddResult } from '../model/add-result.ts';
import type { Answer } from '../model/answer.ts';
import type { Operation } from '../model/operation.ts';
import { checkKey } from '../model/key.ts';
import type { Reject, Resolve } from './callers.ts';
import type { Deadline } from './deadline.ts';
import type { Environment } from './environment.ts';
import { Estimates } from './estimates.ts';
import type { LaneEvent } from './events.ts';
import { Flights, type Flight } from './flights.ts';
import { Memos } from './memos.ts';
import { OpenBatch } from './open-batch.ts';
import type { LaneOptions } from './options.ts';

/** Entries at which a batch takes no more: a store is never held up by a longer one. */
const FULL = 8192;
/** Callers at whom a batch is sent at once while there is room, so that work here and in the store overlap. */
const WORTH_SENDING = 512;

export class Lane {
  readonly #maxPending: number;
  readonly #environment: Environment;
  readonly #onEvent: (event: LaneEvent) => void;
  readonly #partition: number;
  readonly #estimates = new Estimates();
  readonly #flights: Flights;
  readonly #memos = new Memos();
  #open = new OpenBatch(this.#memos);
  /** Full batches that wait for room in the window, oldest first. */
  #full: OpenBatch[] = [];
  /** Callers whose operation has no outcome yet; those of them that were told `accepted`. */
  #pending = 0;
  #accepted = 0;
  /** Callers that wait with a deadline, and when the first of them may pass: one timer for all. */
  #limited = 0;
  #alarmAtMs = Infinity;
  #callOffAlarm: (() => void) | undefined;
  #scheduled = false;
  #shut = false;
  #closed = false;
  #onIdle: (() => void)[] = [];
  /** Callers, operations after combining, and repaired expiries, since the start. */
  readonly totals = { operations: 0, entries: 0, refused: 0, repairs: 0 };

  constructor(options: LaneOptions) {
    this.#maxPending = options.maxPending;
    this.#environment = options.environment;
    this.#onEvent = options.onEvent;
    this.#partition = options.partition;
    this.#flights = new Flights(options, {
      answered: this.#settle,
      ready: this.#pump,
      away: this.#away,
      closed: () => this.#storeClosed(options.onStoreClosed),
    });
  }

  /** Callers waiting for an answer. */
  get waiting(): number {
    return this.#pending - this.#accepted;
  }

  /** Callers that were told `accepted`, of whose operations the store has not told the outcome yet. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Whether its part of the store is away. */
  get isAway(): boolean {
    return this.#flights.isAway;
  }

  /** Batches sent, sent again, and lost, since the start. */
  get flown(): Flights['totals'] {
    return this.#flights.totals;
  }

  /** The short way of a checked amount; the key is checked here, when it is new to the lane. */
  add(key: string, delta: number, terms: Operation['terms']): Promise<AddResult> {
    const promise = new Promise<AddResult>(capture);
    const { resolve, reject } = captured;
    try {
      if (this.#shut || this.#pending >= this.#maxPending) {
        this.submit({ key: checkKey(key), delta, terms }, resolve, reject);
      } else {
        this.#open.callers.add(this.#open.take(key, delta, terms), delta, resolve, reject);
        this.#pending++;
        this.#dispatch();
      }
    } catch (error) {
      reject(error as TallystickError);
    }
    return promise;
  }

  /** What `count` more callers would be refused with now; undefined when all would be taken. */
  refusalOf(count: number, onOutage: Deadline['onOutage'] | undefined): TallystickError | undefined {
    if (this.#shut) return closed();
    if (onOutage === 'reject' && this.isAway) return away();
    return this.#pending + count > this.#maxPending ? overloaded(this.#pending) : undefined;
  }

  /** Puts a checked operation in; it is combined where it can be. */
  submit(op: Operation, resolve: Resolve, reject: Reject, deadline?: Deadline): void {
    if (this.#shut) reject(closed());
    else this.takeOver(op, resolve, reject, deadline);
  }

  /** As {@link submit}, also while only callers are refused. */
  takeOver(op: Operation, resolve: Resolve, reject: Reject, deadline?: Deadline): void {
    if (this.#closed) {
      reject(closed());
    } else if (deadline?.onOutage === 'reject' && this.isAway) {
      this.totals.refused++;
      reject(away());
    } else if (this.#pending >= this.#maxPending) {
      this.totals.refused++;
      reject(overloaded(this.#pending));
    } else {
      this.#join(op, { alone: false, deadline }, resolve, reject);
    }
  }

  /** The last exact value seen of a key, plus what is pending here. */
  estimate(key: string): number {
    let value = this.#estimates.of(key) + this.#open.pendingOf(key);
    for (const batch of [...this.#full, ...this.#flights.unanswered()]) value += batch.pendingOf(key);
    return value;
  }

  /** Refuses callers from now on. What `batched` counters hand over is still taken. */
  shut(): void {
    this.#shut = true;
  }

  /** Takes no more operations, and resolves when all that were taken are answered. */
  drain(): Promise<void> {
    this.#shut = true;
    this.#closed = true;
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  /** Gives up: callers still waiting are told what is known of their operations. Returns how many operations have no outcome. */
  abandon(): number {
    this.#shut = true;
    this.#closed = true;
    this.#limited = 0;
    this.#quiet();
    const sent = this.#flights.unanswered();
    const unsent = [...this.#full, this.#open];
    this.#flights.abandon();
    for (const { callers } of sent) callers.fail('OUTCOME_UNKNOWN', 'closed before the store answered: it may have been applied');
    for (const { callers } of unsent) callers.fail('CLOSED', 'closed before the operation was sent');
    this.#full = [];
    this.#open = new OpenBatch(this.#memos);
    this.#pending = 0;
    this.#accepted = 0;
    this.#wakeIdle();
    return [...sent, ...unsent].reduce((sum, { callers }) => sum + callers.unsettled, 0);
  }

  #join(op: Operation, how: { alone: boolean; deadline: Deadline | undefined }, resolve: Resolve, reject: Reject): void {
    const open = this.#open;
    let entry = how.alone || op.requestId !== undefined ? undefined : open.find(op.key, op.terms);
    if (entry === undefined || !open.combine(entry, op.delta)) entry = open.append(op, how.alone);
    this.#pending++;
    const place = open.callers.add(entry, op.delta, resolve, reject);
    if (how.deadline !== undefined) this.#limit(open, place, how.deadline);
    if (how.deadline?.onOutage === 'local' && this.isAway) this.#accept(open, place);
    this.#dispatch();
  }

  /** Sends a batch that is worth it at once, and sees to it that what is left will be sent. */
  #dispatch(): void {
    if (this.#open.callers.joined >= WORTH_SENDING) this.#sendOrSetAside();
    this.#schedule();
  }

  #limit(batch: OpenBatch, place: number, deadline: Deadline): void {
    batch.callers.limit(place, deadline);
    this.#limited++;
    this.#estimates.isWanted = true;
    this.#alarm(deadline.atMs);
  }

  #alarm(atMs: number): void {
    if (atMs >= this.#alarmAtMs) return;
    this.#callOffAlarm?.();
    this.#alarmAtMs = atMs;
    this.#callOffAlarm = this.#environment.after(atMs - this.#environment.nowMs(), this.#expire);
  }

  #quiet(): void {
    this.#callOffAlarm?.();
    this.#callOffAlarm = undefined;
    this.#alarmAtMs = Infinity;
  }

  /** At its deadline a caller is out again while the batch is not sealed; else the truth is `accepted`. */
  readonly #expire = (): void => {
    this.#quiet();
    const nowMs = this.#environment.nowMs();
    let nextMs = Infinity;
    for (const batch of [...this.#full, this.#open]) {
      nextMs = Math.min(nextMs, batch.callers.overdue(nowMs, (place, { timeoutMs, isKept }) => {
        if (isKept) this.#accept(batch, place);
        else this.#withdraw(batch, place, late(timeoutMs));
      }));
    }
    for (const batch of this.#flights.unanswered()) {
      nextMs = Math.min(nextMs, batch.callers.overdue(nowMs, (place) => { this.#accept(batch, place); }));
    }
    if (nextMs < Infinity) this.#alarm(nextMs);
    this.#wakeIdle();
  };

  /** Who would not wait for a store that is away is told at once: what is not sealed can still be refused. */
  readonly #away = (): void => {
    for (const batch of [...this.#full, this.#open]) {
      batch.callers.impatient((place, { onOutage }) => {
        if (onOutage === 'reject') this.#withdraw(batch, place, away());
        else this.#accept(batch, place);
      });
    }
    for (const batch of this.#flights.unanswered()) {
      batch.callers.impatient((place, { onOutage }) => { if (onOutage === 'local') this.#accept(batch, place); });
    }
    this.#wakeIdle();
  };

  #withdraw(batch: OpenBatch, place: number, error: TallystickError): void {
    batch.withdraw(place, error);
    this.#pending--;
    this.#limited--;
  }

  #accept({ callers }: OpenBatch, place: number): void {
    const { key, delta } = callers.at(place);
    callers.accept(place, this.estimate(key), (error) => this.#onEvent({ type: 'dropped', key, delta, error }));
    this.#accepted++;
    this.#limited--;
  }

  /** Sends soon when nothing is in flight; otherwise lets what arrives in this turn combine first. */
  #schedule(): void {
    if (this.#scheduled || !this.#flights.hasRoom) return;
    this.#scheduled = true;
    (this.#flights.isEmpty ? this.#environment.soon : this.#environment.later)(this.#pump);
  }

  readonly #pump = (): void => {
    this.#scheduled = false;
    while (this.#flights.hasRoom && (this.#full.length > 0 || this.#open.entries.length > 0)) this.#sendNext();
    this.#wakeIdle();
  };

  #sendOrSetAside(): void {
    if (this.#flights.hasRoom) this.#sendNext();
    else if (this.#open.entries.length >= FULL) this.#full.push(this.#takeOpen());
  }

  #sendNext(): void {
    const batch = this.#full.shift() ?? this.#takeOpen();
    const entries = batch.sealed();
    if (entries.length === 0) return;
    this.totals.operations += batch.callers.joined;
    this.totals.entries += entries.length;
    this.#flights.send(batch, entries);
  }

  #takeOpen(): OpenBatch {
    const batch = this.#open;
    this.#open = new OpenBatch(this.#memos);
    return batch;
  }

  readonly #settle = ({ callers: { callers }, entries }: Flight, answer: Answer): void => {
    this.#pending -= callers.unsettled;
    this.#accepted -= callers.accepted;
    this.#limited -= callers.limited;
    if (this.#limited === 0) this.#quiet();
    this.#estimates.learn(entries, answer);
    callers.settle(entries, answer, (op, resolve, reject, deadline) => {
      this.#join(op, { alone: true, deadline }, resolve, reject);
    });
    for (const { repaired, index } of answer.notes) if (repaired) this.#repaired(entries[index] as Operation);
    if (this.#open.entries.length > 0 || this.#full.length > 0) this.#schedule();
    this.#wakeIdle();
  };

  #repaired({ key }: Operation): void {
    this.totals.repairs++;
    this.#onEvent({ type: 'repaired', partition: this.#partition, key });
  }

  /** Somebody else has closed the store: nothing that waits will ever be answered. */
  #storeClosed(tell: (() => void) | undefined): void {
    this.abandon();
    tell?.();
  }

  #isIdle(): boolean {
    return this.#pending === 0 && this.#flights.isEmpty && this.#open.entries.length === 0 && this.#full.length === 0;
  }

  #wakeIdle(): void {
    if (this.#onIdle.length > 0 && this.#isIdle()) for (const wake of this.#onIdle.splice(0)) wake();
  }
}

const away = (): TallystickError => new TallystickError('STORE_UNAVAILABLE', 'the store does not answer; nothing was counted');

const late = (timeoutMs: number): TallystickError =>
  new TallystickError('TIMEOUT', `timeoutMs: ${timeoutMs} ms passed before the operation was sent; nothing was counted`, { field: 'timeoutMs' });

const overloaded = (pending: number): TallystickError =>
  new TallystickError('OVERLOADED', `maxPending: ${pending} callers are waiting; try again later`);

const closed = (): TallystickError => new TallystickError('CLOSED', 'closed: no more operations are taken');

/**
 * What settles the promise that was made last. An executor that is made once, and not for each add, spares
 * two objects a call; what it left is taken up at once, before another promise can be made.
 */
const captured: { resolve: Resolve; reject: Reject } = { resolve: () => undefined, reject: () => undefined };

function capture(resolve: Resolve, reject: Reject): void {
  captured.resolve = resolve;
  captured.reject = reject;
}
