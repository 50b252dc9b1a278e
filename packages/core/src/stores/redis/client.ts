/** As much of a Redis client as the store uses. node-redis has it; others can be given it: see `clients.ts`. */

/** What a command is sent with. */
export interface SendOptions {
  /** By RESP type: which class its replies have. Bulk strings (36, `$`) come as buffers. */
  readonly typeMapping: { readonly 36: typeof Buffer };
}

/**
 * A connected client of node-redis 5 or 6 (`createClient`), or what {@link fromSentinel}, {@link fromCluster} and
 * {@link fromIoredis} make of others. The store never connects or closes it.
 */
export interface RedisClient {
  /** Whether commands are sent at once. While it is false, the store answers `STORE_UNAVAILABLE` at once. */
  readonly isReady: boolean;
  /** Whether a command may only name keys of one slot, as on a Cluster. Default false. */
  readonly isCluster?: boolean;
  /** @param firstKey The first key of the command, for clients that send by key. */
  sendCommand(args: readonly (string | Buffer)[], options?: SendOptions, firstKey?: string): Promise<unknown>;
}
