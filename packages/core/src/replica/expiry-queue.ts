/**
 * Which ids may have expired: ids in buckets of one second, swept in bounded steps. It costs one reference
 * an id, no timer; an id whose expiry moved is looked at again in a later bucket.
 */
const BUCKET_MS = 1000;

export class ExpiryQueue {
  /** By bucket number. */
  readonly #buckets = new Map<number, string[]>();
  /** No bucket before this number has entries. */
  #first = Infinity;

  get isEmpty(): boolean {
    return this.#buckets.size === 0;
  }

  add(id: string, expiresAtMs: number): void {
    const bucket = Math.floor(expiresAtMs / BUCKET_MS) + 1;
    const ids = this.#buckets.get(bucket);
    if (ids === undefined) this.#buckets.set(bucket, [id]);
    else ids.push(id);
    if (bucket < this.#first) this.#first = bucket;
  }

  /**
   * Takes out at most `limit` ids whose time has passed and hands each to `drop`, which returns when it
   * expires after all, or undefined when it is gone. Returns how many were looked at.
   */
  sweep(nowMs: number, limit: number, drop: (id: string) => number | undefined): number {
    let looked = 0;
    const due = Math.floor(nowMs / BUCKET_MS);
    while (looked < limit && this.#first <= due) {
      const ids = this.#buckets.get(this.#first);
      const id = ids?.pop();
      if (id === undefined) {
        this.#buckets.delete(this.#first);
        this.#next();
        continue;
      }
      looked++;
      const later = drop(id);
      if (later !== undefined) this.add(id, later);
    }
    return looked;
  }

  /** Goes to the next bucket there is. A gap longer than there are buckets is leapt, not walked. */
  #next(): void {
    for (let tries = this.#buckets.size; tries > 0; tries--) {
      if (this.#buckets.has(++this.#first)) return;
    }
    this.#first = Infinity;
    for (const bucket of this.#buckets.keys()) this.#first = Math.min(this.#first, bucket);
  }
}
