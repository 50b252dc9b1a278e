/** What a lane takes from the world outside, so that a simulator can stand in for it. */
export interface Environment {
  /** Milliseconds that only ever rise; their origin does not matter. */
  readonly nowMs: () => number;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  /** A fresh identity of a source: never given twice. */
  readonly newSource: () => string;
  /** Calls back once after at least `delayMs`. Returns how to call it off. */
  readonly after: (delayMs: number, callback: () => void) => () => void;
  /** Calls back after what is running now, before anything else gets its turn. */
  readonly soon: (callback: () => void) => void;
  /** Calls back when what has arrived by now has been looked at. */
  readonly later: (callback: () => void) => void;
}
