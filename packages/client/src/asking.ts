/** What both services' callers share: the link, the settings, request ids, and a coalescer for each kind of call. */
import { randomBytes } from 'node:crypto';
import { TallystickError } from 'tallystick';
import { Coalescer, type Send } from './coalescer.ts';
import type { Link } from './link.ts';
import type { Settings } from './options.ts';
import type { Method } from './wire/index.ts';

/** Calls of many items are one message each, and so many may be on their way at once. */
const MANY_IN_FLIGHT = 16;

type Repeatable<Item> = Pick<ConstructorParameters<typeof Coalescer<Item, unknown>>[1], 'repeatable' | 'unknown'>;

/** Makes coalescers, and closes them together. */
export class Asking {
  readonly link: Link;
  readonly settings: Settings;
  readonly #coalescers: { close(byMs: number): Promise<void> }[] = [];
  readonly #clientId = randomBytes(9).toString('base64url');
  #lastRequest = 0;

  constructor(link: Link, settings: Settings) {
    this.link = link;
    this.settings = settings;
  }

  /** For unrelated calls, which may share a message. */
  readonly coalesced = <Item, Result>(send: Send<Item, Result>, kind: Repeatable<Item>): Coalescer<Item, Result> => {
    const { maxBatchItems, maxInFlight, maxPending } = this.settings;
    return this.#added(new Coalescer(send, { ...kind, ...this.#way, indexed: true, maxBatchItems, maxInFlight, maxPending }));
  };

  /** For calls that are a message each: `method` is called with what is asked for, as it is. */
  readonly alone = <Request, Reply>(method: Method<Request, unknown, Reply>, kind: Repeatable<Request>): Coalescer<Request, Reply> => {
    const send: Send<Request, Reply> = (calls, deadlineMs) =>
      Promise.all(calls.map(({ item }) => this.link.call(method, item, deadlineMs)));
    const { maxPending } = this.settings;
    const limits = { maxBatchItems: 1, maxInFlight: MANY_IN_FLIGHT, maxPending };
    return this.#added(new Coalescer(send, { ...kind, ...this.#way, indexed: false, ...limits }));
  };

  /** The caller's request id as it came, else one of our own where writes are sent again. */
  readonly request = (given: Request, timeoutMs: number): Request => {
    const { requestId, requestTtlMs } = given;
    if (requestId !== undefined || requestTtlMs !== undefined || !this.settings.retryWrites) return { requestId, requestTtlMs };
    return { requestId: `${this.#clientId}.${(++this.#lastRequest).toString(36)}`, requestTtlMs: requestTtlMsOf(timeoutMs) };
  };

  /** Settles every call by `byMs`. */
  async close(byMs: number): Promise<void> {
    await Promise.all(this.#coalescers.map((coalescer) => coalescer.close(byMs)));
  }

  readonly #way = {
    ready: (deadlineMs: number): Promise<void> | undefined => this.link.ready(deadlineMs),
    where: (): string => this.link.where,
  };

  #added<Item, Result>(coalescer: Coalescer<Item, Result>): Coalescer<Item, Result> {
    this.#coalescers.push(coalescer);
    return coalescer;
  }
}

/** What makes a write repeatable. */
interface Request {
  readonly requestId?: string | undefined;
  readonly requestTtlMs?: number | undefined;
}

/**
 * How long the server remembers an id of our own: we stop asking after `timeoutMs`; what was asked may then
 * still wait in the server for a store that is away.
 */
const requestTtlMsOf = (timeoutMs: number): number => Math.max(600_000, 6 * timeoutMs);

/** A read, which may be asked for any number of times. */
export const reads: Repeatable<unknown> = {
  repeatable: () => true,
  unknown: (_item, where) => new TallystickError('TIMEOUT', `${where}: the server did not answer in time`),
};

/** Writes, which may be sent again under their request id. */
export function writes<Item>(requestIdOf: (item: Item) => string | undefined): Repeatable<Item> {
  return {
    repeatable: (item) => requestIdOf(item) !== undefined,
    unknown: (item, where) => {
      const id = requestIdOf(item);
      const advice = id === undefined ? '' : `; asking again with requestId ${JSON.stringify(id)}, while the server remembers it, counts nothing twice`;
      return new TallystickError('OUTCOME_UNKNOWN', `${where}: the server did not answer in time; it may have been counted${advice}`);
    },
  };
}
