/** Whether this node can serve. */
import { joinKey } from 'tallystick';
import type { Context } from './context.ts';
import { within } from './within.ts';

/** Whether calls would be served now, and if not why. */
export interface Readiness {
  readonly ready: boolean;
  readonly reason?: string;
  /** Partitions whose store does not answer, where there are any: what is added there is kept or refused, by its counter's policy. */
  readonly partitionsAway?: number;
}

/** A counter that nobody adds to. */
const PROBE_KEY = joinKey('tallystick', 'ready');
const PROBE_TIMEOUT_MS = 1000;

/** Asks the store for one counter, and no copy of it. Never throws. */
export async function readiness({ counters, partitionsAway }: Context): Promise<Readiness> {
  const away = partitionsAway();
  const more = away > 0 ? { partitionsAway: away } : {};
  try {
    await within(counters.get(PROBE_KEY, { maxAgeMs: 0 }), PROBE_TIMEOUT_MS);
    return { ready: true, ...more };
  } catch (error) {
    return { ready: false, reason: error instanceof Error ? error.message : String(error), ...more };
  }
}
