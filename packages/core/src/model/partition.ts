/**
 * Which partition a key belongs to: FNV-1a (32 bit, Fowler–Noll–Vo) over the UTF-16 code units of the
 * key, modulo the number of partitions. It is part of the data format: changing it would strand counters.
 */
export function partitionOf(key: string, partitions: number): number {
  if (partitions === 1) return 0;
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) {
    hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  }
  // FNV's low bits are weak for short keys; one xor-fold spreads the high ones into them.
  return ((hash ^ (hash >>> 15)) >>> 0) % partitions;
}
