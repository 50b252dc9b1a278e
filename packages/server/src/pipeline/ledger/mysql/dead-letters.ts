/** Dead letters in the database. */
import type { Connection } from 'mariadb';
import type { DeadLetter, DeadLetterFilter, DeadLetterReason, DeadLetters, Replayed } from '../ledger.ts';
import { fold, planOf, readArrival, type Arrival } from '../plan.ts';
import { addSums, advance, lockKnown } from './statements.ts';
import { isDataFault, type Transactions } from './transactions.ts';

interface Row {
  readonly id: bigint;
  readonly partition_id: number;
  readonly source: Buffer | null;
  readonly seq: bigint | null;
  readonly reason: DeadLetterReason;
  readonly fault: string;
  readonly parked_at: Date;
  readonly bytes: bigint | number;
}

/** A dead letter, read again. */
interface Letter {
  readonly id: bigint;
  readonly reason: DeadLetterReason;
  readonly arrival: Arrival;
}

/** So many are replayed in one transaction. */
const PAGE = 500;
const NOTHING: Replayed = { applied: 0, skipped: 0, left: 0, lost: 0 };

const plus = (a: Replayed, b: Replayed): Replayed => ({
  applied: a.applied + b.applied,
  skipped: a.skipped + b.skipped,
  left: a.left + b.left,
  lost: a.lost + b.lost,
});

export class MysqlDeadLetters implements DeadLetters {
  readonly #transactions: Transactions;

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  async list(filter: DeadLetterFilter, limit: number): Promise<readonly DeadLetter[]> {
    const [where, values] = whereOf(filter);
    const sql = `SELECT id, partition_id, source, seq, reason, fault, parked_at, LENGTH(record) AS bytes FROM dead_letter WHERE ${where} ORDER BY id LIMIT ?`;
    const rows = await this.#transactions.with((connection) => connection.query<Row[]>(sql, [...values, limit]));
    return rows.map(({ id, partition_id, source, seq, reason, fault, parked_at, bytes }) => ({
      id: Number(id),
      partition: partition_id,
      reason,
      fault,
      source: source?.toString(),
      seq: seq === null ? undefined : Number(seq),
      parkedAt: parked_at,
      bytes: Number(bytes),
    }));
  }

  async count(): Promise<ReadonlyMap<DeadLetterReason, number>> {
    const sql = 'SELECT reason, COUNT(*) AS n FROM dead_letter GROUP BY reason';
    const rows = await this.#transactions.with((connection) => connection.query<{ reason: DeadLetterReason; n: bigint }[]>(sql));
    return new Map(rows.map(({ reason, n }) => [reason, Number(n)]));
  }

  async replay(filter: DeadLetterFilter, giveUp: boolean): Promise<Replayed> {
    let total = NOTHING;
    for (const partition of await this.#partitionsOf(filter)) total = plus(total, await this.#replayPartition({ ...filter, partition }, partition, giveUp));
    return total;
  }

  async drop(filter: DeadLetterFilter): Promise<number> {
    const [where, values] = whereOf(filter);
    const { affectedRows } = await this.#transactions.run((connection) => connection.query<{ affectedRows: number }>(`DELETE FROM dead_letter WHERE ${where}`, values));
    return affectedRows;
  }

  async #partitionsOf(filter: DeadLetterFilter): Promise<number[]> {
    const [where, values] = whereOf(filter);
    const sql = `SELECT DISTINCT partition_id FROM dead_letter WHERE ${where} ORDER BY partition_id`;
    const rows = await this.#transactions.with((connection) => connection.query<{ partition_id: number }[]>(sql, values));
    return rows.map(({ partition_id }) => partition_id);
  }

  /** Page by page, each source in its order, so that a page never waits for one that comes after it. */
  async #replayPartition(filter: DeadLetterFilter, partition: number, giveUp: boolean): Promise<Replayed> {
    const [where, values] = whereOf(filter);
    const ids = await this.#transactions.with((connection) =>
      connection.query<{ id: bigint }[]>(`SELECT id FROM dead_letter WHERE ${where} ORDER BY source, seq, id`, values),
    );
    let total = NOTHING;
    for (let from = 0; from < ids.length; from += PAGE) {
      const page = ids.slice(from, from + PAGE).map(({ id }) => id);
      total = plus(total, await this.#replayTogether(page, partition, giveUp));
    }
    return total;
  }

  /** In one transaction; where one of them does not fit, each in one of its own. */
  async #replayTogether(ids: readonly bigint[], partition: number, giveUp: boolean): Promise<Replayed> {
    try {
      return await this.#transactions.run((connection) => replayIn(connection, partition, ids, giveUp));
    } catch (error) {
      if (!isDataFault(error)) throw error;
      if (ids.length === 1) return { ...NOTHING, left: 1 };
      let total = NOTHING;
      for (const id of ids) total = plus(total, await this.#replayTogether([id], partition, giveUp));
      return total;
    }
  }
}

async function replayIn(connection: Connection, partition: number, ids: readonly bigint[], giveUp: boolean): Promise<Replayed> {
  const heads = await connection.query<{ source: Buffer | null }[]>('SELECT DISTINCT source FROM dead_letter WHERE id IN (?)', [ids]);
  const sources = heads.flatMap(({ source }) => (source === null ? [] : [source.toString()]));
  const known = await lockKnown(connection, partition, sources);
  const letters = await lettersOf(connection, partition, ids);
  const outOfOrder = letters.filter(({ reason, arrival }) => arrival.fault === undefined && (reason === 'impossible' || (reason === 'forgotten' && giveUp)));
  const inOrder = letters.filter(({ reason }) => reason === 'gap' || reason === 'unreadable');
  const plan = planOf(known, inOrder.map(({ arrival }) => arrival), giveUp);
  for (const { arrival } of outOfOrder) fold(plan.sums, arrival.entries);
  await addSums(connection, partition, plan.sums);
  await advance(connection, partition, plan.advanced);
  const settled = new Set([...plan.applied, ...plan.skipped]);
  const done = [...outOfOrder, ...inOrder.filter(({ arrival }) => settled.has(arrival))].map(({ id }) => id);
  if (done.length > 0) await connection.query('DELETE FROM dead_letter WHERE id IN (?)', [done]);
  const applied = plan.applied.length + outOfOrder.length;
  return { applied, skipped: plan.skipped.length, left: letters.length - done.length, lost: plan.lost };
}

/** Under the partition's lock: a letter that another replay has settled is gone. */
async function lettersOf(connection: Connection, partition: number, ids: readonly bigint[]): Promise<Letter[]> {
  const sql = 'SELECT id, reason, record FROM dead_letter WHERE id IN (?) ORDER BY source, seq, id';
  const rows = await connection.query<{ id: bigint; reason: DeadLetterReason; record: Buffer }[]>(sql, [ids]);
  return rows.map(({ id, reason, record }) => ({ id, reason, arrival: readArrival(partition, record) }));
}

/** The condition on rows, and its values. */
function whereOf({ ids, partition, reasons }: DeadLetterFilter): [string, unknown[]] {
  const conditions: [string, unknown][] = [];
  if (ids !== undefined) conditions.push(['id IN (?)', ids.length === 0 ? [0] : ids]); // 0 is no id
  if (partition !== undefined) conditions.push(['partition_id = ?', partition]);
  if (reasons !== undefined) conditions.push(['reason IN (?)', reasons]);
  return [['TRUE', ...conditions.map(([condition]) => condition)].join(' AND '), conditions.map(([, value]) => value)];
}
