import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hashOf, Keyspace } from './buckets.ts';
import { PlainAdds } from './plain-adds.ts';

const key = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 });

describe('buckets', () => {
  it('hash a key the same whether it is written out or only asked for', () => {
    fc.assert(fc.property(fc.array(key, { minLength: 1 }), (keys) => {
      const adds = new PlainAdds();
      for (const each of keys) assert.equal(adds.add(each, 1), hashOf(each));
    }));
  });

  it('take up similar keys evenly', () => {
    const space = new Keyspace('t', 0, 1024);
    const sizes = new Map<number, number>();
    for (let i = 0; i < 32 * 1024; i++) {
      const bucket = space.bucketOf(`article:like:${1_000_000 + i}`);
      sizes.set(bucket, (sizes.get(bucket) ?? 0) + 1);
    }
    // A random spread over so many has its fullest at 55 of 32 on average.
    assert.ok(Math.max(...sizes.values()) <= 64, `${Math.max(...sizes.values())} in one bucket`);
    assert.ok(sizes.size > 1000);
  });
});

describe('plain adds', () => {
  it('are not written when the key is none', () => {
    const adds = new PlainAdds();
    for (const bad of ['', '\ud800', 'x'.repeat(513), 'é'.repeat(257)]) assert.equal(adds.add(bad, 1), undefined);
    assert.deepEqual(adds.finish(), Buffer.from([0x90]));
  });

  it('are strings of MessagePack, of any length and sign', () => {
    const adds = new PlainAdds();
    adds.add('a', 7);
    adds.addToSlot('#3', -1);
    adds.add('é'.repeat(20), -(2 ** 53 - 1));
    const head = Buffer.from([0xdd, 0, 0, 0, 6, 0xa1, 0x61, 0xa1, 0x37, 0xa2, 0x23, 0x33, 0xa2, 0x2d, 0x31, 0xda, 0, 40]);
    const amount = Buffer.from('\xb1-9007199254740991', 'latin1');
    assert.deepEqual(adds.finish(), Buffer.concat([head, Buffer.from('é'.repeat(20)), amount]));
    adds.add('a', 7);
    assert.deepEqual(adds.finish(), Buffer.from([0xdd, 0, 0, 0, 2, 0xa1, 0x61, 0xa1, 0x37]));
  });
});
