/** What is counted while servers fail: counters of several types, and plain keys for the control run beside them. */
import type { CounterOptions } from 'tallystick';

/** One counter. */
interface Subject {
  readonly key: string;
  readonly options: CounterOptions;
}

const HOUR_MS = 3_600_000;

/** Lifetimes and windows outlast every scenario, so that all that was counted is still there at its end. */
export const SUBJECTS: readonly Subject[] = [
  ...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ key: `plain:${name}`, options: {} })),
  { key: 'living', options: { ttlMs: HOUR_MS } },
  { key: 'bounded', options: { min: 0 } },
  { key: 'log', options: { type: 'sliding-log', windowMs: HOUR_MS } },
  { key: 'window', options: { type: 'sliding-window', windowMs: HOUR_MS } },
  { key: 'sharded', options: { type: 'sharded', shards: 8 } },
];

/** Keys of the control run. */
export const CONTROLS: readonly string[] = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `control:${name}`);

/** Partitions of the data: several, and few enough that each is busy. */
export const PARTITIONS = 4;

/** The prefix of the data. */
export const PREFIX = 'account';
