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
  /** Whether the file must be there: it was, before a fault, and a new one would count from 0. */
  readonly mustExist: boolean;
  /** Upper bound on the size of the database, in pages; for tests. */
  readonly maxPages?: number | undefined;
}

/** Ids of cells: keys of counts, and ids of all other cells. */
export interface CellIds {
  readonly counts: readonly string[];
  readonly cells: readonly string[];
}

/**
 * A record on its way to the worker: the values of its fields in the order of {@link LogRecord}, for their
 * names would take a third of the time that a commit of one add spends between the threads.
 */
export type CommitRequest = readonly [
  position: number,
  partition: number,
  source: string,
  seq: number,
  atMs: number,
  keys: string,
  deltas: string,
  results: Uint8Array | string,
  extras: string,
];

export const toCommit = (record: LogRecord): CommitRequest => {
  const { position, partition, source, seq, atMs, keys, deltas, results, extras } = record;
  return [position, partition, source, seq, atMs, keys, deltas, results, extras];
};

export const recordOf = (request: CommitRequest): LogRecord => {
  const [position, partition, source, seq, atMs, keys, deltas, results, extras] = request;
  return { position, partition, source, seq, atMs, keys, deltas, results, extras };
};

/** Whether a request is a commit: the others are objects with a type. */
export const isCommit = (request: Request): request is CommitRequest => Array.isArray(request);

/** To the worker. */
export type Request =
  | CommitRequest
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
