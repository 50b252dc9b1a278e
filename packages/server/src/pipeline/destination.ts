/** The port between two stages of the pipeline: relay → Kafka, Kafka → sink, relay → sink. */

/** Where records of the log go. */
export interface Destination {
  /**
   * Takes records of one partition, in their order; resolves when they are as safe as the destination promises.
   * A rejection says nothing about what became of them: the caller delivers the same again, from the first that
   * was not acknowledged.
   *
   * @param records As `encodeRecord` writes them.
   */
  deliver(partition: number, records: readonly Uint8Array[]): Promise<void>;
  /** Gives up what was not acknowledged, and releases everything. Safe to call twice. */
  close(): Promise<void>;
}
