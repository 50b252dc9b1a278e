/**
 * Callers: loops in one process that each wait for the answer to one call before making the next. The same
 * loop drives both sides. Every 64th caller keeps the time of its calls; the others cost only the loop.
 */
import type { Latency } from './row.ts';

/** A load of `calls` calls by `callers` callers at once. */
export interface Load {
  readonly callers: number;
  readonly calls: number;
  /** Makes call number `i`, counted from 0 in the order of calling. */
  readonly call: (i: number) => Promise<unknown>;
}

const TIMED_CALLERS_EVERY = 64;

/** Runs a load to its end and tells what the timed callers saw. */
export async function runCallers({ callers, calls, call }: Load): Promise<Latency> {
  const shared = { next: 0 };
  const timesMs: number[] = [];
  const plain = async (): Promise<void> => {
    while (shared.next < calls) await call(shared.next++);
  };
  const timing = async (): Promise<void> => {
    while (shared.next < calls) {
      const beganMs = performance.now();
      await call(shared.next++);
      timesMs.push(performance.now() - beganMs);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, i) => (i % TIMED_CALLERS_EVERY === 0 ? timing() : plain())));
  return latencyOf(timesMs);
}

/** Percentiles of some times. */
export function latencyOf(timesMs: readonly number[]): Latency {
  const sorted = Float64Array.from(timesMs).sort();
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99), p999Ms: at(0.999) };
}
