/**
 * Counters and limits that can prove their count.
 *
 * @packageDocumentation
 */
export { errorTable, TallystickError, type ErrorCode, type ErrorDetail, type ErrorEntry } from './errors.ts';
export { MAX_VALUE } from './model/amount.ts';
export { joinKey, MAX_KEY_BYTES } from './model/key.ts';
export type { Ends } from './model/operation.ts';
export { COUNTER_TYPES, OUTAGE_POLICIES, type CounterOnOutage, type CounterOptions, type CounterType } from './model/counter-type.ts';
export type { Clock } from './model/clock.ts';
export { manualClock, type ManualClock } from './model/manual-clock.ts';
export { memoryStore, type MemoryStoreOptions } from './stores/memory/memory-store.ts';
export {
  createTallystick,
  type CloseReport,
  type Tallystick,
  type TallystickEvent,
  type TallystickOptions,
  type TallystickStats,
} from './tallystick.ts';
export { LATENCY_EDGES_MS, type LatencyStats } from './lanes/latency.ts';
export type { NearStats } from './near/near.ts';
export type { NearOptions } from './near/options.ts';
export type { AddResult } from './model/add-result.ts';
export type { AddItem, AddManyOptions, AddOptions, CounterReading, Counters, GetItem, GetOptions, Refusal } from './counters.ts';
export type { CalendarUnit } from './model/limit.ts';
export type {
  AnyLimit,
  BlockOptions,
  Calendar,
  CalendarLimit,
  ChangeOptions,
  ChangeResult,
  ConcurrencyLimit,
  FixedWindowLimit,
  LimitOptions,
  Limits,
  NamedLimit,
  OnOutage,
  PenaltyOptions,
  RefundOptions,
  Rules,
  SlidingLogLimit,
  SlidingWindowLimit,
  TakeItem,
  TakeOptions,
  TokenBucketLimit,
} from './limits.ts';
export { rateLimitHeaders, rateLimitProblem, type RateLimitHeaders, type RateLimitProblem } from './limits-headers.ts';
export type { Decision } from './model/decision.ts';
export type { Store } from './store.ts';
