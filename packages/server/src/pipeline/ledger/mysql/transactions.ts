/** Connections to the database, transactions on them, and what its errors mean. */
import { createConnection, type Connection, type ConnectionConfig, type SqlError } from 'mariadb';
import { TallystickError } from 'tallystick';

/** Where the database is. */
export interface MysqlTarget {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string;
  readonly database: string;
  readonly tls: boolean;
}

/** Settings of the connections. */
export interface TransactionOptions {
  /** How many there are at most. */
  readonly connections: number;
  /** How long a transaction may take, in milliseconds; it is given up then, its outcome unknown. */
  readonly timeoutMs: number;
}

const CONNECT_TIMEOUT_MS = 5000;
const LOCK_FAULTS: ReadonlySet<number> = new Set([1205, 1213]);
const LOCK_ATTEMPTS = 8;
const LOCK_PAUSE_MS = 20;
/** The class of SQL states for data that does not fit. */
const DATA_EXCEPTION = '22';
/** A client that stands still within a transaction keeps its locks no longer. */
const SERVER_WAITS_SECONDS = 30;
const IDLE_MS = 15_000;
const SESSION = [
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  `SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', wait_timeout = ${SERVER_WAITS_SECONDS}`,
];

/** Whether an error says that the data itself cannot be kept. */
export const isDataFault = (error: unknown): boolean => causeOf(error)?.sqlState?.startsWith(DATA_EXCEPTION) === true;

const isLockFault = (error: unknown): boolean => LOCK_FAULTS.has(causeOf(error)?.errno ?? 0);

function causeOf(error: unknown): Partial<SqlError> | undefined {
  return (error instanceof TallystickError ? error.cause : error) as Partial<SqlError> | undefined;
}

const pauseMs = (attempt: number): number => LOCK_PAUSE_MS * 2 ** attempt * (0.5 + Math.random() / 2);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const configOf = ({ host, port, user, password, database, tls }: MysqlTarget): ConnectionConfig => ({
  host, port, user, database,
  ...(password !== undefined && { password }),
  ...(tls && { ssl: true }),
  connectTimeout: CONNECT_TIMEOUT_MS,
});

/** A connection whose end, while nothing is asked of it, is nobody's fault: it is found when it is used. */
async function opened(config: ConnectionConfig): Promise<Connection> {
  const opening = createConnection(config);
  const connection = await inTime(opening, CONNECT_TIMEOUT_MS).catch((error: unknown) => {
    opening.then((late) => { late.destroy(); }, () => undefined);
    throw error;
  });
  connection.on('error', () => undefined);
  try {
    for (const statement of SESSION) await inTime(connection.query(statement), CONNECT_TIMEOUT_MS);
    return connection;
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

/** The driver may leave a promise open whose connection was cut off. */
async function inTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => { reject(new Error(`no answer in ${timeoutMs} ms`)); }, timeoutMs);
  });
  return Promise.race([work, late]).finally(() => { clearTimeout(timer); });
}

/** Runs `work` on a connection of its own, which is tried once. @throws TallystickError As {@link Transactions.run}. */
export async function onConnection<T>(target: MysqlTarget, work: (connection: Connection) => Promise<T>): Promise<T> {
  let connection: Connection | undefined;
  try {
    connection = await opened(configOf(target));
    return await work(connection);
  } catch (error) {
    throw unavailable(error);
  } finally {
    connection?.destroy();
  }
}

interface Idle {
  readonly connection: Connection;
  readonly sinceMs: number;
}

/** Connections to one database. One that had a fault is not used again. */
export class Transactions {
  readonly #config: ConnectionConfig;
  readonly #timeoutMs: number;
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #idle: Idle[] = [];
  #closed = false;

  constructor(target: MysqlTarget, { connections, timeoutMs }: TransactionOptions) {
    this.#config = configOf(target);
    this.#timeoutMs = timeoutMs;
    this.#free = connections;
  }

  /**
   * Runs `work` in a transaction. When the database gave it up for a lock, it is run again; everything else is thrown.
   *
   * @throws TallystickError `STORE_UNAVAILABLE` with the database's error as its cause; the outcome is then unknown.
   */
  async run<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#once(work);
      } catch (error) {
        if (!isLockFault(error) || attempt === LOCK_ATTEMPTS) throw error;
        await pause(pauseMs(attempt));
      }
    }
  }

  /** Runs `work` on a connection, without a transaction. @throws TallystickError As {@link run}. */
  with<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#use((connection) => inTime(work(connection), this.#timeoutMs));
  }

  /** Runs `work` while this holds a lock of the database's server under `name`; returns false when another holds it. */
  async locked(name: string, work: () => Promise<void>): Promise<boolean> {
    return this.#use(async (connection) => {
      const [row] = await connection.query<{ got: number | bigint | null }[]>('SELECT GET_LOCK(CONCAT(DATABASE(), ?), 0) AS got', [name]);
      if (Number(row?.got) !== 1) return false;
      // The server ends a connection that says nothing for a while, and the lock with it.
      const alive = setInterval(() => { connection.ping().catch(() => undefined); }, (SERVER_WAITS_SECONDS * 1000) / 3);
      await work().finally(() => { clearInterval(alive); });
      await connection.query('DO RELEASE_LOCK(CONCAT(DATABASE(), ?))', [name]);
      return true;
    });
  }

  /** Ends the connections; those in use when they are given back. */
  close(): void {
    this.#closed = true;
    for (const { connection } of this.#idle.splice(0)) connection.destroy();
    for (const go of this.#waiting.splice(0)) go();
  }

  #once<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.with(async (connection) => {
      await connection.beginTransaction();
      const done = await work(connection);
      await connection.commit();
      return done;
    });
  }

  async #use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    while (this.#free === 0 && !this.#closed) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#closed) throw new TallystickError('CLOSED', 'the ledger is closed');
    this.#free--;
    let connection: Connection | undefined;
    try {
      connection = this.#reused() ?? (await opened(this.#config));
      const done = await work(connection);
      this.#giveBack(connection);
      return done;
    } catch (error) {
      connection?.destroy();
      throw unavailable(error);
    } finally {
      this.#free++;
      this.#waiting.shift()?.();
    }
  }

  #giveBack(connection: Connection): void {
    if (this.#closed) connection.destroy();
    else this.#idle.push({ connection, sinceMs: performance.now() });
  }

  /** An idle connection; the server may have ended those that were idle for long. */
  #reused(): Connection | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.connection.isValid() && performance.now() - idle.sinceMs < IDLE_MS) return idle.connection;
      idle.connection.destroy();
    }
    return undefined;
  }
}

function unavailable(cause: unknown): TallystickError {
  if (cause instanceof TallystickError) return cause;
  const { sqlMessage, message } = cause as Partial<SqlError> & Error;
  return new TallystickError('STORE_UNAVAILABLE', `mysql: ${sqlMessage ?? message}`, { field: 'mysql', cause });
}
