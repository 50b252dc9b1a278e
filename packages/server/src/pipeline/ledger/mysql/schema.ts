/**
 * The tables, and how an older database becomes as these. Each step is done once, in order, by one process at a
 * time; its statements can be done again, as a database commits each of them by itself.
 *
 * - `ledger_partition`: a row a partition. Whoever changes anything of a partition locks its row first: so there is
 *   one order of locks, and no two transactions can wait for each other.
 * - `counter`: totals. Keys are bytes, compared as bytes.
 * - `source_progress`: the last seq applied, by source.
 * - `dead_letter`: records that could not be applied. The digest makes parking the same one again harmless.
 * - `ledger_restore`: when Redis was restored from here last, by its clock, by partition.
 * - `check_reading`: values asked for by a consistency check; null until its place in the log is reached.
 */
import type { Connection } from 'mariadb';
import { TallystickError } from 'tallystick';

const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE IF NOT EXISTS ledger_partition (
      partition_id SMALLINT UNSIGNED NOT NULL PRIMARY KEY,
      forgotten_before_ms BIGINT NOT NULL DEFAULT 0
    ) ENGINE=InnoDB`,
    `CREATE TABLE IF NOT EXISTS counter (
      partition_id SMALLINT UNSIGNED NOT NULL,
      \`key\` VARBINARY(512) NOT NULL,
      value BIGINT NOT NULL,
      updated_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
      PRIMARY KEY (partition_id, \`key\`)
    ) ENGINE=InnoDB ROW_FORMAT=DYNAMIC`,
    `CREATE TABLE IF NOT EXISTS source_progress (
      partition_id SMALLINT UNSIGNED NOT NULL,
      source VARBINARY(64) NOT NULL,
      seq BIGINT NOT NULL,
      at_ms BIGINT NOT NULL,
      PRIMARY KEY (partition_id, source),
      KEY by_age (partition_id, at_ms)
    ) ENGINE=InnoDB`,
    `CREATE TABLE IF NOT EXISTS dead_letter (
      id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
      partition_id SMALLINT UNSIGNED NOT NULL,
      source VARBINARY(64) NULL,
      seq BIGINT NULL,
      reason VARCHAR(16) CHARACTER SET ascii NOT NULL,
      fault VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL,
      record MEDIUMBLOB NOT NULL,
      digest BINARY(32) NOT NULL,
      parked_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
      UNIQUE KEY once (partition_id, digest),
      KEY in_order (partition_id, source, seq)
    ) ENGINE=InnoDB`,
    `CREATE TABLE IF NOT EXISTS check_reading (
      source VARBINARY(64) NOT NULL,
      partition_id SMALLINT UNSIGNED NOT NULL,
      \`key\` VARBINARY(512) NOT NULL,
      value BIGINT NULL,
      asked_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
      PRIMARY KEY (source, partition_id, \`key\`)
    ) ENGINE=InnoDB ROW_FORMAT=DYNAMIC`,
  ],
  [
    `CREATE TABLE IF NOT EXISTS ledger_restore (
      partition_id SMALLINT UNSIGNED NOT NULL PRIMARY KEY,
      at_ms BIGINT NOT NULL
    ) ENGINE=InnoDB`,
  ],
];

const LOCK = 'tallystick-schema';
const LOCK_WITHIN_SECONDS = 60;

/**
 * Brings the database up to date; creates the data with `partitions` when there is none.
 *
 * @returns How many partitions the data has.
 * @throws TallystickError `SCHEMA_MISMATCH`, `PARTITIONS_MISMATCH`; `INVALID_CONFIG` when there is no data and no number to create it with.
 */
export async function migrate(connection: Connection, partitions: number | undefined): Promise<number> {
  const [locked] = await connection.query<{ got: number | bigint | null }[]>('SELECT GET_LOCK(CONCAT(DATABASE(), ?), ?) AS got', [LOCK, LOCK_WITHIN_SECONDS]);
  if (Number(locked?.got) !== 1) throw new TallystickError('STORE_UNAVAILABLE', 'mysql: another process changes the tables', { field: 'mysql' });
  try {
    await migrateAlone(connection);
    return await checkPartitions(connection, partitions);
  } finally {
    await connection.query('DO RELEASE_LOCK(CONCAT(DATABASE(), ?))', [LOCK]);
  }
}

async function migrateAlone(connection: Connection): Promise<void> {
  await connection.query(`CREATE TABLE IF NOT EXISTS schema_version (
    version INT NOT NULL PRIMARY KEY,
    at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)
  ) ENGINE=InnoDB`);
  const [row] = await connection.query<{ version: number | null }[]>('SELECT MAX(version) AS version FROM schema_version');
  const version = row?.version ?? 0;
  if (version > MIGRATIONS.length) {
    throw new TallystickError('SCHEMA_MISMATCH', `mysql: expected tables of version ${MIGRATIONS.length} or before, got ${version}`, { field: 'mysql' });
  }
  for (const [index, statements] of MIGRATIONS.entries()) {
    if (index < version) continue;
    for (const statement of statements) await connection.query(statement);
    await connection.query('INSERT INTO schema_version (version) VALUES (?)', [index + 1]);
  }
}

async function checkPartitions(connection: Connection, wanted: number | undefined): Promise<number> {
  const [row] = await connection.query<{ partitions: bigint }[]>('SELECT COUNT(*) AS partitions FROM ledger_partition');
  const found = Number(row?.partitions);
  if (found === 0 && wanted !== undefined) {
    // One statement, so that there are all or none.
    await connection.query(`INSERT INTO ledger_partition (partition_id) VALUES ${Array.from({ length: wanted }, (_, id) => `(${id})`).join()}`);
    return wanted;
  }
  if (found === 0) throw new TallystickError('INVALID_CONFIG', 'mysql: expected a database with a ledger, got one without', { field: 'mysql' });
  if (wanted === undefined || wanted === found) return found;
  throw new TallystickError('PARTITIONS_MISMATCH', `partitions: the ledger was created with ${found}, got ${wanted}`, { field: 'partitions' });
}
