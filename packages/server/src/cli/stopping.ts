/** How a process is told to stop. */

/** What stopping means to a process. */
export interface Stopping {
  /** Begins to stop; later calls have no effect. */
  readonly begin: (signal: string) => void;
  /** Ends at once, and says what that costs. */
  readonly atOnce: () => void;
}

/** How much longer than `drainTimeoutMs` the closing of the store itself may take. */
export const CLOSE_GRACE_MS = 5000;

/** `begin`, which is called once. */
export function stoppingOnce(begin: (signal: string) => void, atOnce: () => void): Stopping {
  let stopping = false;
  return {
    begin: (signal) => {
      if (!stopping) begin(signal);
      stopping = true;
    },
    atOnce,
  };
}

/** The first signal begins, a second one ends at once. */
export function stopBySignals({ begin, atOnce }: Stopping): void {
  let signals = 0;
  const onSignal = (signal: string): void => {
    if (++signals > 1) atOnce();
    else begin(signal);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, onSignal);
}
