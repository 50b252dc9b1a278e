import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatMysqlTarget, parseMysqlTarget } from './mysql-target.ts';

describe('parseMysqlTarget', () => {
  it('reads user, password, host, port, database and TLS', () => {
    const target = parseMysqlTarget('mysqls://me:p%40ss@db.example:3307/tally');
    assert.deepEqual(target, { host: 'db.example', port: 3307, user: 'me', password: 'p@ss', database: 'tally', tls: true });
    assert.deepEqual(parseMysqlTarget('mysql://root@[::1]/t'), { host: '::1', port: 3306, user: 'root', database: 't', tls: false });
  });

  for (const text of ['', 'mysql://h/d', 'mysql://u@h', 'mysql://u@h/', 'mysql://u@h/a/b', 'redis://u@h/d', 'mysql://u@h/d?x=1', 'mysql://u:%E0@h/d']) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(parseMysqlTarget(text), undefined);
    });
  }

  it('is shown without user and password', () => {
    assert.equal(formatMysqlTarget(parseMysqlTarget('mysql://me:secret@h/d')!), 'mysql://h:3306/d');
  });
});
