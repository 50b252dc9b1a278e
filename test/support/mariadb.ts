/** Starts MariaDB as the drill does, and what tests ask of it; where it is missing it is installed, if it can be. */
import { createConnection, type Connection } from 'mariadb';
import { DATABASE, MariaDb as Server, startMariaDb as start } from '../../packages/server/src/cli/drill/servers/mariadb.ts';
import { ensureInstalled } from './install.ts';

export class MariaDb extends Server {
  /** Empties the database. */
  async clear(): Promise<void> {
    await this.run(`DROP DATABASE ${DATABASE}`, `CREATE DATABASE ${DATABASE}`);
  }

  /** A connection for a test of its own. */
  async connection(): Promise<Connection> {
    return createConnection({ host: '127.0.0.1', port: this.port, user: 'root', database: DATABASE });
  }
}

/** Starts a MariaDB with an empty database. */
export async function startMariaDb(): Promise<MariaDb> {
  ensureInstalled('mariadbd', 'mariadb-server');
  return start((port) => new MariaDb(port));
}
