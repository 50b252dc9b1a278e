/**
 * The batches of one turn that a script carries out several of, sent in one call: plain adds to known slots (adds.lua),
 * or takes (takes.lua). On a single server, partitions share the cost of a call, and each keeps its own sequence.
 */
import type { RoundCall } from './encode.ts';
import type { Caller, Script } from './script.ts';

/** What such a script answers for one batch: a packed answer, the last seq that was applied, or that apply.lua must decide. */
export type RoundReply = Buffer | number | null;

interface Waiter {
  readonly resolve: (reply: RoundReply) => void;
  readonly reject: (error: unknown) => void;
}

/** Operations at which a call is sent at once, so that work here and on the server overlap. */
const WORTH_SENDING = 400;

export class Round {
  readonly #caller: Caller;
  readonly #rawMs: () => string;
  readonly #isShared: boolean;
  #script: Script | undefined;
  #keys: string[] = [];
  #args: (string | Buffer)[] = [];
  /** For the outbox, of each batch. */
  #entries: Buffer[] = [];
  #waiters: Waiter[] = [];
  #operations = 0;

  /**
   * @param rawMs What the script is told of the clock.
   * @param isShared Whether one call may hold several partitions: not on a Cluster.
   */
  constructor(caller: Caller, rawMs: () => string, isShared: boolean) {
    this.#caller = caller;
    this.#rawMs = rawMs;
    this.#isShared = isShared;
  }

  /** Sends a batch of so many operations with those of the other partitions that come in the same turn. */
  send(script: Script, { keys, args, entries }: RoundCall, operations: number): Promise<RoundReply> {
    if (script !== this.#script) this.flush();
    this.#script = script;
    return new Promise((resolve, reject) => {
      if (this.#waiters.length === 0) queueMicrotask(this.flush);
      for (let i = 0; i < keys.length; i++) this.#keys.push(keys[i]!);
      this.#args.push(...args);
      if (entries !== undefined) this.#entries.push(entries);
      this.#waiters.push({ resolve, reject });
      this.#operations += operations;
      if (this.#operations >= WORTH_SENDING || !this.#isShared) this.flush();
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
    this.#operations = 0;
    this.#caller.call(this.#script!, call).then(
      (replies) => { for (const [i, { resolve }] of waiters.entries()) resolve((replies as RoundReply[])[i]!); },
      (error: unknown) => { for (const { reject } of waiters) reject(error); },
    );
  };
}
