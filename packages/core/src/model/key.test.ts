import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkKey, isKey, joinKey, utf8Length } from './key.ts';

describe('checkKey', () => {
  it('gives any 1 to 512 bytes of text back as they are (K01, K02, K04–K06)', () => {
    const odd = ['a', ' ', '\n', '\0', '*', '{}', 'key ', 'KEY', 'caf\u00e9', 'cafe\u0301', '__proto__'];
    const keys = [...odd, 'x'.repeat(512), '\u{1f600}'.repeat(128)];
    for (const key of keys) assert.equal(checkKey(key), key);
  });

  it('counts bytes, not characters', () => {
    assert.equal(isKey('\u{1f600}'.repeat(128)), true);
    assert.equal(isKey(`${'\u{1f600}'.repeat(128)}a`), false);
    assert.equal(isKey('\u4e2d'.repeat(170) + 'ab'), true);
    assert.equal(isKey('\u4e2d'.repeat(171)), false);
    assert.equal(isKey('x'.repeat(513)), false);
  });

  it('refuses what is no key, naming the field and what came (K11)', () => {
    for (const key of [undefined, null, '', NaN, 5, {}, [], '\ud800', 'a\udc00b', '\udc00\ud800']) {
      assert.throws(() => checkKey(key, 'resourceId'), { code: 'INVALID_KEY', field: 'resourceId' });
    }
    assert.throws(() => checkKey({}), /key: expected a string, got an object/);
    assert.throws(() => checkKey('x'.repeat(600)), /at most 512 bytes of UTF-8, got 600/);
  });

  it('agrees with the encoder about every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const bytes = new TextEncoder().encode(text).length;
        assert.equal(utf8Length(text), bytes);
        assert.equal(isKey(text), bytes >= 1 && bytes <= 512);
      }),
    );
  });
});

describe('joinKey', () => {
  it('gives the parts of K09 six keys', () => {
    const parts = [['a', 'bc'], ['ab', 'c'], ['a:b', 'c'], ['a', 'b:c'], ['', 'x'], ['x', '']];
    assert.equal(new Set(parts.map((pair) => joinKey(...pair))).size, 6);
  });

  it('never gives different parts the same key, nor another number of parts', () => {
    const letters = ['', '1', '3', ':', 'a'];
    const texts = letters.flatMap((x) => letters.map((y) => x + y)).filter((text, i, all) => all.indexOf(text) === i);
    const tuples: string[][] = texts.flatMap((a) => [[a], ...texts.flatMap((b) => [[a, b], ...texts.map((c) => [a, b, c])])]);
    assert.equal(new Set(tuples.map((parts) => joinKey(...parts))).size, tuples.length);
    // What a reader of a key takes for a length may have been a part.
    assert.notEqual(joinKey('a', '1:b:c'), joinKey('a', 'b', 'c'));
  });

  it('refuses a part that is missing, and a whole that is too long', () => {
    assert.throws(() => joinKey('a', undefined as unknown as string), { code: 'INVALID_KEY', field: 'parts[1]' });
    assert.throws(() => joinKey('x'.repeat(300), 'x'.repeat(300)), { code: 'INVALID_KEY', field: 'parts' });
    assert.throws(() => joinKey(), { code: 'INVALID_KEY' });
  });

  it('does not mend a pair of surrogates that two parts were given a half of', () => {
    assert.throws(() => joinKey('\ud83d', '\ude00'), { code: 'INVALID_KEY' });
  });
});
