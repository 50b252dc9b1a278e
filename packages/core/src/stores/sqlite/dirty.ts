/**
 * The cells that changed and are not yet written to their tables, in two generations: `young` takes what
 * changes now, `old` is being written. When `young` is full enough and `old` is done, they take turns, and
 * everything up to the position of that moment is folded once the new `old` is done in its turn.
 *
 * Invariant: at every moment the state of a cell is that in `young`, else in `old`, else on disk.
 */
import type { Count } from '../../operations/add.ts';
import { strategies } from '../../operations/index.ts';
import { cellId, rememberedOf, requestCellId, type Remembered } from '../../replica/cell.ts';
import { CountTable } from '../../replica/count-table.ts';
import type { CellRows, PlacedCell } from './cell-rows.ts';
import { KeyHeap } from './key-heap.ts';
import type { FoldingLimits } from './protocol.ts';
import { readRecord, type Applied, type LogRecord } from './record.ts';

/** What a row of the log costs beside its payload, in bytes. */
const ROW_BYTES = 64;

class Generation {
  readonly counts = new CountTable();
  readonly countOrder = new KeyHeap();
  readonly cells = new Map<string, PlacedCell>();
  readonly cellOrder = new KeyHeap();
  /** How many cells it had to write when it became old. */
  total = 0;
  logBytes = 0;

  get left(): number {
    return this.countOrder.size + this.cellOrder.size;
  }

  setCount(key: string, count: Count): void {
    const before = this.counts.size;
    this.counts.set(key, count);
    if (this.counts.size > before) this.countOrder.push(key);
  }

  setCell(id: string, placed: PlacedCell): void {
    if (!this.cells.has(id)) this.cellOrder.push(id);
    this.cells.set(id, placed);
  }
}

export class Dirty {
  #young = new Generation();
  #old = new Generation();
  /** Of the last batch when `old` became old. */
  #oldPosition = 0;
  readonly #rows: CellRows;
  readonly #requestRetentionMs: number;
  readonly #limits: FoldingLimits;

  constructor(rows: CellRows, requestRetentionMs: number, limits: FoldingLimits) {
    this.#rows = rows;
    this.#requestRetentionMs = requestRetentionMs;
    this.#limits = limits;
  }

  /** Everything in the log up to here is in the tables, once {@link isOldDone}. */
  get oldPosition(): number {
    return this.#oldPosition;
  }

  get isOldDone(): boolean {
    return this.#old.left === 0;
  }

  /** Whether no cell waits to be written. */
  get isClean(): boolean {
    return this.isOldDone && this.#young.left === 0;
  }

  /** How full `young` is: 1 when it is time to take turns. */
  get fullness(): number {
    return Math.max(this.#young.left / this.#limits.maxCells, this.#young.logBytes / this.#limits.maxLogBytes);
  }

  /**
   * How many cells of `old` should be written now. Paced so that it is done when `young` is half full: a
   * batch of n operations never makes more than about 2 n writes due.
   */
  get due(): number {
    const written = this.#old.total - this.#old.left;
    return Math.max(0, Math.ceil(this.#old.total * Math.min(1, 2 * this.fullness)) - written);
  }

  count(key: string): Count | undefined {
    return this.#young.counts.get(key) ?? this.#old.counts.get(key) ?? this.#rows.count(key);
  }

  cell(id: string): PlacedCell | undefined {
    return this.#young.cells.get(id) ?? this.#old.cells.get(id) ?? this.#rows.cell(id);
  }

  /** Takes in what a batch did. Cells whose state on disk is newer already are left as they are. */
  absorb(record: LogRecord): void {
    this.#young.logBytes += ROW_BYTES + record.keys.length + record.results.length + record.extras.length + record.deltas.length;
    const replayed: PlacedCell[] = [];
    readRecord(record, {
      count: (key, value) => this.#young.setCount(key, { value }),
      other: (applied) => this.#absorb(applied, record, replayed),
    });
    // Only now: a batch may hold several operations on one cell.
    for (const placed of replayed) placed.position = record.position;
  }

  /** Makes `young` the old one. To be called only when `old` is done. */
  takeTurns(position: number): void {
    this.#old = this.#young;
    this.#old.total = this.#old.left;
    this.#oldPosition = position;
    this.#young = new Generation();
  }

  /** Writes up to `limit` cells of `old`, in the order of their ids. */
  fold(limit: number, nowMs: number): void {
    const { counts, countOrder, cells, cellOrder } = this.#old;
    for (let left = limit; left > 0; left--) {
      const key = countOrder.pop();
      const id = key === undefined ? cellOrder.pop() : undefined;
      if (key !== undefined) this.#rows.writeCount(key, counts.get(key)!, nowMs);
      else if (id !== undefined) this.#rows.writeCell(id, cells.get(id)!, nowMs);
      else return;
    }
  }

  #absorb(applied: Applied, record: LogRecord, replayed: PlacedCell[]): void {
    const { key, terms, value, note, requestId } = applied;
    if (terms !== undefined) this.#replay(applied, record, replayed);
    else if (applied.changed) this.#young.setCount(key, countOf(value, note?.expiresAtMs));
    if (requestId === undefined) return;
    const state = this.#remember(applied, record.atMs);
    const id = requestCellId({ key, terms }, requestId);
    this.#young.setCell(id, { cell: { kind: 'request', state }, position: record.position });
  }

  /** Decides again what a kind without after-image comes to: same state, same operation, same moment. */
  #replay(applied: Applied, { atMs, position }: LogRecord, replayed: PlacedCell[]): void {
    const { terms } = applied;
    if (terms === undefined || terms.kind === 'count') return;
    const id = cellId(applied);
    const placed = this.cell(id) ?? { cell: undefined, position: 0 };
    if (placed.position >= position) return;
    const [, state] = strategies[terms.kind].apply(placed.cell?.state, applied, atMs);
    if (state !== undefined) placed.cell = { kind: terms.kind, state };
    replayed.push(placed);
    this.#young.setCell(id, placed);
  }

  /** As the replica remembers it. */
  #remember(applied: Applied, atMs: number): Remembered {
    const { value, delta, note } = applied;
    return rememberedOf(applied, note ?? { value, delta }, atMs, this.#requestRetentionMs);
  }
}

const countOf = (value: number, expiresAtMs: number | undefined): Count => (expiresAtMs === undefined ? { value } : { value, expiresAtMs });
