/** How long to wait before trying again: doubled at each attempt, with full jitter in the upper half. */
const FIRST_MS = 20;
const MOST_MS = 5000;

/** Delay before attempt `attempt` + 1 (1, 2, 3 …) in milliseconds. `random` gives numbers in [0, 1). */
export function backoffMs(attempt: number, random: () => number): number {
  const ceiling = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 20));
  return ceiling / 2 + (random() * ceiling) / 2;
}
