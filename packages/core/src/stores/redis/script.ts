/**
 * Calls of scripts: one timer per call, which the store makes itself; a script that the server does not know
 * is sent along with the same call at once, so that the order of calls is kept.
 */
import { createHash } from 'node:crypto';
import type { RedisClient, SendOptions } from './client.ts';
import type { Call } from './encode.ts';
import { isScriptMissing, timedOut, unavailable } from './faults.ts';
import { addsLua, applyLua, leaseLua, openLua, pageLua, readLua, relaysLua, restoreLua, sweepLua, takesLua, totalsLua, trimLua } from './lua.ts';

/** A script, and by what the server knows it. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

/** A script of this text. */
export const script = (text: string): Script => ({ text, sha: createHash('sha1').update(text).digest('hex') });

export const scripts = {
  apply: script(applyLua),
  adds: script(addsLua),
  takes: script(takesLua),
  read: script(readLua),
  open: script(openLua),
  sweep: script(sweepLua),
  page: script(pageLua),
  trim: script(trimLua),
  lease: script(leaseLua),
  relays: script(relaysLua),
  totals: script(totalsLua),
  restore: script(restoreLua),
};

/** The time limit that node-redis 6 makes for each command by itself is switched off: it costs several commands. */
const options = { typeMapping: { 36: Buffer }, timeout: undefined } as const;
const OPTIONS: SendOptions = options;

/** Sends scripts to one server. */
export class Caller {
  readonly #client: RedisClient;
  readonly #timeoutMs: number;

  constructor(client: RedisClient, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Calls a script.
   *
   * @throws TallystickError `STORE_UNAVAILABLE`; the outcome is then unknown.
   */
  call(script: Script, { keys, args }: Call): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args];
    const sent = this.send(['EVALSHA', script.sha, ...rest], keys[0]!);
    return sent.catch((error: unknown) => {
      if (isScriptMissing(error)) return this.send(['EVAL', script.text, ...rest], keys[0]!);
      throw error;
    });
  }

  /** Sends a command on keys of the slot of `firstKey`. @throws TallystickError `STORE_UNAVAILABLE`; the outcome is then unknown. */
  send(command: readonly (string | Buffer)[], firstKey: string): Promise<unknown> {
    if (!this.#client.isReady) return Promise.reject(unavailable(new Error('not connected')));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => { reject(timedOut(this.#timeoutMs)); }, this.#timeoutMs);
      this.#client.sendCommand(command, OPTIONS, firstKey).then(
        (reply) => {
          clearTimeout(timer);
          resolve(reply);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(unavailable(error));
        },
      );
    });
  }
}
