/** Starting while servers may be away. */
import { setTimeout as pause } from 'node:timers/promises';

const BETWEEN_MS = 50;
const WITHIN_MS = 60_000;

/** Tries again until it succeeds, for a minute. */
export async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + WITHIN_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > untilMs) throw error;
      await pause(BETWEEN_MS);
    }
  }
}

/** A log of nobody: faults are what a drill is about. */
export const silentLog = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
