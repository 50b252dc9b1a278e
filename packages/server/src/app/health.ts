/** Whether this node can serve. */
import { joinKey } from 'tallystick';
import type { Context } from './context.ts';
import { within } from './within.ts';

/** Whether calls would be served now, and if not why. */
export interface Readiness {
  readonly ready: boolean;
  readonly reason?: string;
}

/** A counter that nobody adds to. */
const PROBE_KEY = joinKey('tallystick', 'ready');
const PROBE_TIMEOUT_MS = 1000;

/** Asks the store for one counter. Never throws. */
export async function readiness({ counters }: Context): Promise<Readiness> {
  try {
    await within(counters.get(PROBE_KEY), PROBE_TIMEOUT_MS);
    return { ready: true };
  } catch (error) {
    return { ready: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
