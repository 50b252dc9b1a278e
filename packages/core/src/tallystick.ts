/** The composition of lanes and counters over a store. */
import type { Counters } from './counters.ts';
import type { CounterOptions } from './model/counter-type.ts';
import type { Store } from './store.ts';

/** Settings of {@link createTallystick}. */
export interface TallystickOptions {
  /** Where the counters live. It is closed with the tallystick. */
  readonly store: Store;
  /**
   * Counter types by key: a whole key, or a beginning followed by `*` (the longest wins).
   *
   * @example { 'article:read:*': { type: 'batched' }, 'article:like:*': { min: 0 } }
   */
  readonly counters?: Readonly<Record<string, CounterOptions>>;
  /** `batched` counters are flushed this often. Default 100 ms; 1 to 60,000. */
  readonly flushEveryMs?: number;
  /** … or as soon as so many adds were absorbed. Default 100,000. */
  readonly flushAfterAdds?: number;
  /** The most callers and distinct keys waiting at one lane; beyond, adds are refused with `OVERLOADED`. Default 1,000,000. */
  readonly maxPending?: number;
  /** Told of what an operator should know: re-sends, gaps, repairs. Default: nobody. */
  readonly onEvent?: (event: TallystickEvent) => void;
}

/** What an operator should know. */
export type TallystickEvent =
  | { readonly type: 'resend'; readonly partition: number; readonly seq: number; readonly attempt: number; readonly error: unknown }
  | { readonly type: 'behind'; readonly partition: number; readonly last: number; readonly resent: number }
  | { readonly type: 'gap'; readonly partition: number; readonly from: number; readonly to: number }
  | { readonly type: 'repaired'; readonly partition: number; readonly key: string };

/** What {@link Tallystick.close} found. */
export interface CloseReport {
  /** Operations whose outcome was not known when the time was up; 0 means that nothing was lost. */
  readonly unsettled: number;
}

/** Counters over one store. */
export interface Tallystick {
  readonly counters: Counters;
  /** Figures for metrics, cheap to read. */
  stats(): TallystickStats;
  /**
   * Takes no more work, flushes everything, waits for the answers, and closes the store.
   * @param options.timeoutMs How long to wait for the store. Default 30,000.
   */
  close(options?: { readonly timeoutMs?: number }): Promise<CloseReport>;
}

/** Running totals since the start, and what is pending now. */
export interface TallystickStats {
  readonly operations: number;
  readonly entries: number;
  readonly batches: number;
  readonly resends: number;
  readonly refused: number;
  readonly repairs: number;
  /** Operations that a store lost and that could not be re-sent any more. */
  readonly lost: number;
  /** Callers waiting for an answer now. */
  readonly waiting: number;
  /** Distinct keys with amounts not flushed yet. */
  readonly unflushed: number;
}

/**
 * Creates counters over a store.
 *
 * @example
 * const tallystick = createTallystick({ store: memoryStore() })
 * const { value } = await tallystick.counters.add('article:like:42') // 1
 * await tallystick.close()
 */
export function createTallystick(options: TallystickOptions): Tallystick {
  throw new Error(`being written ${typeof options}`);
}
