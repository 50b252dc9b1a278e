/** Says once that Redis is away and once that it is back, however often was tried between. */
import type { Log } from '../app/index.ts';

export class Outages {
  readonly #redis: string;
  readonly #log: Log;
  /** Undefined until it was there for the first time. */
  #away: boolean | undefined;
  #reason: string | undefined;

  /** @param redis What is meant, as it may be shown: without a password. */
  constructor(redis: string, log: Log) {
    this.#redis = redis;
    this.#log = log;
  }

  /** The last that was heard of it while it was away. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Something has failed. */
  readonly begin = (error: unknown): void => {
    const { message = '', code } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
    const said = message === '' ? code : message; // several addresses of one name fail without a message
    this.#reason = said ?? String(error);
    if (this.#away === false) this.#log.warn({ redis: this.#redis, reason: this.#reason }, 'Redis is away');
    if (this.#away !== undefined) this.#away = true;
  };

  /** It is there. */
  readonly over = (): void => {
    if (this.#away === true) this.#log.info({ redis: this.#redis }, 'Redis is there again');
    this.#away = false;
    this.#reason = undefined;
  };
}
