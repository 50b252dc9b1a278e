/** What an operator should know of a lane. */
export type LaneEvent =
  /** The store did not answer; the batch is sent again. */
  | { readonly type: 'resend'; readonly partition: number; readonly seq: number; readonly attempt: number; readonly error: unknown }
  /** The store had lost this source's batches after `last`; `batches` were sent again. */
  | { readonly type: 'behind'; readonly partition: number; readonly last: number; readonly batches: number }
  /** The store lost the batches `from` to `to`, and they can no longer be sent again. */
  | { readonly type: 'gap'; readonly partition: number; readonly from: number; readonly to: number }
  /** The store is away: a batch has waited so long for its answer. */
  | { readonly type: 'outage'; readonly waitedMs: number }
  /** The store answers again; it was away for so long. */
  | { readonly type: 'recovered'; readonly awayMs: number }
  /** A counter that should expire was found without an expiry, and got one. */
  | { readonly type: 'repaired'; readonly partition: number; readonly key: string }
  /** An amount that was accepted before is not counted, or not known to be; `error` says why. */
  | { readonly type: 'dropped'; readonly key: string; readonly delta: number; readonly error: unknown };
