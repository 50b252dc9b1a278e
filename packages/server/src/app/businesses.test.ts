import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Businesses, type BusinessOptions } from './businesses.ts';

describe('The choices of businesses', () => {
  it('are those of the business, else those for the rest, else to queue and to read no copy', () => {
    const businesses = new Businesses({ 7: { onOutage: 'local' }, '*': { onOutage: 'reject', staleIfErrorMs: 5 }, 4294967295: { maxAgeMs: 3 } }, true);
    assert.deepEqual(businesses.of(7), { onOutage: 'local', days: undefined, ages: { maxAgeMs: 0, staleIfErrorMs: 0 } });
    assert.deepEqual(businesses.of(8), { onOutage: 'reject', days: undefined, ages: { maxAgeMs: 0, staleIfErrorMs: 5 } });
    assert.deepEqual(businesses.of(4294967295), { onOutage: 'queue', days: undefined, ages: { maxAgeMs: 3, staleIfErrorMs: 0 } });
    assert.deepEqual(new Businesses({}, false).of(0), { onOutage: 'queue', days: undefined, ages: undefined });
  });

  const bad: [string, BusinessOptions, string][] = [
    ['7', { onOutage: 'ignore' as 'queue' }, 'frequency["7"].onOutage'],
    ['7', { maxAgeMs: -1 }, 'frequency["7"].maxAgeMs'],
    ['*', { staleIfErrorMs: 86_400_001 }, 'frequency["*"].staleIfErrorMs'],
    ['*', { stale: 1 } as BusinessOptions, 'frequency["*"].stale'],
    ['7', { timeZone: 'Mars/Olympus' }, 'frequency["7"].timeZone'],
    ['7', { timeZone: 1 as never }, 'frequency["7"].timeZone'],
    ['07', {}, 'frequency["07"]'],
    ['4294967296', {}, 'frequency["4294967296"]'],
    ['sms', {}, 'frequency["sms"]'],
  ];
  for (const [name, options, field] of bad) {
    it(`of ${JSON.stringify({ [name]: options })} are refused, naming ${field}`, () => {
      assert.throws(() => new Businesses({ [name]: options }, true), { code: 'INVALID_CONFIG', field });
    });
  }
});
