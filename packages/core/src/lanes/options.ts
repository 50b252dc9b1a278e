import type { Store } from '../store.ts';
import type { Breaker } from './breaker.ts';
import type { Environment } from './environment.ts';
import type { LaneEvent } from './events.ts';
import type { Latency } from './latency.ts';
import type { ResendBounds } from './resend-window.ts';

/** Settings of a lane. */
export interface LaneOptions {
  readonly store: Store;
  readonly partition: number;
  readonly environment: Environment;
  /** Callers that may wait at this lane. */
  readonly maxPending: number;
  /** Batches in flight. Default and most: `WINDOW`. */
  readonly window?: number;
  readonly resend?: ResendBounds;
  /** How often an idle lane asks a store that may lose batches whether it has. Default 1,000. */
  readonly probeEveryMs?: number;
  readonly onEvent: (event: LaneEvent) => void;
  /** Told of what is sent and answered, to see that the store is away. */
  readonly breaker?: Breaker;
  /** Told how long each batch took to be answered. */
  readonly latency?: Latency;
  /** Told when the store was found closed, after everybody who waited was told. */
  readonly onStoreClosed?: () => void;
}
