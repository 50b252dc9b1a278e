/** The port to the outbox: where a relay takes records from, and where relays share the work. */

/** The oldest records of a partition. */
export interface OutboxPage {
  /** Records the partition holds in all. */
  readonly length: number;
  /** Age of the first in milliseconds; 0 where there is none. */
  readonly oldestAgeMs: number;
  /** The first records, in their order. */
  readonly records: readonly Uint8Array[];
  /** Names the last of `records`; empty where there is none. */
  readonly lastId: string;
  /** Whether the partition has data; if not, the store is new, or has lost them. */
  readonly hasData: boolean;
}

/** What a page may hold; bytes may be passed by a few records. */
export interface PageLimits {
  readonly records: number;
  readonly bytes: number;
}

/** The port. A rejection says nothing about what was done. */
export interface Outbox {
  readonly partitions: number;
  /** The oldest records of a partition: always from its head, so that nothing is passed over. */
  read(partition: number, limits: PageLimits): Promise<OutboxPage>;
  /** Removes the records of a page, and MUST NOT remove any other, even if the data was another one when they were read. */
  trim(partition: number, page: OutboxPage): Promise<boolean>;
  /** Takes or keeps the lease of a partition for `ttlMs`, or gives it up with 0; returns whether `token` has it now. */
  lease(partition: number, token: string, ttlMs: number): Promise<boolean>;
  /** Writes down that relay `name` is alive for `ttlMs`, or leaves with 0; returns who is alive. */
  relays(name: string, ttlMs: number): Promise<readonly string[]>;
}
