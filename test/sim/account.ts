/** What a sum may be when some of its parts are in doubt. */
export interface Account {
  /** What is known to count. */
  certain: number;
  /** Amounts that count as a whole or not at all. */
  readonly optional: number[];
  /** What bounded amounts in doubt may come to, together. */
  least: number;
  most: number;
}

/** Sums beyond this many are not told apart any more. */
const MOST_SUMS = 20_000;

/** Whether the parts of an account can come to `sum`. */
export function isPossible(sum: number, { certain, optional, least, most }: Account): boolean {
  const { down, up } = extremes(optional);
  if (sum < certain + least + down || sum > certain + most + up) return false;
  if (least !== 0 || most !== 0) return true;
  let sums = new Set([certain]);
  for (const amount of optional) {
    sums = new Set([...sums, ...Array.from(sums, (before) => before + amount)]);
    if (sums.size > MOST_SUMS) return true;
  }
  return sums.has(sum);
}

/** The least and the most that amounts come to when each counts or not. */
export function extremes(amounts: readonly number[]): { down: number; up: number } {
  let down = 0;
  let up = 0;
  for (const amount of amounts) {
    if (amount < 0) down += amount;
    else up += amount;
  }
  return { down, up };
}
