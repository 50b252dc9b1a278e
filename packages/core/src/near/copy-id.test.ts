import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Terms } from '../model/operation.ts';
import { copyId } from './copy-id.ts';

const KEYS = ['a', 'aa', 'log:5:a', 'count::a', 'sketch:5/6:a', ':', '\0', '\u{1f600}'];
const TERMS: (Terms | undefined)[] = [
  undefined,
  { kind: 'log', windowMs: 5 },
  { kind: 'window', windowMs: 5, slices: 6 },
  { kind: 'unique', windowMs: 5 },
  { kind: 'sketch', windowMs: 5, slices: 6 },
];

describe('copyId', () => {
  it('is different for all that can be asked for', () => {
    const ids = KEYS.flatMap((key) => [...TERMS.map((terms) => copyId({ key, terms }, false)), copyId({ key }, true)]);
    assert.equal(new Set(ids).size, KEYS.length * (TERMS.length + 1));
  });

  it('does not depend on bounds and lifetimes: a total is one counter', () => {
    assert.equal(copyId({ key: 'k', terms: { kind: 'count', min: 0, ttlMs: 5 } }, false), copyId({ key: 'k' }, false));
  });
});
