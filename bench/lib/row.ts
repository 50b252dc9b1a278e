/**
 * The words of the benchmarks. A *row* is one line of the table of floors; it has one or more *contests*,
 * each with its own id, rival and floor (`F1a`, `F1b`). A contest runs in a process of its own, rival and
 * ours taking turns.
 */

/** Time one operation took, as its caller saw it. */
export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
}

/** What one turn of one side came to. */
export interface Turn {
  /** The figure that is compared, in the unit of the contest. */
  readonly figure: number;
  /** CPU of the process that does the work, user and system, per operation. */
  readonly cpuUsPerOperation?: number;
  readonly latency?: Latency;
}

/** What a side is: it is set up once, takes its turns and is put away. */
export interface Side {
  readonly turn: () => Promise<Turn>;
  /** Checks that the account balances, where there is one, and gives everything back. */
  readonly close?: () => Promise<void> | void;
}

/** One comparison. */
export interface Contest {
  readonly id: string;
  readonly what: string;
  readonly rival: string;
  readonly unit: 'ops/s' | 'items/s' | 'bytes' | 'ms' | 'µs';
  /** `at least`: ours ÷ rival's must reach it. `at most`: it must not pass it. */
  readonly bound: 'at least' | 'at most';
  readonly floor: number;
  /** Turns of each side that count. Default 7. */
  readonly rounds?: number;
  /** Turns start in a fresh process anyway, so that none is needed to warm up. */
  readonly cold?: boolean;
  readonly ours: () => Promise<Side> | Side;
  readonly theirs: () => Promise<Side> | Side;
}

/** One line of the table of floors. */
export interface Row {
  readonly id: string;
  readonly contests: readonly Contest[];
}
