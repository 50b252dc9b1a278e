import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MAX_VALUE, TallystickError } from 'tallystick';
import { decodeHead, decodeRecord, encodeRecord, type LogRecord } from './record.ts';

const amounts = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -300, max: 300 }), fc.constantFrom(MAX_VALUE, -MAX_VALUE, 2 ** 32, -(2 ** 31) - 1));
const keys = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter((key) => key.isWellFormed() && Buffer.byteLength(key) <= 512);
const records: fc.Arbitrary<LogRecord> = fc.record({
  partition: fc.nat(1023),
  source: fc.string({ minLength: 1, maxLength: 64 }),
  seq: fc.integer({ min: 1, max: MAX_VALUE }),
  atMs: fc.maxSafeNat(),
  entries: fc.array(fc.tuple(keys, amounts), { maxLength: 40 }),
}, { noNullPrototype: true });

const faultOf = (bytes: Uint8Array): string => {
  try {
    decodeRecord(0, bytes);
    return 'none';
  } catch (error) {
    assert.ok(error instanceof TallystickError && error.code === 'DATA_CORRUPT');
    return error.message;
  }
};

describe('a record', () => {
  it('is read as it was written', () => {
    fc.assert(fc.property(records, (record) => {
      assert.deepEqual(decodeRecord(record.partition, encodeRecord(record)), record);
    }));
  });

  it('has the bytes that are documented', () => {
    const bytes = encodeRecord({ source: 's', seq: 300, atMs: 5, entries: [['k', -1], ['é', 70_000]] });
    assert.equal(bytes.toString('hex'), '9501a173cd012c0594a16bffa2c3a9ce00011170');
  });

  it('is refused with the field at fault, and never read as another', () => {
    const good = { source: 's', seq: 1, atMs: 1, entries: [['k', 1]] as [string, number][] };
    assert.match(faultOf(new Uint8Array()), /expected 1 more bytes at byte 0/);
    assert.match(faultOf(Buffer.from('{"not":"ours"}')), /expected an array at byte 0/);
    assert.match(faultOf(encodeRecord({ ...good, seq: 0 })), /seq: expected 1 or more, got 0/);
    assert.match(faultOf(encodeRecord({ ...good, source: '' })), /source: expected 1 to 64 bytes/);
    assert.match(faultOf(encodeRecord({ ...good, entries: [['x'.repeat(513), 1]] })), /entries\[0\]: expected a key/);
    assert.match(faultOf(Buffer.concat([encodeRecord(good), Buffer.of(0)])), /expected the end/);
    assert.match(faultOf(Buffer.from('9502a173010190', 'hex')), /version: expected 1, got 2/);
    assert.match(faultOf(Buffer.from('9501a173010192a2c32801', 'hex')), /expected UTF-8/);
    assert.match(faultOf(Buffer.from('9501a173010192a16bcf0020000000000000', 'hex')), /within ±/);
  });

  it('tells whose it is though its entries are wrong', () => {
    const bytes = encodeRecord({ source: 's', seq: 7, atMs: 1, entries: [['', 1]] });
    assert.match(faultOf(bytes), /entries\[0\]/);
    assert.deepEqual(decodeHead(3, bytes), { partition: 3, source: 's', seq: 7, atMs: 1 });
  });

  it('is never read from random bytes with anything but DATA_CORRUPT', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => void faultOf(bytes)));
    fc.assert(fc.property(records, fc.nat(), (record, at) => void faultOf(encodeRecord(record).subarray(0, at))));
  });
});
