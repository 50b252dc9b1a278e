/**
 * F3: memory of a counter, a million keys of 20 bytes, without expiry (F3a) and with one (F3b).
 *
 * Each side fills a fresh process through its public calls and keeps nothing but the limiter or the
 * tallystick; what is counted is what the collector cannot take: the keys themselves, the values, the index,
 * and the memory beside V8's heap. The keys are flat strings with memory of their own, as from a wire. The
 * rival is rate-limiter-flexible's memory limiter, which with an expiry keeps a timer for each key.
 */
import { heapSide } from '../lib/heap.ts';
import type { Contest, Row } from '../lib/row.ts';

const COUNTERS = 1_000_000;
const FILLERS = new URL('f3-fillers.ts', import.meta.url).href;

function contest(id: string, what: string, floor: number, [ours, theirs]: readonly [string, string]): Contest {
  return {
    id,
    what: `bytes of a counter, 1 M keys of 20 bytes, ${what}`,
    rival: `rate-limiter-flexible, memory, ${what}`,
    unit: 'bytes',
    bound: 'at most',
    floor,
    rounds: 5,
    cold: true,
    ours: () => heapSide(FILLERS, ours, COUNTERS),
    theirs: () => heapSide(FILLERS, theirs, COUNTERS),
  };
}

export const row: Row = {
  id: 'F3',
  contests: [
    contest('F3a', 'no expiry', 0.6, ['oursForever', 'theirsForever']),
    contest('F3b', 'with expiry', 0.4, ['oursExpiring', 'theirsExpiring']),
  ],
};
