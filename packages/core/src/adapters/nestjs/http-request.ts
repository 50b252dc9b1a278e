/** What a request of either platform has. */
export interface HttpRequest {
  /** Address of the client, as the platform's setting of trusted proxies has it. */
  readonly ip?: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly method: string;
  readonly url: string;
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}
