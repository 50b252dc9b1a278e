/** Values at one place of the log, in the database. */
import type { Readings } from '../ledger.ts';
import type { Transactions } from './transactions.ts';

/** What a check that was killed left behind is removed after a day. */
const REMOVE_OLD = 'DELETE FROM check_reading WHERE source = ? OR asked_at < NOW(3) - INTERVAL 1 DAY';

export class MysqlReadings implements Readings {
  readonly #transactions: Transactions;

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  async ask(source: string, partition: number, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const rows = keys.map((key) => [source, partition, key]);
    const sql = 'INSERT INTO check_reading (source, partition_id, `key`) VALUES (?, ?, ?)';
    await this.#transactions.run((connection) => connection.batch(sql, rows));
  }

  async read(source: string, partition: number): Promise<ReadonlyMap<string, bigint> | undefined> {
    const sql = 'SELECT `key`, value FROM check_reading WHERE source = ? AND partition_id = ?';
    const rows = await this.#transactions.with((connection) => connection.query<{ key: Buffer; value: bigint | null }[]>(sql, [source, partition]));
    const values = new Map<string, bigint>();
    for (const { key, value } of rows) {
      if (value === null) return undefined;
      values.set(key.toString(), value);
    }
    return values;
  }

  async remove(source: string): Promise<void> {
    await this.#transactions.run((connection) => connection.query(REMOVE_OLD, [source]));
  }
}
