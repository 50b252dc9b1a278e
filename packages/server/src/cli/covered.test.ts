import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startMariaDb, type MariaDb } from '../../../../test/support/mariadb.ts';
import { openMysqlLedger } from '../pipeline/ledger/mysql/mysql-ledger.ts';
import { encodeRecord } from '../pipeline/record.ts';
import { Covered } from './covered.ts';

let db: MariaDb;
before(async () => {
  db = await startMariaDb();
});
after(() => db.stop());

describe('what the ledger covers', () => {
  it('is the last seq of each source it has, and a fault while it is away', async () => {
    const target = { host: '127.0.0.1', port: db.port, user: 'root', database: 'tallystick', tls: false };
    const ledger = await openMysqlLedger({ target, partitions: 2 });
    await ledger.apply(1, [1, 2].map((seq) => encodeRecord({ source: 'a', seq, atMs: 1, entries: [] })));
    const covered = new Covered(target, 2);
    assert.deepEqual(await Promise.all([covered.seq(1, 'a'), covered.seq(0, 'a'), covered.seq(1, 'b')]), [2, 0, 0]);
    covered.close();
    await ledger.close();
    const away = new Covered({ ...target, port: 1 }, 2);
    await assert.rejects(away.seq(0, 'a'), { code: 'STORE_UNAVAILABLE' });
  });
});
