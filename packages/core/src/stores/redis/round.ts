/**
 * The batches of one turn that consist of plain adds to known slots, sent in one call of adds.lua: on a single
 * server, partitions share the cost of a call, and each keeps its own sequence.
 */
import type { Keyspace } from './buckets.ts';
import type { Adds } from './encode.ts';
import { scripts, type Caller } from './script.ts';

/** What adds.lua answers for one batch: a packed answer, the last seq that was applied, or that apply.lua must decide. */
export type AddsReply = Buffer | number | null;

interface Waiter {
  readonly resolve: (reply: AddsReply) => void;
  readonly reject: (error: unknown) => void;
}

/** Bytes of adds at which a call is sent at once, so that work here and on the server overlap: some 400 adds. */
const WORTH_SENDING = 4096;

export class Round {
  readonly #caller: Caller;
  readonly #rawMs: () => string;
  readonly #isShared: boolean;
  #keys: string[] = [];
  #args: (string | Buffer)[] = [];
  /** For the outbox, of each batch. */
  #entries: Buffer[] = [];
  #waiters: Waiter[] = [];
  #bytes = 0;

  /**
   * @param rawMs What the script is told of the clock.
   * @param isShared Whether one call may hold several partitions: not on a Cluster.
   */
  constructor(caller: Caller, rawMs: () => string, isShared: boolean) {
    this.#caller = caller;
    this.#rawMs = rawMs;
    this.#isShared = isShared;
  }

  /** Sends a batch with those of the other partitions that come in the same turn. */
  send({ meta, youngSources, slots, outbox }: Keyspace, { adds, entries }: Adds): Promise<AddsReply> {
    return new Promise((resolve, reject) => {
      if (this.#waiters.length === 0) queueMicrotask(this.flush);
      this.#keys.push(meta, youngSources, slots);
      this.#args.push(adds);
      if (entries !== undefined) {
        this.#keys.push(outbox);
        this.#entries.push(entries);
      }
      this.#waiters.push({ resolve, reject });
      this.#bytes += adds.length;
      if (this.#bytes >= WORTH_SENDING || !this.#isShared) this.flush();
    });
  }

  /** Sends what waits now: whatever is sent after it must come after it. */
  readonly flush = (): void => {
    if (this.#waiters.length === 0) return;
    const waiters = this.#waiters;
    const call = { keys: this.#keys, args: [this.#rawMs(), ...this.#args, ...this.#entries] };
    this.#keys = [];
    this.#args = [];
    this.#entries = [];
    this.#waiters = [];
    this.#bytes = 0;
    this.#caller.call(scripts.adds, call).then(
      (replies) => { for (const [i, { resolve }] of waiters.entries()) resolve((replies as AddsReply[])[i]!); },
      (error: unknown) => { for (const { reject } of waiters) reject(error); },
    );
  };
}
