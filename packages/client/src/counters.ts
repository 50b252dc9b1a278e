/** Counters of a node, as an application holds them. */
import type { AddItem, AddOptions, AddResult, CounterReading, GetItem, GetOptions, Refusal } from 'tallystick';
import { AddStream } from './add-stream.ts';
import { reads, writes, type Asking } from './asking.ts';
import { checked, checkedEach } from './check.ts';
import type { AddRequest, BatchAddRequest, GetRequest } from './wire/index.ts';
import { countersService } from './wire/index.ts';

/** Options of a call. */
export interface CallOptions {
  /** Milliseconds this call waits. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number;
}

/** Options of a call of many writes. */
export interface BatchCallOptions extends CallOptions {
  /** Makes repeating the whole call, unchanged, harmless. Default: one of the client's own. */
  readonly requestId?: string;
  /** As {@link AddOptions.requestTtlMs}, for that `requestId`. */
  readonly requestTtlMs?: number;
}

/** The counters of a node: as in the library, with the same results and errors. */
export interface ClientCounters {
  /**
   * Adds `delta` (default 1). Calls of one tick travel in one message.
   *
   * When no answer comes in time: refused with `TIMEOUT` if nothing was sent, and with `OUTCOME_UNKNOWN` if
   * it may have been counted. Repeating it with the same `requestId` is then safe.
   *
   * @throws TallystickError (as a rejection) when refused.
   * @example const { value } = await client.counters.add('article:like:42')
   */
  add(key: string, delta?: number, options?: AddOptions): Promise<AddResult>;
  /** Reads one counter. Calls of one tick travel in one message. */
  get(key: string, options?: GetOptions & CallOptions): Promise<CounterReading>;
  /** Adds many in one call: one bad item refuses them all, naming its index. */
  addMany(items: readonly Omit<AddItem, 'timeoutMs'>[], options?: BatchCallOptions): Promise<readonly (AddResult | Refusal)[]>;
  /** Reads many in one call, in order. */
  getMany(items: readonly (string | GetItem)[], options?: CallOptions): Promise<readonly CounterReading[]>;
}

const itemOf = (item: string | GetItem): GetItem => (typeof item === 'string' ? { key: item } : item);

/** Makes the counters, and what ends their stream. */
export function clientCounters(asking: Asking): { readonly counters: ClientCounters; readonly stop: () => void } {
  const { link, settings, request } = asking;
  const stream = new AddStream(link);
  const ofItem = writes<AddRequest | BatchAddRequest>((item) => item.requestId);
  const adds = asking.coalesced(stream.send, ofItem);
  const batches = asking.alone(countersService.BatchAdd, ofItem);
  const gets = asking.coalesced<GetRequest, CounterReading>(
    (calls, deadlineMs) => {
      const items = calls.map(({ item }) => item);
      return link.call(countersService.BatchGet, items, deadlineMs) as Promise<readonly CounterReading[]>;
    },
    reads,
  );
  const getBatches = asking.alone(countersService.BatchGet, reads);
  const counters: ClientCounters = {
    add: async (key, delta, options = {}) => {
      const { timeoutMs = settings.timeoutMs, ...item } = checked('add', { ...options, key, delta });
      return adds.call({ ...item, ...request(item, timeoutMs) }, timeoutMs);
    },
    get: async (key, options = {}) => {
      const { timeoutMs = settings.timeoutMs, ...item } = checked('get', { ...options, key });
      return gets.call(item, timeoutMs);
    },
    addMany: async (items, options = {}) => {
      const { timeoutMs = settings.timeoutMs, ...given } = checked('batchCall', options);
      return batches.call({ items: checkedEach('addItem', 'items', items), ...request(given, timeoutMs) }, timeoutMs);
    },
    getMany: async (items, options = {}) => {
      const { timeoutMs = settings.timeoutMs } = checked('call', options);
      const list = checkedEach('getItem', 'items', Array.isArray(items) ? items.map(itemOf) : (items as []));
      return getBatches.call(list, timeoutMs) as Promise<readonly CounterReading[]>;
    },
  };
  return { counters, stop: () => stream.close() };
}
