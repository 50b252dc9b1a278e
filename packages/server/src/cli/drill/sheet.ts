/**
 * What one client process has done, kept in a file: a change is noted by one write before the call goes out and
 * by one after it came back, so that what the file says is right whenever the process is killed.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** Sums of amounts under one key. What is attempted and neither acknowledged nor refused is in doubt. */
export interface Sums {
  readonly attempted: number;
  readonly acknowledged: number;
  /** Told that nothing was counted and nothing will be. */
  readonly refused: number;
}

const COLUMNS = ['attempted', 'acknowledged', 'refused'] as const;
const CELL_BYTES = 8;

/** The writing side, of the process itself. */
export class Sheet {
  /** A 64-bit float for each column of each row. */
  readonly #bytes: Buffer;
  readonly #file: number;

  /** @param rows How many keys are kept account of. */
  constructor(path: string, rows: number) {
    this.#bytes = Buffer.alloc(rows * COLUMNS.length * CELL_BYTES);
    this.#file = openSync(path, 'w');
    writeSync(this.#file, this.#bytes, 0, this.#bytes.length, 0);
  }

  note(row: number, column: (typeof COLUMNS)[number], amount: number): void {
    const at = (row * COLUMNS.length + COLUMNS.indexOf(column)) * CELL_BYTES;
    this.#bytes.writeDoubleLE(this.#bytes.readDoubleLE(at) + amount, at);
    writeSync(this.#file, this.#bytes, at, CELL_BYTES, at);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** The sums of each key; none while the process has not begun. */
export function readSheet(path: string): Sums[] {
  const bytes = readFileSync(path);
  const cell = (row: number, column: number): number => bytes.readDoubleLE((row * COLUMNS.length + column) * CELL_BYTES);
  return Array.from({ length: Math.floor(bytes.length / CELL_BYTES / COLUMNS.length) }, (_, row) => ({
    attempted: cell(row, 0),
    acknowledged: cell(row, 1),
    refused: cell(row, 2),
  }));
}

/** Sheets of several processes as one. */
export function together(sheets: readonly (readonly Sums[])[]): Sums[] {
  const rows = Math.max(0, ...sheets.map(({ length }) => length));
  const sum = (row: number, column: keyof Sums): number => sheets.reduce((total, sheet) => total + (sheet[row]?.[column] ?? 0), 0);
  return Array.from({ length: rows }, (_, row) => ({
    attempted: sum(row, 'attempted'),
    acknowledged: sum(row, 'acknowledged'),
    refused: sum(row, 'refused'),
  }));
}
