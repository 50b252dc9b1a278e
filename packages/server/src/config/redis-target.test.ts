import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatRedisTarget, parseRedisTarget, type RedisTarget } from './redis-target.ts';

const at = (host: string, port: number): { host: string; port: number } => ({ host, port });

describe('parseRedisTarget', () => {
  const good: readonly [text: string, target: RedisTarget, shown?: string][] = [
    ['redis://127.0.0.1:6380', { topology: 'standalone', addresses: [at('127.0.0.1', 6380)], tls: false }],
    ['redis://cache', { topology: 'standalone', addresses: [at('cache', 6379)], tls: false }, 'redis://cache:6379'],
    ['rediss://[::1]:1/3', { topology: 'standalone', addresses: [at('::1', 1)], tls: true, database: 3 }],
    ['redis://ada:p%40ss@h:1', { topology: 'standalone', addresses: [at('h', 1)], tls: false, username: 'ada', password: 'p@ss' }, 'redis://h:1'],
    ['redis://:pw@h:1', { topology: 'standalone', addresses: [at('h', 1)], tls: false, password: 'pw' }, 'redis://h:1'],
    ['redis+sentinel://a:1,b/main', { topology: 'sentinel', addresses: [at('a', 1), at('b', 26_379)], tls: false, masterName: 'main' }, 'redis+sentinel://a:1,b:26379/main'],
    ['rediss+cluster://u:p@a:1,b:2', { topology: 'cluster', addresses: [at('a', 1), at('b', 2)], tls: true, username: 'u', password: 'p' }, 'rediss+cluster://a:1,b:2'],
    ['redis+cluster://a:1,redis+cluster://b:2', { topology: 'cluster', addresses: [at('a', 1), at('b', 2)], tls: false }, 'redis+cluster://a:1,b:2'],
  ];
  for (const [text, target, shown = text] of good) {
    it(`reads ${text}, and shows it without user and password`, () => {
      assert.deepEqual(parseRedisTarget(text), target);
      assert.equal(formatRedisTarget(target), shown);
    });
  }

  const bad = ['', 'h:1', 'http://h:1', 'redis://', 'redis://a:1,b:2', 'redis://h:0', 'redis://h:99999', 'redis://h:1/x', 'redis://u@h:1', 'redis://u:%ZZ@h:1'];
  for (const text of [...bad, 'redis+sentinel://a:1', 'redis+cluster://a:1/0', 'redis+other://a:1', 'redis://h:1/1/2', 'redis+cluster://a:1,,b:2']) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(parseRedisTarget(text), undefined);
    });
  }
});
