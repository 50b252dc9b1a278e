/** Keys and the order they are asked for in: the same for both sides, made before the clock starts. */

/** A string as one that came off a wire: flat, with memory of its own. */
const flat = (text: string): string => Buffer.from(text, 'latin1').toString('latin1');

/** Key number `i`: 20 bytes. */
export const keyOf = (i: number): string => flat(`article:like:${1_000_000 + i}`);

export const keysOf = (count: number): string[] => Array.from({ length: count }, (_, i) => keyOf(i));

/** Picks go round in an order whose length is a power of two, so that number `i` is at `i & (length - 1)`. */
const ORDER_LENGTH = 1 << 20;

/** Numbers in [0, 1), from a seeded generator (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Uniform picks out of `keys`. */
export function uniformOrder(keys: readonly string[], seed = 1): string[] {
  const next = seeded(seed);
  return Array.from({ length: ORDER_LENGTH }, () => keys[Math.floor(next() * keys.length)] as string);
}

/** Picks out of `keys` by Zipf's law with exponent 1: key number i as often as 1 / (i + 1). */
export function zipfOrder(keys: readonly string[], seed = 1): string[] {
  const next = seeded(seed);
  let sum = 0;
  const sums = Float64Array.from(keys, (_, i) => (sum += 1 / (i + 1)));
  return Array.from({ length: ORDER_LENGTH }, () => keys[rankOf(next() * sum, sums)] as string);
}

/** The first place whose sum is above `share`. */
function rankOf(share: number, sums: Float64Array): number {
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] as number) > share) high = middle;
    else low = middle + 1;
  }
  return low;
}
