/** What the tests of the contract share: a fresh store, its clock, and sources that keep the sequence rule. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isBehind, type Answer, type Reading, type Result } from '../../model/answer.ts';
import type { Batch } from '../../model/batch.ts';
import type { Clock } from '../../model/clock.ts';
import type { Operation, Terms } from '../../model/operation.ts';
import type { Store } from '../../store.ts';
import { manualClock, type ManualClock } from '../../model/manual-clock.ts';

/** What a store is opened with. */
export interface OpenOptions {
  /** The store's clock; it may be set back. */
  readonly clock: Clock;
  /** Number of partitions of new data. */
  readonly partitions: number;
  /** How long the first answer to a request id is given again. Default: the store's own. */
  readonly requestRetentionMs?: number;
}

/** A store, as the suites see it. */
export interface StoreUnderTest {
  readonly name: string;
  /** Opens a fresh, empty store. The suite closes it. */
  readonly open: (options: OpenOptions) => Store | Promise<Store>;
  /** For a store whose data outlives it: opens again what `closed` held. */
  readonly reopen?: (closed: Store, options: OpenOptions) => Store | Promise<Store>;
}

/** Where a batch comes from and goes to. */
interface Lane {
  readonly source?: string;
  readonly partition?: number;
}

/** What came of one operation: its value, and the note on it where there is one. */
export function resultOf(answer: Answer, operations: readonly Operation[], index: number): Result {
  const { index: _, ...note } = answer.notes.find((each) => each.index === index) ?? { index, delta: operations[index]?.delta ?? 0 };
  return { value: answer.values[index] ?? NaN, ...note };
}

/** A store and those who speak to it. */
export class Session {
  store: Store;
  readonly clock: ManualClock;
  readonly #subject: StoreUnderTest;
  readonly #options: OpenOptions;
  readonly #seqs = new Map<string, number>();

  private constructor(subject: StoreUnderTest, store: Store, clock: ManualClock, options: OpenOptions) {
    this.#subject = subject;
    this.store = store;
    this.clock = clock;
    this.#options = options;
  }

  static async open(subject: StoreUnderTest, options: Partial<OpenOptions>): Promise<Session> {
    const clock = manualClock();
    const all = { clock, partitions: 1, ...options };
    return new Session(subject, await subject.open(all), clock, all);
  }

  /** The next batch of a source. */
  batch(operations: readonly Operation[], { source = 's1', partition = 0 }: Lane = {}): Batch {
    const lane = `${partition}/${source}`;
    const seq = (this.#seqs.get(lane) ?? 0) + 1;
    this.#seqs.set(lane, seq);
    return { source, partition, seq, operations };
  }

  /** Sends a batch that must be applied. */
  async apply(batch: Batch): Promise<Answer> {
    const reply = await this.store.apply(batch);
    assert.ok(!isBehind(reply), `batch ${batch.seq} of ${batch.source} was answered with behind`);
    return reply;
  }

  /** Sends operations as the next batch of a source. */
  send(operations: readonly Operation[], lane?: Lane): Promise<Answer> {
    return this.apply(this.batch(operations, lane));
  }

  /** Sends one operation; `more` may hold terms, a member, a request id. */
  async add(key: string, delta: number, more: Partial<Operation> = {}, lane?: Lane): Promise<Result> {
    const operations = [{ key, delta, ...more }];
    return resultOf(await this.send(operations, lane), operations, 0);
  }

  async reading(key: string, terms?: Terms): Promise<Reading> {
    const [reading] = await this.store.read(0, [{ key, terms }]);
    assert.ok(reading !== undefined, 'a reading for each query');
    return reading;
  }

  async value(key: string, terms?: Terms): Promise<number> {
    return (await this.reading(key, terms)).value;
  }

  /** Closes the store and opens its data again. Call it only where {@link StoreUnderTest.reopen} is given. */
  async reopen(options: Partial<OpenOptions> = {}): Promise<void> {
    await this.store.close();
    assert.ok(this.#subject.reopen !== undefined);
    this.store = await this.#subject.reopen(this.store, { ...this.#options, ...options });
  }
}

/** Registers one test of the contract, on a fresh store. */
export type Check = (name: string, body: (session: Session) => Promise<void>, options?: Partial<OpenOptions>) => void;

/** The {@link Check} of a store. */
export const checkOf =
  (subject: StoreUnderTest): Check =>
  (name, body, options = {}) => {
    it(name, async () => {
      const session = await Session.open(subject, options);
      try {
        await body(session);
      } finally {
        await session.store.close();
      }
    });
  };
