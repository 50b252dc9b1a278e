/** What every use case is given. */
import { type CounterType, type Counters, TallystickError } from 'tallystick';
import type { Figures } from './figures.ts';

/** What a transport knows about a call beside the request. */
export interface Call {
  /** Milliseconds the caller will still wait. Default and maximum: the node's `requestTimeoutMs`. */
  readonly timeoutMs?: number;
}

/** What every use case is given. */
export interface Context {
  readonly counters: Counters;
  readonly figures: Figures;
  readonly requestTimeoutMs: number;
  readonly maxBatchItems: number;
  /** The type declared for a key. */
  readonly typeOfKey: (key: string) => CounterType;
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
 * Waits for a read at most `timeoutMs`. (An add brings its own deadline to the lane, which knows whether it
 * is on its way; giving up on a read changes nothing.)
 *
 * @throws TallystickError `TIMEOUT`.
 */
export function within<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new TallystickError('TIMEOUT', `the store did not answer within ${timeoutMs} ms`));
    }, timeoutMs);
    const value = (read: Value): void => {
      clearTimeout(timer);
      resolve(read);
    };
    const fault = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
    };
    work.then(value, fault);
  });
}
