/** The client: a link, and what an application asks over it. */
import { Asking } from './asking.ts';
import { checkNumber, checkOptions, type ClientOptions } from './options.ts';
import { clientCounters, type CallOptions, type ClientCounters } from './counters.ts';
import { clientFrequency, type ClientFrequency } from './frequency.ts';
import { clientLimits, type ClientLimits } from './limits.ts';
import { Link } from './link.ts';

/** A client of one node. */
export interface Client {
  readonly counters: ClientCounters;
  readonly frequency: ClientFrequency;
  readonly limits: ClientLimits;
  /**
   * Takes no more calls, waits for those that wait, and closes the connection. Calls that are not answered
   * within `timeoutMs` are refused: with `CLOSED`, or with `OUTCOME_UNKNOWN` when they may have been counted.
   *
   * @param options.timeoutMs Default: the client's own.
   */
  close(options?: CallOptions): Promise<void>;
}

/**
 * Creates a client. It connects when something is asked, and again whenever the connection is lost.
 *
 * Unrelated calls of one tick travel in one message, and while messages are on their way calls gather for the
 * next one. Writes carry a request id, under which they are sent again when their answer is lost, so that each
 * counts once.
 *
 * @throws TallystickError `INVALID_CONFIG`, naming the option.
 * @example
 * const client = createClient({ address: '127.0.0.1:7071' })
 * const { value } = await client.counters.add('article:like:42')
 * await client.close()
 */
export function createClient(options: ClientOptions = {}): Client {
  const settings = checkOptions(options);
  const link = new Link(settings);
  const asking = new Asking(link, settings);
  const { counters, stop } = clientCounters(asking);
  return {
    counters,
    frequency: clientFrequency(asking),
    limits: clientLimits(asking),
    close: async ({ timeoutMs } = {}) => {
      await asking.close(Date.now() + (timeoutMs === undefined ? settings.timeoutMs : checkNumber('timeoutMs', timeoutMs)));
      stop();
      link.close();
    },
  };
}
