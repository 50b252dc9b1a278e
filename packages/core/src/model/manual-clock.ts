import type { Clock } from './clock.ts';

/** A clock that stands until it is moved. Give it to a store as its `clock`. */
export interface ManualClock extends Clock {
  /** Moves the clock on; a negative `byMs` sets it back. */
  advance(byMs: number): void;
  /** Sets the clock, forward or back, to `nowMs` since the epoch. */
  set(nowMs: number): void;
}

/**
 * Creates a clock that stands at `nowMs` since the epoch; by default some moment of 2023.
 *
 * @example
 * const clock = manualClock()
 * const store = memoryStore({ clock })
 * clock.advance(60_000)
 */
export function manualClock(nowMs = 1_700_000_000_000): ManualClock {
  let standsAt = nowMs;
  return Object.assign(() => standsAt, {
    advance: (byMs: number) => {
      standsAt += byMs;
    },
    set: (toMs: number) => {
      standsAt = toMs;
    },
  });
}
