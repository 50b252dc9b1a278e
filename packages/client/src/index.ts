/**
 * A typed client of a Tallystick node, over gRPC.
 *
 * @packageDocumentation
 */
export { createClient, type Client } from './client.ts';
export type { BatchCallOptions, CallOptions, ClientCounters } from './counters.ts';
export type { BatchFrequencyOptions, ClientFrequency, Frequency, FrequencyAdd, FrequencyAdded, FrequencyKey } from './frequency.ts';
export type { ClientLimits } from './limits.ts';
export type { ClientOptions } from './options.ts';
export {
  errorTable,
  TallystickError,
  type AddItem,
  type AddOptions,
  type AddResult,
  type ChangeResult,
  type CounterReading,
  type Counters,
  type Decision,
  type ErrorCode,
  type GetItem,
  type GetOptions,
  type NamedLimit,
  type Refusal,
  type Rules,
} from 'tallystick';
