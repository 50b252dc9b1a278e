/** What the store and its worker say to each other. Both directions are answered in order. */
import type { Answer } from '../../model/answer.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Cell } from '../../replica/cell.ts';
import type { LogRecord } from './record.ts';

/** How much may gather before it is written to the tables of counters. */
export interface FoldingLimits {
  /** Counters changed. */
  readonly maxCells: number;
  /** Bytes of log. */
  readonly maxLogBytes: number;
}

/** What a worker is started with. */
export interface WorkerSettings {
  /** Absolute. */
  readonly path: string;
  readonly partitions: number;
  readonly requestRetentionMs: number;
  readonly nowMs: number;
  readonly folding: FoldingLimits;
  /** Upper bound on the size of the database, in pages; for tests. */
  readonly maxPages?: number | undefined;
}

/** Ids of cells: keys of counts, and ids of all other cells. */
export interface CellIds {
  readonly counts: readonly string[];
  readonly cells: readonly string[];
}

/** To the worker. */
export type Request =
  | { readonly type: 'commit'; readonly record: LogRecord }
  | ({ readonly type: 'load' } & CellIds)
  /** Time passes: what has expired can go, and idle time is for folding. */
  | { readonly type: 'tick'; readonly nowMs: number }
  | { readonly type: 'close'; readonly nowMs: number };

/** The remembered answer to a batch. */
export interface RememberedAnswer {
  readonly partition: number;
  readonly source: string;
  readonly seq: number;
  readonly answer: Answer;
}

/** What was found on disk at open. */
export interface Opened {
  readonly type: 'opened';
  /** Of the last batch. */
  readonly position: number;
  /** The latest time known to the data. */
  readonly clockMs: number;
  /** Whether there is no counter at all. */
  readonly isEmpty: boolean;
  /** Batches of the log that were applied again. */
  readonly replayed: number;
  /** In the order of their batches. */
  readonly answers: readonly RememberedAnswer[];
}

/** Cells in the order asked for. */
export interface Loaded {
  readonly type: 'loaded';
  /** NaN where there is no count. */
  readonly values: readonly number[];
  /** 0 where it does not expire. */
  readonly expiriesMs: readonly number[];
  readonly cells: readonly (Cell | undefined)[];
}

/** The worker cannot go on, and ends. */
export interface Failed {
  readonly type: 'failed';
  readonly code: ErrorCode;
  readonly message: string;
  readonly field: string | undefined;
}

/** From the worker. */
export type Report =
  | Opened
  | Loaded
  | Failed
  /** Everything up to this position is on disk. */
  | { readonly type: 'committed'; readonly position: number }
  | { readonly type: 'closed' };
