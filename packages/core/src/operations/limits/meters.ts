/** The table of limit algorithms: a new one is one file and one line here (and in `LimitRule`). */
import type { LimitRule } from '../../model/limit.ts';
import { calendar } from './calendar.ts';
import { concurrency } from './concurrency.ts';
import { fixedWindow } from './fixed-window.ts';
import type { Meter } from './meter.ts';
import { slidingLog } from './sliding-log.ts';
import { slidingWindow } from './sliding-window.ts';
import { tokenBucket } from './token-bucket.ts';

/** State of some algorithm, known only to its meter. */
export type MeterState = object;

const meters = {
  'fixed-window': fixedWindow,
  'sliding-window': slidingWindow,
  'sliding-log': slidingLog,
  'token-bucket': tokenBucket,
  concurrency,
  calendar,
} satisfies Record<LimitRule['algorithm'], unknown> as unknown as Record<LimitRule['algorithm'], Meter<LimitRule, MeterState>>;

/** The meter of a rule. */
export const meterOf = ({ algorithm }: LimitRule): Meter<LimitRule, MeterState> => meters[algorithm];
