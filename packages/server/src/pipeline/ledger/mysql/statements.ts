/** What is read and written within a transaction that holds the partition's lock. */
import { createHash } from 'node:crypto';
import type { Connection } from 'mariadb';
import { TallystickError } from 'tallystick';
import type { Known, Parked, Place, Sum } from '../plan.ts';

/** Most characters of a fault that are kept. */
const FAULT_LENGTH = 255;

/** Locks the partition for the transaction; returns before when its sources are forgotten, and when Redis was restored. */
export async function lockPartition(connection: Connection, partition: number): Promise<Omit<Known, 'progress'>> {
  const sql =
    'SELECT p.forgotten_before_ms AS before_ms, r.at_ms AS restored_ms FROM ledger_partition p ' +
    'LEFT JOIN ledger_restore r ON r.partition_id = p.partition_id WHERE p.partition_id = ? FOR UPDATE';
  const [row] = await connection.query<{ before_ms: bigint; restored_ms: bigint | null }[]>(sql, [partition]);
  if (row === undefined) throw new TallystickError('INVALID_ARGUMENT', `partition: the ledger has none of number ${partition}`, { field: 'partition' });
  return { forgottenBeforeMs: Number(row.before_ms), restoredAtMs: Number(row.restored_ms ?? 0) };
}

/** Locks the partition; returns what is known of it and these sources. */
export async function lockKnown(connection: Connection, partition: number, sources: readonly string[]): Promise<Known> {
  const bounds = await lockPartition(connection, partition);
  return { ...bounds, progress: await progressOf(connection, partition, sources) };
}

/** The last seq by source; of all sources unless some are named. */
export async function progressOf(connection: Connection, partition: number, sources?: readonly string[]): Promise<Map<string, number>> {
  if (sources?.length === 0) return new Map();
  const [some, values] = sources === undefined ? ['', [partition]] : [' AND source IN (?)', [partition, sources]];
  const sql = `SELECT source, seq FROM source_progress WHERE partition_id = ?${some}`;
  const rows = await connection.query<{ source: Buffer; seq: bigint }[]>(sql, values);
  return new Map(rows.map(({ source, seq }) => [source.toString(), Number(seq)]));
}

/** Adds to totals; in the order of the keys, which keeps the database on one page for as long as may be. Returns how many rows. */
export async function addSums(connection: Connection, partition: number, sums: ReadonlyMap<string, Sum>): Promise<number> {
  // As bigint: the connector would send a number beyond 32 bits as a double.
  const rows = Array.from(sums, ([key, sum]): [number, string, bigint] => [partition, key, BigInt(sum)]);
  if (rows.length === 0) return 0;
  rows.sort(([, a], [, b]) => (a < b ? -1 : 1));
  const sql = 'INSERT INTO counter (partition_id, `key`, value) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE value = value + VALUES(value)';
  await connection.batch(sql, rows);
  return rows.length;
}

/** Writes how far sources have come. */
export async function advance(connection: Connection, partition: number, places: ReadonlyMap<string, Place>): Promise<void> {
  const rows = Array.from(places, ([source, { seq, atMs }]) => [partition, source, BigInt(seq), BigInt(atMs)]);
  if (rows.length === 0) return;
  const sql =
    'INSERT INTO source_progress (partition_id, source, seq, at_ms) VALUES (?, ?, ?, ?) ' +
    'ON DUPLICATE KEY UPDATE seq = VALUES(seq), at_ms = GREATEST(at_ms, VALUES(at_ms))';
  await connection.batch(sql, rows);
}

/** Parks records; one that is parked already stays as it is. */
export async function park(connection: Connection, partition: number, parked: readonly Parked[]): Promise<void> {
  const rows = parked.map(({ arrival: { bytes, head }, reason, fault }) => {
    const record = Buffer.from(bytes);
    const digest = createHash('sha256').update(record).digest();
    return [partition, head?.source ?? null, head === undefined ? null : BigInt(head.seq), reason, fault.slice(0, FAULT_LENGTH), record, digest];
  });
  const sql =
    'INSERT INTO dead_letter (partition_id, source, seq, reason, fault, record, digest) VALUES (?, ?, ?, ?, ?, ?, ?) ' +
    'ON DUPLICATE KEY UPDATE id = id';
  for (const row of rows) await connection.execute(sql, row);
}

/** Whether the record that a source has to have next is parked. */
export async function isNextParked(connection: Connection, partition: number, places: ReadonlyMap<string, Place>): Promise<boolean> {
  if (places.size === 0) return false;
  const sql =
    "SELECT source, MIN(seq) AS seq FROM dead_letter WHERE partition_id = ? AND source IN (?) AND reason = 'gap' GROUP BY source";
  const rows = await connection.query<{ source: Buffer; seq: bigint }[]>(sql, [partition, [...places.keys()]]);
  return rows.some(({ source, seq }) => Number(seq) <= (places.get(source.toString())?.seq ?? 0) + 1);
}

/** Fills in the values that a comparison asked for at this place. */
export async function fillReadings(connection: Connection, partition: number, source: string): Promise<void> {
  const sql =
    'UPDATE check_reading r LEFT JOIN counter c ON c.partition_id = r.partition_id AND c.`key` = r.`key` ' +
    'SET r.value = COALESCE(c.value, 0) WHERE r.source = ? AND r.partition_id = ?';
  await connection.query(sql, [source, partition]);
}

/** Writes down when Redis was restored: at `nowMs`, and after all that was applied. Returns that time. */
export async function settleRestore(connection: Connection, partition: number, nowMs: number): Promise<number> {
  const sql = "SELECT MAX(at_ms) AS newest FROM source_progress WHERE partition_id = ? AND source NOT LIKE 'restore:%'";
  const [row] = await connection.query<{ newest: bigint | null }[]>(sql, [partition]);
  const atMs = Math.max(nowMs, Number(row?.newest ?? 0) + 1);
  const write = 'INSERT INTO ledger_restore (partition_id, at_ms) VALUES (?, ?) ON DUPLICATE KEY UPDATE at_ms = GREATEST(at_ms, VALUES(at_ms))';
  await connection.query(write, [partition, BigInt(atMs)]);
  return atMs;
}
