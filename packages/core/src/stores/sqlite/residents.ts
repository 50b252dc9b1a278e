/**
 * The cells held in memory: all state of recent use, of a database that may be much larger.
 *
 * Two replicas, `recent` and `earlier`. Whatever is used is in `recent`, or comes there from `earlier`, or
 * else from disk. When `recent` holds half of what is allowed, it becomes the earlier one and what was
 * there is let go at once: the worker has the state of every cell, so that nothing here is the only copy.
 */
import { isKey } from '../../model/key.ts';
import type { Operation, Query } from '../../model/operation.ts';
import { cellId, requestCellId } from '../../replica/cell.ts';
import { Replica, type ReplicaOptions } from '../../replica/replica.ts';
import type { CellIds, Loaded } from './protocol.ts';

/** What a cell that is no `count` is taken for, in counts. */
const CELL_WEIGHT = 10;

export class Residents {
  #recent: Replica;
  #earlier: Replica;
  readonly #options: ReplicaOptions;
  readonly #maxResident: number;
  /** Whether everything there is on disk is here, too: then what is not here is nowhere. */
  #isComplete: boolean;
  #losses = 0;

  constructor(options: ReplicaOptions, maxResident: number, isComplete: boolean) {
    this.#options = options;
    this.#maxResident = maxResident;
    this.#isComplete = isComplete;
    this.#recent = new Replica(options);
    this.#earlier = new Replica(options);
  }

  /** Decides and reads. Only for what is not {@link missing}. */
  get replica(): Replica {
    return this.#recent;
  }

  /** Cells, in counts. */
  get size(): number {
    return sizeOf(this.#recent) + sizeOf(this.#earlier);
  }

  /** How often cells were let go of. While it stays the same, what was here is here. */
  get losses(): number {
    return this.#losses;
  }

  /** Which cells must be loaded before these operations can be decided or these queries answered. */
  missing(asked: readonly (Operation | Query)[]): CellIds | undefined {
    if (this.#isComplete && sizeOf(this.#earlier) === 0) return undefined;
    const missing = { counts: [] as string[], cells: [] as string[] };
    for (const one of asked) {
      const { key, terms } = one;
      if (terms === undefined || terms.kind === 'count') {
        if (!this.#hasCount(key) && isKey(key)) missing.counts.push(key);
      } else {
        this.#lookForCell(cellId(one), missing.cells);
      }
      if ('requestId' in one && one.requestId !== undefined) this.#lookForCell(requestCellId(one, one.requestId), missing.cells);
    }
    return this.#isComplete || missing.counts.length + missing.cells.length === 0 ? undefined : missing;
  }

  /** Takes in what was loaded. What came here in the meantime is newer and stays. */
  put(ids: CellIds, { values, expiriesMs, cells }: Loaded): void {
    for (const [i, key] of ids.counts.entries()) {
      const value = values[i]!;
      const expiresAtMs = expiriesMs[i]!;
      if (Number.isNaN(value) || this.#hasCount(key)) continue;
      this.#recent.putCount(key, expiresAtMs === 0 ? { value } : { value, expiresAtMs });
    }
    for (const [i, id] of ids.cells.entries()) {
      const cell = cells[i];
      if (cell !== undefined && !this.#hasCell(id)) this.#recent.putCell(id, cell);
    }
  }

  /** Lets go of what was not used for long, when there is more than allowed. */
  shrink(): void {
    if (sizeOf(this.#recent) * 2 < this.#maxResident) return;
    if (sizeOf(this.#earlier) > 0) {
      this.#isComplete = false;
      this.#losses++;
    }
    this.#earlier = this.#recent;
    this.#recent = new Replica(this.#options, this.#earlier.sources);
  }

  #lookForCell(id: string, missing: string[]): void {
    if (!this.#hasCell(id)) missing.push(id);
  }

  #hasCount(key: string): boolean {
    if (this.#recent.counts.has(key)) return true;
    const count = this.#earlier.counts.get(key);
    if (count === undefined) return false;
    this.#earlier.counts.delete(key);
    this.#recent.putCount(key, count);
    return true;
  }

  #hasCell(id: string): boolean {
    if (this.#recent.cells.has(id)) return true;
    const cell = this.#earlier.cells.get(id);
    if (cell === undefined) return false;
    this.#earlier.cells.delete(id);
    this.#recent.putCell(id, cell);
    return true;
  }
}

const sizeOf = ({ counts, cells }: Replica): number => counts.size + CELL_WEIGHT * cells.size;
