/** Keys are compared byte by byte, whatever they look like. */
import assert from 'node:assert/strict';
import { resultOf, type Check } from './session.ts';

const PROPERTIES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];
const ODD = ['\n', '\r\n', '\t', ' ', '\0', 'a\0b', 'a', '*', ':', '::', '{', '}', '{}', '{a}b', '%', '_', "'", '"', '\\', ';--'];
const ALIKE = [
  'key', 'KEY', 'k\u00e9y', 'ke\u0301y', 'key ', ' key', 'caf\u00e9', 'cafe\u0301', '\ufeffkey', 'key\u200b', '\u212b', '\u00c5',
];

const FACE = '\u{1f600}';
/** 512 bytes each: of one, three and four bytes a character. */
const MIXED = `${FACE.repeat(127)}\u4e2d`;
const LONGEST = [`${'x'.repeat(511)}y`, `${'x'.repeat(511)}z`, FACE.repeat(128), `${MIXED}a`, `${MIXED}b`];

/** Adds 1, 2, 3 … to the keys, in one batch and then one by one, and reads them all. */
async function keepApart(s: Parameters<Parameters<Check>[1]>[0], keys: readonly string[]): Promise<void> {
  assert.deepEqual((await s.store.read(0, keys.map((key) => ({ key })))).map(({ found }) => found), keys.map(() => false));
  await s.send(keys.map((key, i) => ({ key, delta: i + 1 })));
  for (const [i, key] of keys.entries()) assert.equal((await s.add(key, 100)).value, i + 101, JSON.stringify(key));
  const readings = await s.store.read(0, keys.map((key) => ({ key })));
  assert.deepEqual(readings, keys.map((_, i) => ({ value: i + 101, found: true })));
}

export function checkKeys(check: Check): void {
  check('takes names of object properties for keys, members and request ids like any other (K01)', async (s) => {
    await keepApart(s, PROPERTIES);
    const unique = { kind: 'unique', windowMs: 60_000 } as const;
    for (const [i, member] of PROPERTIES.entries()) {
      const answer = await s.add('set', 1, { terms: unique, member, requestId: member });
      assert.deepEqual(answer, { value: i + 1, delta: 1 });
    }
    assert.equal(({} as Record<string, unknown>)['value'], undefined);
  });

  check('keeps control characters, spaces and signs as they are, and others undisturbed (K02)', async (s) => {
    await keepApart(s, ODD);
    for (let i = 0; i < 100; i++) assert.equal((await s.add(`plain${i}`, i)).value, i);
  });

  check('merges no two keys: neither by case, accent, composition nor space (K04, K05)', (s) => keepApart(s, ALIKE));

  check('tells the longest keys apart by their last byte (K06)', (s) => keepApart(s, LONGEST));

  check('refuses what is no key, counts nothing and fails no other (K06)', async (s) => {
    const bad = ['', 'x'.repeat(513), FACE.repeat(128) + 'a', '\ud800', 'a\udc00'];
    const operations = [...bad.map((key) => ({ key, delta: 1 })), { key: 'ok', delta: 1 }];
    const answer = await s.send(operations);
    for (let i = 0; i < bad.length; i++) assert.deepEqual(resultOf(answer, operations, i), { value: 0, delta: 0, code: 'INVALID_KEY' });
    assert.equal(answer.values.at(-1), 1);
    const unique = { kind: 'unique', windowMs: 60_000 } as const;
    assert.equal((await s.add('set', 1, { terms: unique, member: '\ud800' })).code, 'INVALID_KEY');
    assert.equal((await s.reading('set', unique)).found, false);
  });

  check('keeps members apart byte by byte, in sets and in sketches', async (s) => {
    const members = [...PROPERTIES, ...ODD, ...ALIKE, ...LONGEST];
    const unique = { kind: 'unique', windowMs: 60_000 } as const;
    const sketch = { kind: 'sketch', windowMs: 60_000, slices: 6 } as const;
    for (const terms of [unique, sketch]) {
      await s.send(members.map((member) => ({ key: 'set', delta: 1, terms, member })));
      assert.equal(await s.value('set', terms), members.length);
    }
  });
}
