/** What is counted in a drill: counters of every kind that adds up, by class. */
import type { CounterOptions } from 'tallystick';

/** One counter. */
export interface Subject {
  readonly key: string;
  /** Under which name it stands in the account. */
  readonly keyClass: string;
  readonly options: CounterOptions;
  /** Whether the log carries it to the ledger: what expires and windows live in Redis alone. */
  readonly isInLedger: boolean;
}

/** Lifetimes and windows outlast a drill, so that all that was counted is still there at its end. */
const HOUR_MS = 3_600_000;

const plain = ['a', 'b', 'c', 'd', 'e', 'f'].map((name): Subject => ({ key: `plain:${name}`, keyClass: 'plain', options: {}, isInLedger: true }));

/** All of them. */
export const SUBJECTS: readonly Subject[] = [
  ...plain,
  { key: 'bounded', keyClass: 'bounded', options: { min: 0 }, isInLedger: true },
  { key: 'sharded', keyClass: 'sharded', options: { type: 'sharded', shards: 8 }, isInLedger: true },
  { key: 'expiring', keyClass: 'expiring', options: { ttlMs: HOUR_MS }, isInLedger: false },
  { key: 'log', keyClass: 'sliding-log', options: { type: 'sliding-log', windowMs: HOUR_MS }, isInLedger: false },
  { key: 'window', keyClass: 'sliding-window', options: { type: 'sliding-window', windowMs: HOUR_MS }, isInLedger: false },
];

/** Partitions of the data: several, and few enough that each is busy. */
export const PARTITIONS = 4;
