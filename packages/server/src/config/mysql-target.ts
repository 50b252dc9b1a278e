/** Where the ledger is: `mysql://user:password@host:port/database`, `mysqls` for TLS. */

/** A database on a MySQL or MariaDB server. */
export interface MysqlTarget {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string;
  readonly database: string;
  readonly tls: boolean;
}

/** What is expected, for help and errors. */
export const MYSQL_URL = 'mysql://user:password@host:port/database (mysqls for TLS)';

const SCHEMES = new Map([['mysql:', false], ['mysqls:', true]]);
const PORT = 3306;
const DATABASE = /^\/([\w$-]{1,64})$/;

/** The database that `text` names; undefined when it names none. */
export function parseMysqlTarget(text: string): MysqlTarget | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const tls = SCHEMES.get(url?.protocol ?? '');
  const database = DATABASE.exec(url?.pathname ?? '')?.[1];
  if (url === undefined || tls === undefined || database === undefined) return undefined;
  if (url.hostname === '' || url.username === '' || url.search !== '' || url.hash !== '') return undefined;
  try {
    const password = decodeURIComponent(url.password);
    const port = url.port === '' ? PORT : Number(url.port);
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    return { host, port, user: decodeURIComponent(url.username), ...(password !== '' && { password }), database, tls };
  } catch {
    return undefined;
  }
}

/** `target` as it is shown: without user and password. */
export const formatMysqlTarget = ({ host, port, database, tls }: MysqlTarget): string => `${tls ? 'mysqls' : 'mysql'}://${host}:${port}/${database}`;
