/** Combining of reads: the questions of one turn to one partition are one read, and the same question is asked once. */
import type { Reading } from '../model/answer.ts';
import type { Query } from '../model/operation.ts';
import type { Store } from '../store.ts';
import type { Environment } from './environment.ts';

interface Asked {
  readonly query: Query;
  readonly answer: Promise<Reading>;
  readonly resolve: (reading: Reading) => void;
  readonly reject: (error: unknown) => void;
}

export class Reads {
  readonly #store: Store;
  readonly #partition: number;
  readonly #environment: Environment;
  #asked: Asked[] = [];
  /** By key: the last question about it in this turn. */
  #byKey = new Map<string, Asked>();

  constructor(store: Store, partition: number, environment: Environment) {
    this.#store = store;
    this.#partition = partition;
    this.#environment = environment;
  }

  get(query: Query): Promise<Reading> {
    const same = this.#byKey.get(query.key);
    if (same !== undefined && same.query.terms === query.terms) return same.answer;
    if (this.#asked.length === 0) this.#environment.soon(this.#ask);
    const { promise, resolve, reject } = withResolvers();
    const asked = { query, answer: promise, resolve, reject };
    this.#asked.push(asked);
    this.#byKey.set(query.key, asked);
    return promise;
  }

  readonly #ask = (): void => {
    const asked = this.#asked;
    this.#asked = [];
    // A question alone in its turn is the common case where callers are few, and a new map its largest cost.
    if (asked.length === 1) this.#byKey.delete((asked[0] as Asked).query.key);
    else this.#byKey = new Map();
    this.#store.read(this.#partition, asked.map(({ query }) => query)).then(
      (readings) => {
        for (let i = 0; i < asked.length; i++) (asked[i] as Asked).resolve(readings[i] as Reading);
      },
      (error: unknown) => {
        for (const { reject } of asked) reject(error);
      },
    );
  };
}

function withResolvers(): Omit<Asked, 'query' | 'answer'> & { promise: Promise<Reading> } {
  let resolve!: (reading: Reading) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<Reading>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
