/** What every use case is given. */
import { type CounterType, type Counters, type Limits, TallystickError } from 'tallystick';
import type { Businesses } from './businesses.ts';
import { within } from './within.ts';
import type { Figures } from './figures.ts';
import type { Peer } from './guard/client-address.ts';
import type { Guard } from './guard/guard.ts';

/** What a transport knows about a call beside the request. */
export interface Call {
  /** Milliseconds the caller will still wait. Default and maximum: the node's `requestTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Where it comes from. */
  readonly peer?: () => Peer;
}

/** What every use case is given. */
export interface Context {
  readonly counters: Counters;
  readonly limits: Limits;
  /** What businesses of frequency control have chosen. */
  readonly businesses: Businesses;
  /** Before likes; undefined when it is off. */
  readonly guard: Guard | undefined;
  readonly figures: Figures;
  readonly requestTimeoutMs: number;
  readonly maxBatchItems: number;
  /** Partitions whose store does not answer now. */
  readonly partitionsAway: () => number;
  /** The type declared for a key. */
  readonly typeOfKey: (key: string) => CounterType;
  /** Whether a rule of that name is declared. */
  readonly isDeclaredLimit: (rule: string) => boolean;
}

/**
 * How long a call may take.
 *
 * @throws TallystickError `TIMEOUT` when the caller's time is over already.
 */
export function timeoutOf(context: Context, call: Call | undefined): number {
  const timeoutMs = call?.timeoutMs;
  if (timeoutMs === undefined) return context.requestTimeoutMs;
  if (timeoutMs <= 0) throw new TallystickError('TIMEOUT', 'the deadline had passed when the call arrived; nothing was done');
  return Math.min(Math.ceil(timeoutMs), context.requestTimeoutMs);
}

/**
 * The answer of a read, if it comes within the call's time. The store itself sees to the usual one.
 *
 * @throws TallystickError `TIMEOUT`.
 */
export function inTime<Value>(context: Context, call: Call | undefined, read: () => Promise<Value>): Promise<Value> {
  const timeoutMs = timeoutOf(context, call);
  return timeoutMs === context.requestTimeoutMs ? read() : within(read(), timeoutMs);
}
