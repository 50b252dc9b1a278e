/**
 * The store between one opening of its data and its close or first fault: order, durability, answers.
 *
 * - Batches are decided in the order they came. One whose cells are not resident waits for them, and all
 *   later ones behind it; their cells are on the way meanwhile.
 * - A batch that is decided goes to the worker at once. Later ones may be decided before it is durable,
 *   but no answer, and no reading, is given before everything it rests on is durable.
 * - After a fault nothing in memory can be trusted: all who wait are rejected, and another engine reads the
 *   data again. Lanes send the same batches again and get their exact results.
 */
import { TallystickError } from '../../errors.ts';
import type { Answer, Reading, Reply } from '../../model/answer.ts';
import type { Batch } from '../../model/batch.ts';
import type { Clock } from '../../model/clock.ts';
import type { Query } from '../../model/operation.ts';
import type { Link } from './link.ts';
import { toCommit, type CellIds, type Loaded, type Opened, type Report } from './protocol.ts';
import { Queue } from './queue.ts';
import { toRecord } from './record.ts';
import { Residents } from './residents.ts';

/** How an engine is made. */
export interface EngineOptions {
  readonly clock: Clock;
  readonly requestRetentionMs: number;
  /** Counters held in memory, about. */
  readonly maxResident: number;
  /** Told once, before anybody who waits is rejected. */
  readonly onFault: (error: TallystickError) => void;
}

/** Somebody who waits. */
interface Waiter<Value> {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: TallystickError) => void;
}

/** A batch that came and is not yet decided. */
interface Undecided extends Waiter<Reply> {
  readonly batch: Batch;
  /** The {@link Residents.losses} when its cells were all resident; undefined while they are on the way. */
  losses: number | undefined;
}

/** An answer that waits until everything up to `position` is durable. */
interface Unconfirmed {
  readonly position: number;
  readonly confirm: () => void;
  readonly reject: (error: TallystickError) => void;
}

/** Cells that were asked for. */
interface Load {
  readonly ids: CellIds;
  readonly losses: number;
  readonly done: () => void;
  readonly reject: (error: TallystickError) => void;
}

const TICK_MS = 1000;
/** Expired cells looked at in one go, so that nobody waits for a mass expiry. */
const SWEEP_STEP = 2000;

export class Engine {
  readonly clock: Clock;
  readonly #link: Link;
  readonly #residents: Residents;
  readonly #onFault: (error: TallystickError) => void;
  readonly #ticking: NodeJS.Timeout;
  /** Of the last batch decided, and of the last one that is durable. */
  #position: number;
  #durable: number;
  readonly #undecided = new Queue<Undecided>();
  readonly #unconfirmed = new Queue<Unconfirmed>();
  readonly #loads = new Queue<Load>();
  #closing: (() => void) | undefined;
  #isClosePosted = false;
  #ended: Promise<void> | undefined;

  constructor(link: Link, opened: Opened, { clock, requestRetentionMs, maxResident, onFault }: EngineOptions) {
    this.clock = clock;
    this.#link = link;
    this.#onFault = onFault;
    this.#position = opened.position;
    this.#durable = opened.position;
    this.#residents = new Residents({ requestRetentionMs }, maxResident, opened.isEmpty);
    for (const { partition, source, seq, answer } of opened.answers) {
      this.#residents.replica.sources.applied(`${partition}/${source}`, seq, answer);
    }
    link.listen({ onReport: (report) => this.#hear(report), onFailure: (error) => this.#fail(error) });
    this.#ticking = setInterval(() => this.#tick(), TICK_MS).unref();
    this.#holdIfNeeded();
  }

  apply(batch: Batch): Promise<Reply> {
    const missing = this.#residents.missing(batch.operations);
    if (missing === undefined && this.#undecided.size === 0) return this.#decide(batch);
    return new Promise((resolve, reject) => {
      const undecided: Undecided = { batch, resolve, reject, losses: this.#residents.losses };
      this.#undecided.push(undecided);
      if (missing !== undefined) this.#loadFor(undecided, missing);
    });
  }

  read(queries: readonly Query[]): Promise<readonly Reading[]> {
    const missing = this.#residents.missing(queries);
    if (missing === undefined) return this.#confirmed(this.#readNow(queries));
    return new Promise((resolve, reject) => {
      this.#load(missing, { resolve: () => resolve(this.#confirmed(this.#readNow(queries))), reject });
    });
  }

  /** Answers what was taken, writes every counter to its table, and lets go of the data. Never rejects. */
  async close(): Promise<void> {
    if (this.#ended === undefined) {
      await new Promise<void>((resolve) => {
        this.#closing = resolve;
        this.#settle();
      });
    }
    await this.#end();
  }

  /** Ends the worker and so lets go of the data. */
  #end(): Promise<void> {
    clearInterval(this.#ticking);
    this.#ended ??= this.#link.end();
    return this.#ended;
  }

  /** Decides a batch whose cells are resident, and sends what it came to on its way to disk. */
  #decide(batch: Batch): Promise<Reply> {
    const { replica } = this.#residents;
    const known = replica.sources.reply(`${batch.partition}/${batch.source}`, batch.seq);
    if (known !== undefined) return this.#confirmed(known);
    try {
      const answer = replica.apply(batch, this.clock()) as Answer;
      this.#link.post(toCommit(toRecord(++this.#position, batch, answer)));
      this.#residents.shrink();
      return this.#confirmed(answer);
    } catch (cause) {
      const error = new TallystickError('STORE_UNAVAILABLE', 'a batch could not be applied; the store reads its data again', { cause });
      this.#fail(error);
      return Promise.reject(error);
    }
  }

  /** Decides the batches that wait, in their order, up to the first whose cells are not resident. */
  #decideNext(): void {
    for (let next = this.#undecided.first; next?.losses !== undefined; next = this.#undecided.first) {
      // Since its cells came, some may have been let go of for others.
      const missing = next.losses === this.#residents.losses ? undefined : this.#residents.missing(next.batch.operations);
      if (missing !== undefined) {
        this.#loadFor(next, missing);
        return;
      }
      this.#undecided.shift();
      this.#decide(next.batch).then(next.resolve, next.reject);
    }
  }

  #loadFor(undecided: Undecided, missing: CellIds): void {
    undecided.losses = undefined;
    const resolve = (): void => {
      undecided.losses = this.#residents.losses;
      this.#decideNext();
    };
    this.#load(missing, { resolve, reject: undecided.reject });
  }

  #load(ids: CellIds, { resolve, reject }: Waiter<void>): void {
    this.#loads.push({ ids, losses: this.#residents.losses, done: resolve, reject });
    this.#link.post({ type: 'load', ...ids });
    this.#holdIfNeeded();
  }

  #loaded(loaded: Loaded): void {
    const load = this.#loads.shift();
    if (load === undefined) return;
    if (load.losses !== this.#residents.losses) {
      // What was let go of meanwhile may have been newer than what comes here.
      this.#load(load.ids, { resolve: load.done, reject: load.reject });
      return;
    }
    this.#residents.put(load.ids, loaded);
    load.done();
    if (this.#undecided.size === 0) this.#residents.shrink();
  }

  #readNow(queries: readonly Query[]): readonly Reading[] {
    const nowMs = this.clock();
    return queries.map((query) => this.#residents.replica.read(query, nowMs));
  }

  /** Gives `value` when everything decided until now is durable. */
  #confirmed<Value>(value: Value): Promise<Value> {
    if (this.#durable === this.#position) return Promise.resolve(value);
    return new Promise((resolve, reject) => {
      this.#unconfirmed.push({ position: this.#position, confirm: () => resolve(value), reject });
      this.#holdIfNeeded();
    });
  }

  #committed(position: number): void {
    this.#durable = position;
    for (let next = this.#unconfirmed.first; next !== undefined && next.position <= position; next = this.#unconfirmed.first) {
      this.#unconfirmed.shift();
      next.confirm();
    }
  }

  #hear(report: Report): void {
    if (this.#ended !== undefined) return;
    if (report.type === 'committed') this.#committed(report.position);
    else if (report.type === 'loaded') this.#loaded(report);
    else if (report.type === 'closed') this.#closing?.();
    this.#settle();
  }

  /** After every step: closes when that is asked for and nobody waits, and lets the process end when it may. */
  #settle(): void {
    this.#holdIfNeeded();
    if (this.#closing === undefined || this.#isClosePosted || this.#undecided.size + this.#loads.size > 0) return;
    this.#isClosePosted = true;
    this.#link.post({ type: 'close', nowMs: this.clock() });
  }

  #holdIfNeeded(): void {
    this.#link.hold(this.#closing !== undefined || this.#undecided.size + this.#unconfirmed.size + this.#loads.size > 0);
  }

  #fail(error: TallystickError): void {
    if (this.#ended !== undefined) return;
    void this.#end();
    this.#onFault(error);
    for (const { reject } of [...this.#unconfirmed.clear(), ...this.#loads.clear(), ...this.#undecided.clear()]) reject(error);
    this.#closing?.();
  }

  #tick(): void {
    const nowMs = this.clock();
    this.#link.post({ type: 'tick', nowMs });
    this.#sweep(nowMs);
  }

  #sweep(nowMs: number): void {
    if (this.#ended !== undefined || this.#residents.replica.sweep(nowMs, SWEEP_STEP) < SWEEP_STEP) return;
    setTimeout(() => this.#sweep(nowMs), 1).unref();
  }
}
