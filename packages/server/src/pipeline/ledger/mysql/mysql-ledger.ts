/**
 * The ledger in MySQL or MariaDB. Each `apply` is one transaction: the partition is locked, the sources' progress
 * read, the records' deltas summed by key and added in one statement, the progress written, and what cannot be
 * applied parked.
 *
 * A commit whose answer was lost needs no care: the same records are applied again, and their seqs tell.
 */
import type { Connection } from 'mariadb';
import type { Applied, DeadLetters, Ledger, Readings, RestorePoint } from '../ledger.ts';
import { isCheckSource } from '../ledger.ts';
import { planOf, readArrival, type Arrival } from '../plan.ts';
import { MysqlDeadLetters } from './dead-letters.ts';
import { MysqlReadings } from './readings.ts';
import { migrate } from './schema.ts';
import { addSums, advance, fillReadings, isNextParked, lockKnown, lockPartition, park, progressOf, settleRestore } from './statements.ts';
import { isDataFault, onConnection, Transactions, type MysqlTarget } from './transactions.ts';

/** Settings of {@link openMysqlLedger}. */
export interface MysqlLedgerOptions {
  readonly target: MysqlTarget;
  /** Number of partitions of the deployment; undefined takes the data as it is. */
  readonly partitions?: number;
  /** The most connections to the database. Default 4. */
  readonly connections?: number;
  /** How long one transaction may take, in milliseconds. Default 30,000. */
  readonly transactionTimeoutMs?: number;
}

const DEFAULTS = { connections: 4, transactionTimeoutMs: 30_000 };
/** Rows of forgotten sources are removed so many at a time. */
const FORGET_STEP = 5000;

const NOTHING: Applied = { applied: 0, skipped: 0, parked: 0, rows: 0, isGapClosed: false };

const plus = (a: Applied, b: Applied): Applied => ({
  applied: a.applied + b.applied,
  skipped: a.skipped + b.skipped,
  parked: a.parked + b.parked,
  rows: a.rows + b.rows,
  isGapClosed: a.isGapClosed || b.isGapClosed,
});

class MysqlLedger implements Ledger {
  readonly partitions: number;
  readonly deadLetters: DeadLetters;
  readonly readings: Readings;
  readonly #transactions: Transactions;

  constructor(transactions: Transactions, partitions: number) {
    this.#transactions = transactions;
    this.partitions = partitions;
    this.deadLetters = new MysqlDeadLetters(transactions);
    this.readings = new MysqlReadings(transactions);
  }

  async apply(partition: number, records: readonly Uint8Array[]): Promise<Applied> {
    let total = NOTHING;
    for (const part of cutAtChecks(records.map((bytes) => readArrival(partition, bytes)))) {
      total = plus(total, await this.#applyTogether(partition, part));
    }
    return total;
  }

  progress(partition: number, sources?: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#transactions.with((connection) => progressOf(connection, partition, sources));
  }

  restorePoint(partition: number, nowMs: number): Promise<RestorePoint> {
    return this.#transactions.run(async (connection) => {
      await lockPartition(connection, partition);
      const atMs = await settleRestore(connection, partition, nowMs);
      return { atMs, progress: await progressOf(connection, partition) };
    });
  }

  async totals(partition: number, after: string, limit: number): Promise<readonly (readonly [key: string, value: bigint])[]> {
    const sql = 'SELECT `key`, value FROM counter WHERE partition_id = ? AND `key` > ? ORDER BY `key` LIMIT ?';
    const rows = await this.#transactions.with((connection) => connection.query<{ key: Buffer; value: bigint }[]>(sql, [partition, after, limit]));
    return rows.map(({ key, value }) => [key.toString(), value] as const);
  }

  async values(partition: number, keys: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
    const values = new Map(keys.map((key) => [key, 0n]));
    if (keys.length === 0) return values;
    const sql = 'SELECT `key`, value FROM counter WHERE partition_id = ? AND `key` IN (?)';
    const rows = await this.#transactions.with((connection) => connection.query<{ key: Buffer; value: bigint }[]>(sql, [partition, keys]));
    for (const { key, value } of rows) values.set(key.toString(), value);
    return values;
  }

  /** The horizon first: a source that is not removed yet is known as before, one that is, is never taken for a new one. */
  async forgetSources(beforeMs: number): Promise<number> {
    let forgotten = 0;
    for (let partition = 0; partition < this.partitions; partition++) {
      await this.#transactions.run(async (connection) => {
        await lockPartition(connection, partition);
        await connection.query('UPDATE ledger_partition SET forgotten_before_ms = GREATEST(forgotten_before_ms, ?) WHERE partition_id = ?', [BigInt(beforeMs), partition]);
      });
      const sql = 'DELETE FROM source_progress WHERE partition_id = ? AND at_ms < ? LIMIT ?';
      for (let removed = FORGET_STEP; removed === FORGET_STEP; forgotten += removed) {
        removed = await this.#transactions.run(async (connection) => {
          await lockPartition(connection, partition);
          return (await connection.query<{ affectedRows: number }>(sql, [partition, BigInt(beforeMs), FORGET_STEP])).affectedRows;
        });
      }
    }
    return forgotten;
  }

  async alone(name: string, work: () => Promise<void>): Promise<boolean> {
    return this.#transactions.locked(name, work);
  }

  async close(): Promise<void> {
    this.#transactions.close();
  }

  /** In one transaction; where something in it cannot be kept, in smaller ones, until that is found and parked. */
  async #applyTogether(partition: number, arrivals: readonly Arrival[]): Promise<Applied> {
    try {
      return await this.#transactions.run((connection) => applyIn(connection, partition, arrivals));
    } catch (error) {
      if (!isDataFault(error)) throw error;
      const [only] = arrivals;
      if (arrivals.length === 1 && only?.fault === undefined) {
        return this.#applyTogether(partition, arrivals.map((arrival) => ({ ...arrival, entries: [], fault: (error as Error).message })));
      }
      if (arrivals.length === 1) throw error;
      const half = Math.ceil(arrivals.length / 2);
      return plus(await this.#applyTogether(partition, arrivals.slice(0, half)), await this.#applyTogether(partition, arrivals.slice(half)));
    }
  }
}

/** The records that mark the place of a comparison end a transaction, so that what comes after them is not in it. */
function cutAtChecks(arrivals: readonly Arrival[]): Arrival[][] {
  const parts: Arrival[][] = [[]];
  for (const arrival of arrivals) {
    parts.at(-1)?.push(arrival);
    if (isCheckSource(arrival.head?.source ?? '')) parts.push([]);
  }
  return parts.filter((part) => part.length > 0);
}

async function applyIn(connection: Connection, partition: number, arrivals: readonly Arrival[]): Promise<Applied> {
  const sources = new Set(arrivals.flatMap(({ head }) => (head === undefined ? [] : [head.source])));
  const plan = planOf(await lockKnown(connection, partition, [...sources]), arrivals);
  const rows = await addSums(connection, partition, plan.sums);
  await advance(connection, partition, plan.advanced);
  await park(connection, partition, plan.parked);
  for (const source of plan.advanced.keys()) {
    if (isCheckSource(source)) await fillReadings(connection, partition, source);
  }
  const isGapClosed = await isNextParked(connection, partition, plan.advanced);
  return { applied: plan.applied.length, skipped: plan.skipped.length, parked: plan.parked.length, rows, isGapClosed };
}

/**
 * Opens the ledger in a MySQL or MariaDB database, which it creates its tables in.
 *
 * @throws TallystickError `STORE_UNAVAILABLE`, `SCHEMA_MISMATCH`, `PARTITIONS_MISMATCH` or `INVALID_CONFIG`.
 */
export async function openMysqlLedger(options: MysqlLedgerOptions): Promise<Ledger> {
  const { connections, transactionTimeoutMs: timeoutMs } = { ...DEFAULTS, ...options };
  const partitions = await onConnection(options.target, (connection) => migrate(connection, options.partitions));
  return new MysqlLedger(new Transactions(options.target, { connections, timeoutMs }), partitions);
}
