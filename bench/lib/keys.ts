/** Keys and the order they are asked for in: the same for both sides, made before the clock starts. */

/** A string as one that came off a wire: flat, with memory of its own. */
const flat = (text: string): string => Buffer.from(text, 'latin1').toString('latin1');

/** Key number `i`: 20 bytes. */
export const keyOf = (i: number): string => flat(`article:like:${1_000_000 + i}`);

export const keysOf = (count: number): string[] => Array.from({ length: count }, (_, i) => keyOf(i));

/** Picks go round in an order whose length is a power of two, so that number `i` is at `i & (length - 1)`. */
const ORDER_LENGTH = 1 << 20;

/** Uniform picks out of `keys`, from a seeded generator (mulberry32). */
export function uniformOrder(keys: readonly string[], seed = 1): string[] {
  let state = seed;
  return Array.from({ length: ORDER_LENGTH }, () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    const share = ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    return keys[Math.floor(share * keys.length)] as string;
  });
}
