/**
 * A replica as a pure state machine: values and the last seq per source, changed only by
 * `apply(batch, nowMs)`. It knows no socket, disk or clock; the memory store is this machine behind the
 * port, the SQLite store this machine with a log on disk, and the simulator runs it by itself.
 *
 * - seq = last + 1: apply, remember the results, answer them;
 * - seq ≤ last: answer the remembered results, change nothing;
 * - seq > last + 1: answer `behind(last)`, change nothing.
 */
import type { ErrorCode } from '../errors.ts';
import { ABSENT, type Answer, type Note, type Reading, type Reply, type Result } from '../model/answer.ts';
import type { Batch } from '../model/batch.ts';
import { faultOf } from '../model/fault.ts';
import type { Operation, Query, Terms } from '../model/operation.ts';
import { add, type Count } from '../operations/add.ts';
import { strategies } from '../operations/index.ts';
import { cellExpiresAtMs, cellId, rememberedOf, requestCellId, type Cell, type Remembered } from './cell.ts';
import { CountTable } from './count-table.ts';
import { ExpiryQueue } from './expiry-queue.ts';
import { Sources } from './sources.ts';

/** Settings of a replica. */
export interface ReplicaOptions {
  /** How long the first answer to a request id is given again, at most. Default two hours. */
  readonly requestRetentionMs?: number;
}

/** Default of {@link ReplicaOptions.requestRetentionMs}. */
export const REQUEST_RETENTION_MS = 2 * 3600 * 1000;

/**
 * The most cells kept: windows, sets, sketches and request ids. A new one beyond is refused with `OVERLOADED`,
 * for a JavaScript `Map` throws at 2^24 entries, and that in the middle of a batch.
 */
export const MAX_CELLS = 15_000_000;

export class Replica {
  readonly counts = new CountTable();
  readonly cells = new Map<string, Cell>();
  readonly sources: Sources;
  readonly #countExpiries = new ExpiryQueue();
  readonly #cellExpiries = new ExpiryQueue();
  readonly #requestRetentionMs: number;

  /** @param sources What is known of sources, to go on with those of another replica. */
  constructor({ requestRetentionMs = REQUEST_RETENTION_MS }: ReplicaOptions = {}, sources = new Sources()) {
    this.sources = sources;
    this.#requestRetentionMs = requestRetentionMs;
  }

  /** Applies a batch by the sequence rule. One operation that is refused never fails the others. */
  apply(batch: Batch, nowMs: number): Reply {
    const source = `${batch.partition}/${batch.source}`;
    const reply = this.sources.reply(source, batch.seq);
    if (reply !== undefined) return reply;
    const answer = this.#answer(batch.operations, nowMs);
    this.sources.applied(source, batch.seq, answer);
    return answer;
  }

  read(query: Query, nowMs: number): Reading {
    const { key, terms } = query;
    if (terms === undefined || terms.kind === 'count') return readCount(this.counts.get(key), nowMs);
    const cell = this.cells.get(cellId(query));
    const value = cell === undefined ? undefined : strategies[terms.kind].read(cell.state, nowMs);
    return value === undefined ? ABSENT : { value, found: true };
  }

  /** Applies one operation outside of any batch: for replaying a log whose batches were applied before. */
  replay(op: Operation, nowMs: number): Result {
    return this.#remembering(op, nowMs);
  }

  /** Drops up to `limit` expired counters and request ids; returns how many were looked at. */
  sweep(nowMs: number, limit: number): number {
    const looked = this.#countExpiries.sweep(nowMs, limit, (key) => {
      const expiresAtMs = this.counts.get(key)?.expiresAtMs;
      if (expiresAtMs === undefined || expiresAtMs > nowMs) return expiresAtMs;
      this.counts.delete(key);
      return undefined;
    });
    return looked + this.#cellExpiries.sweep(nowMs, limit - looked, (id) => {
      const cell = this.cells.get(id);
      const expiresAtMs = cell === undefined ? undefined : cellExpiresAtMs(cell);
      if (expiresAtMs === undefined || expiresAtMs > nowMs) return expiresAtMs;
      this.cells.delete(id);
      return undefined;
    });
  }

  /** Whether anything will expire. */
  get expires(): boolean {
    return !this.#countExpiries.isEmpty || !this.#cellExpiries.isEmpty;
  }

  /** Puts the state of a `count` in, as loaded from elsewhere. */
  putCount(key: string, count: Count): void {
    if (count.expiresAtMs !== undefined && this.counts.get(key)?.expiresAtMs === undefined) {
      this.#countExpiries.add(key, count.expiresAtMs);
    }
    this.counts.set(key, count);
  }

  /** Puts a cell in, as loaded from elsewhere. */
  putCell(id: string, cell: Cell): void {
    const expiresAtMs = this.cells.has(id) ? undefined : cellExpiresAtMs(cell);
    if (expiresAtMs !== undefined) this.#cellExpiries.add(id, expiresAtMs);
    this.cells.set(id, cell);
  }

  #answer(operations: readonly Operation[], nowMs: number): Answer {
    const values = new Array<number>(operations.length);
    const notes: Note[] = [];
    for (let index = 0; index < operations.length; index++) {
      const op = operations[index] as Operation;
      const value = isPlain(op) ? this.counts.addPlain(op, nowMs) : NaN;
      if (!Number.isNaN(value)) {
        values[index] = value;
        const { expiresAtMs } = this.counts;
        if (expiresAtMs !== 0) notes.push({ index, value, delta: op.delta, expiresAtMs });
        continue;
      }
      const result = this.#remembering(op, nowMs);
      values[index] = result.value;
      if (saysMore(result, op)) notes.push(noteOf(index, result));
    }
    return { atMs: nowMs, values, notes };
  }

  /** Answers from the request id when it is known, and remembers the answer when it is new. */
  #remembering(op: Operation, nowMs: number): Result {
    const code = faultOf(op);
    if (code !== undefined) return this.#refused(op, nowMs, code);
    if (op.requestId === undefined) return this.#change(op, nowMs);
    const id = requestCellId(op, op.requestId);
    const known = this.cells.get(id)?.state as Remembered | undefined;
    // An effect, too: after a failover its request may have come again, through another source, before it.
    if (known !== undefined && known.expiresAtMs > Math.max(nowMs, op.effect?.atMs ?? nowMs)) return replayed(known);
    if (known === undefined && this.#isFull) return this.#refused(op, nowMs, 'OVERLOADED');
    const result = this.#change(op, nowMs);
    if (result.code !== undefined) return result;
    this.putCell(id, { kind: 'request', state: rememberedOf(op, result, nowMs, this.#requestRetentionMs) });
    return result;
  }

  get #isFull(): boolean {
    return this.cells.size >= MAX_CELLS;
  }

  #refused(op: Operation, nowMs: number, code: ErrorCode): Result {
    return { value: this.read(op, nowMs).value, delta: 0, code };
  }

  /** What has expired stays until a sweep takes it, which is how an id is in the expiry queue just once. */
  #change(op: Operation, nowMs: number): Result {
    if (op.terms === undefined || op.terms.kind === 'count') {
      const [result, count] = add.apply(this.counts.get(op.key), op, nowMs);
      if (count !== undefined) this.putCount(op.key, count);
      return result;
    }
    const { kind } = op.terms;
    const id = cellId(op);
    const cell = this.cells.get(id);
    if (cell === undefined && this.#isFull) return this.#refused(op, nowMs, 'OVERLOADED');
    const [result, state] = strategies[kind].apply(cell?.state, op, nowMs);
    if (state !== undefined) this.putCell(id, { kind, state });
    return result;
  }
}

const isPlain = (op: Operation): boolean =>
  (op.terms === undefined || isUnbounded(op.terms)) && op.requestId === undefined && op.effect === undefined && Number.isSafeInteger(op.delta);

const isUnbounded = (terms: Terms): boolean => terms.kind === 'count' && terms.min === undefined && terms.max === undefined;

function readCount(count: Count | undefined, nowMs: number): Reading {
  if (count === undefined || add.read(count, nowMs) === undefined) return ABSENT;
  const { value, expiresAtMs } = count;
  return expiresAtMs === undefined ? { value, found: true } : { value, found: true, ttlMs: expiresAtMs - nowMs };
}

function replayed({ value, delta, counterExpiresAtMs, verdict }: Remembered): Result {
  if (verdict !== undefined) return { value, delta, replayed: true, verdict };
  return { value, delta, replayed: true, ...(counterExpiresAtMs !== undefined && { expiresAtMs: counterExpiresAtMs }) };
}

/** A literal where it can be, not a spread: every add to a counter that expires has a note. */
function noteOf(index: number, result: Result): Note {
  const { value, delta, code, expiresAtMs, replayed, repaired } = result;
  const isOrdinary = code === undefined && replayed === undefined && repaired === undefined;
  return isOrdinary && expiresAtMs !== undefined ? { index, value, delta, expiresAtMs } : { index, ...result };
}

const saysMore = (result: Result, op: Operation): boolean =>
  result.delta !== op.delta || result.code !== undefined || result.expiresAtMs !== undefined || result.replayed === true || result.verdict !== undefined;
