/** The tables of counters: `count` and `cell`. Runs in the worker. */
import { deserialize, serialize } from 'node:v8';
import type Sqlite from 'better-sqlite3';
import type { Count } from '../../operations/add.ts';
import { cellExpiresAtMs, type Cell } from '../../replica/cell.ts';

/** A cell as it stood after the batch at `position`; without one, there is none. */
export interface PlacedCell {
  cell: Cell | undefined;
  position: number;
}

interface CountRow {
  readonly value: number;
  readonly expires_ms: number | null;
}

interface CellRow {
  readonly kind: Cell['kind'];
  readonly state: Uint8Array;
  readonly position: number;
}

const EXPIRED = 'expires_ms IS NOT NULL AND expires_ms <= ?';

/**
 * An id as text that SQLite keeps apart from every other. Text on disk is UTF-8, which has no lone
 * surrogates; a request id may. No id starts with a quotation mark.
 */
const idText = (id: string): string => (id.isWellFormed() ? id : JSON.stringify(id));

export class CellRows {
  readonly #getCount: Sqlite.Statement<[string], CountRow>;
  readonly #putCount: Sqlite.Statement<[string, number, number | null]>;
  readonly #dropCount: Sqlite.Statement<[string]>;
  readonly #getCell: Sqlite.Statement<[string], CellRow>;
  readonly #putCell: Sqlite.Statement<[string, string, Uint8Array, number | null, number]>;
  readonly #dropCell: Sqlite.Statement<[string]>;
  readonly #dropExpired: readonly Sqlite.Statement<[number, number]>[];
  readonly #anyRow: Sqlite.Statement<[]>;

  constructor(sqlite: Sqlite.Database) {
    this.#getCount = sqlite.prepare('SELECT value, expires_ms FROM count WHERE key = ?');
    this.#putCount = sqlite.prepare('INSERT OR REPLACE INTO count VALUES (?, ?, ?)');
    this.#dropCount = sqlite.prepare('DELETE FROM count WHERE key = ?');
    this.#getCell = sqlite.prepare('SELECT kind, state, position FROM cell WHERE id = ?');
    this.#putCell = sqlite.prepare('INSERT OR REPLACE INTO cell VALUES (?, ?, ?, ?, ?)');
    this.#dropCell = sqlite.prepare('DELETE FROM cell WHERE id = ?');
    this.#dropExpired = [
      sqlite.prepare(`DELETE FROM count WHERE key IN (SELECT key FROM count WHERE ${EXPIRED} LIMIT ?)`),
      sqlite.prepare(`DELETE FROM cell WHERE id IN (SELECT id FROM cell WHERE ${EXPIRED} LIMIT ?)`),
    ];
    this.#anyRow = sqlite.prepare('SELECT 1 FROM count UNION ALL SELECT 1 FROM cell LIMIT 1');
  }

  get isEmpty(): boolean {
    return this.#anyRow.get() === undefined;
  }

  count(key: string): Count | undefined {
    const row = this.#getCount.get(key);
    if (row === undefined) return undefined;
    return row.expires_ms === null ? { value: row.value } : { value: row.value, expiresAtMs: row.expires_ms };
  }

  cell(id: string): PlacedCell | undefined {
    const row = this.#getCell.get(idText(id));
    if (row === undefined) return undefined;
    return { cell: { kind: row.kind, state: deserialize(row.state) as object }, position: row.position };
  }

  /** Writes a count, or drops its row when it has expired. */
  writeCount(key: string, { value, expiresAtMs }: Count, nowMs: number): void {
    if (expiresAtMs !== undefined && expiresAtMs <= nowMs) this.#dropCount.run(key);
    else this.#putCount.run(key, value, expiresAtMs ?? null);
  }

  /** Writes a cell, or drops its row when it is gone or has expired. */
  writeCell(id: string, { cell, position }: PlacedCell, nowMs: number): void {
    const expiresAtMs = cell === undefined ? 0 : cellExpiresAtMs(cell);
    if (cell === undefined || (expiresAtMs !== undefined && expiresAtMs <= nowMs)) this.#dropCell.run(idText(id));
    else this.#putCell.run(idText(id), cell.kind, serialize(cell.state), expiresAtMs ?? null, position);
  }

  /** Drops at most `limit` rows of either table that have expired; returns how many. */
  dropExpired(nowMs: number, limit: number): number {
    return this.#dropExpired.reduce((dropped, statement) => dropped + statement.run(nowMs, limit).changes, 0);
  }
}
