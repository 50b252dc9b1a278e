/** A store and a world for tests of lanes: the test decides what every batch comes to, and when. */
import { TallystickError } from '../../packages/core/src/errors.ts';
import type { Environment } from '../../packages/core/src/lanes/environment.ts';
import type { Reading, Reply } from '../../packages/core/src/model/answer.ts';
import type { Batch } from '../../packages/core/src/model/batch.ts';
import type { Query } from '../../packages/core/src/model/operation.ts';
import { Replica } from '../../packages/core/src/replica/replica.ts';
import type { Store } from '../../packages/core/src/store.ts';
import { World } from '../sim/world.ts';

/** A batch on its way. */
export interface Sent {
  /** As it was when it was sent. */
  readonly batch: Batch;
  /** Applies it and answers. */
  readonly answer: () => void;
  readonly reply: (reply: Reply) => void;
  /** The request or the reply is lost. */
  readonly lose: () => void;
}

const NOW_MS = 1_700_000_000_000;

export class ScriptedStore implements Store {
  readonly partitions: number;
  readonly mayLose: boolean;
  /** What the store holds; a test may put another one in its place. */
  replica = new Replica();
  /** Every batch that was sent, oldest first. */
  readonly sent: Sent[] = [];
  readonly asked: (readonly Query[])[] = [];
  /** Whether batches are applied and answered as they come. */
  answersAtOnce = false;
  /** Whether reads fail. */
  isDeaf = false;
  closed = 0;
  #held: Promise<void> | undefined;

  constructor({ partitions = 1, mayLose = false }: { partitions?: number; mayLose?: boolean } = {}) {
    this.partitions = partitions;
    this.mayLose = mayLose;
  }

  apply(sealed: Batch): Promise<Reply> {
    const batch = { ...sealed, operations: sealed.operations.map((op) => ({ ...op })) };
    return new Promise((resolve, reject) => {
      const sent: Sent = {
        batch,
        answer: () => { resolve(this.replica.apply(batch, NOW_MS)); },
        reply: resolve,
        lose: () => { reject(new TallystickError('STORE_UNAVAILABLE', 'no reply')); },
      };
      this.sent.push(sent);
      if (this.answersAtOnce) sent.answer();
    });
  }

  async read(_partition: number, queries: readonly Query[]): Promise<readonly Reading[]> {
    this.asked.push(queries);
    if (this.isDeaf) throw new TallystickError('STORE_UNAVAILABLE', 'no reply');
    const readings = queries.map((query) => this.replica.read(query, NOW_MS));
    await this.#held;
    return readings;
  }

  /** Lets readings be taken from now on, and their replies wait for the call of what is returned. */
  holdReads(): () => void {
    let release = (): void => undefined;
    this.#held = new Promise((resolve) => (release = resolve));
    return () => {
      this.#held = undefined;
      release();
    };
  }

  close(): Promise<void> {
    this.closed++;
    return Promise.resolve();
  }

  /** The newest batch that was sent. */
  get newest(): Sent {
    return this.sent.at(-1)!;
  }

  /** What was sent, as `source/seq key delta …`. */
  get told(): string[] {
    return this.sent.map(({ batch }) => [`${batch.source}/${batch.seq}`, ...batch.operations.map(({ key, delta }) => `${key} ${delta}`)].join(' '));
  }

  valueOf(key: string): number {
    return this.replica.read({ key }, NOW_MS).value;
  }
}

/** A world in which time passes when the test says so. */
export class StillWorld {
  readonly environment: Environment;
  readonly #world = new World(1);

  constructor() {
    this.environment = this.#world.environmentOf({ name: 's', alive: true });
  }

  /** Whether nothing is planned: no timer is left. */
  get isAtRest(): boolean {
    return this.#world.isAtRest;
  }

  /** Lets so many milliseconds pass; 0 lets happen what can happen now. */
  async pass(byMs = 0): Promise<void> {
    let isOver = false;
    this.#world.after(byMs, () => { isOver = true; });
    await this.#world.run(() => isOver);
  }
}
