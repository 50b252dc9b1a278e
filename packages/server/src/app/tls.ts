/** What both transports need to be private. */
export interface Tls {
  /** Certificate chain, PEM. */
  readonly cert: Buffer;
  /** Its private key, PEM. */
  readonly key: Buffer;
  /** Who signs the certificates of clients, PEM; with it a client without one is turned away. */
  readonly clientCa?: Buffer;
}
