/** As much of a Redis client as the store uses. node-redis has it; others can be given it. */

/** What a command is sent with. */
export interface SendOptions {
  /** By RESP type: which class its replies have. Bulk strings (36, `$`) come as buffers. */
  readonly typeMapping: { readonly 36: typeof Buffer };
}

/** A connected client of node-redis 5 or 6. The store never connects or closes it. */
export interface RedisClient {
  /** Whether commands are sent at once. While it is false, the store answers `STORE_UNAVAILABLE` at once. */
  readonly isReady: boolean;
  sendCommand(args: readonly (string | Buffer)[], options?: SendOptions): Promise<unknown>;
}
