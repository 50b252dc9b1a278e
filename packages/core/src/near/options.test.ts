import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkNear, type NearOptions } from './options.ts';

const wild = (value: unknown): NearOptions => value as NearOptions;

describe('the options of a near cache', () => {
  it('have defaults', () => {
    assert.deepEqual(checkNear({}), { maxEntries: 10_000, ttlMs: 1000, staleIfErrorMs: 0 });
    assert.deepEqual(checkNear({ maxEntries: 1, ttlMs: 1, staleIfErrorMs: 5 }), { maxEntries: 1, ttlMs: 1, staleIfErrorMs: 5 });
  });

  const refusals: readonly (readonly [unknown, string])[] = [
    [null, 'near'],
    [true, 'near'],
    [{ ttl: 5 }, 'ttl'],
    [{ maxEntries: 0 }, 'near.maxEntries'],
    [{ maxEntries: 1_000_001 }, 'near.maxEntries'],
    [{ ttlMs: -1 }, 'near.ttlMs'],
    [{ ttlMs: 0.5 }, 'near.ttlMs'],
    [{ ttlMs: '5' }, 'near.ttlMs'],
    [{ staleIfErrorMs: -1 }, 'near.staleIfErrorMs'],
    [{ staleIfErrorMs: NaN }, 'near.staleIfErrorMs'],
  ];
  for (const [options, field] of refusals) {
    it(`refuse ${JSON.stringify(options)}, naming ${field}`, () => {
      assert.throws(() => checkNear(wild(options)), { code: 'INVALID_CONFIG', field });
    });
  }
});
