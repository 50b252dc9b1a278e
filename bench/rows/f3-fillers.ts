/** What F3 fills: a million counters of either side. */
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createTallystick, memoryStore, type AddOptions } from 'tallystick';
import type { Filler } from '../lib/heap-process.ts';
import { keyOf } from '../lib/keys.ts';

const COUNTERS = 1_000_000;
/** Calls awaited together, so that what waits is little and gone at the end. */
const PIECE = 1000;
const LIFETIME_S = 3600;

async function fill(add: (key: string) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < COUNTERS; from += PIECE) {
    await Promise.all(Array.from({ length: PIECE }, (_, i) => add(keyOf(from + i))));
  }
}

async function ours(options?: AddOptions): Promise<unknown> {
  const tallystick = createTallystick({ store: memoryStore() });
  await fill((key) => tallystick.counters.add(key, 1, options));
  return tallystick;
}

async function theirs(durationS: number): Promise<unknown> {
  const limiter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: durationS });
  await fill((key) => limiter.consume(key));
  return limiter;
}

export const fillers: Readonly<Record<string, Filler>> = {
  oursForever: () => ours(),
  oursExpiring: () => ours({ ttlMs: LIFETIME_S * 1000 }),
  theirsForever: () => theirs(0),
  theirsExpiring: () => theirs(LIFETIME_S),
};
