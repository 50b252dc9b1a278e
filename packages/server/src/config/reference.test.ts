import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reference, referenceTable } from './reference.ts';
import { SETTING_NAMES } from './settings.ts';

describe('the reference of settings', () => {
  it('describes every setting', () => {
    assert.deepEqual(reference.map(({ name }) => name), [...SETTING_NAMES]);
    for (const { name, meaning } of reference) assert.match(meaning, /^[A-Z].{10,}\.$/, name);
  });

  it('is a table with a row for each', () => {
    const rows = referenceTable().split('\n').slice(2);
    assert.equal(rows.length, SETTING_NAMES.length);
    for (const row of rows) assert.equal(row.split(' | ').length, 6, row);
  });
});
