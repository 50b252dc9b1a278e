// Bad input over gRPC: a code, a field, and nothing counted.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { countersService as counters, frequencyService as frequency } from '@tallystick/client/wire';
import { loadSync, type MethodDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import { PROTO_FILES, PROTO_FOLDER } from '@tallystick/client/wire';
import { startGrpcNode, type GrpcNode } from '../../../../test/support/grpc-node.ts';

const described = loadSync([...PROTO_FILES], { includeDirs: [PROTO_FOLDER], keepCase: true });
/** A message as another implementation writes it, which also writes what ours would not. */
function bytesOf(path: string, message: object): Buffer {
  const [, service = '', method = ''] = path.split('/');
  return ((described[service] as ServiceDefinition)[method] as MethodDefinition<object, object>).requestSerialize(message);
}

const freq = { business_id: 1, key: 'k', time_span: 60, time_unit: 0 };
const { Add, BatchAdd, Get, BatchGet } = counters;
const { AddFreq, BatchAddFreq, GetFreq } = frequency;

/** What is sent, and the reason and field of the refusal. */
const TABLE: readonly [name: string, method: { path: string }, message: object, reason: string, field: string, index?: string][] = [
  ['an empty key', Add, { key: '' }, 'INVALID_KEY', 'key'],
  ['a key of 513 bytes', Add, { key: 'é'.repeat(256) + 'x' }, 'INVALID_KEY', 'key'],
  ['the smallest int64 but one', Add, { key: 'k', delta: '-9223372036854775807' }, 'INVALID_AMOUNT', 'delta'],
  ['2^53', Add, { key: 'k', delta: '9007199254740992' }, 'INVALID_AMOUNT', 'delta'],
  ['the largest int64 as a floor', Add, { key: 'k', min: '9223372036854775807' }, 'INVALID_AMOUNT', 'min'],
  ['a floor above the ceiling', Add, { key: 'k', min: 2, max: 1 }, 'INVALID_ARGUMENT', 'min'],
  ['a lifetime of 0', Add, { key: 'k', ttl_ms: 0 }, 'INVALID_ARGUMENT', 'ttl_ms'],
  ['a negative lifetime', Add, { key: 'k', ttl_ms: -1 }, 'INVALID_ARGUMENT', 'ttl_ms'],
  ['a window where there is none', Add, { key: 'k', window_ms: 5 }, 'INVALID_ARGUMENT', 'window_ms'],
  ['a type that does not exist', Add, { key: 'k', type: 99 }, 'INVALID_ARGUMENT', 'type'],
  ['an empty request id', Add, { key: 'k', request_id: '' }, 'INVALID_ARGUMENT', 'request_id'],
  ['a request id of 129 characters', Add, { key: 'k', request_id: 'r'.repeat(129) }, 'INVALID_ARGUMENT', 'request_id'],
  ['no member', Add, { key: 'k', type: 5, window_ms: 1000 }, 'INVALID_KEY', 'member'],
  ['a bad item', BatchAdd, { items: [{ key: 'k' }, { key: 'k', delta: '9007199254740993' }] }, 'INVALID_AMOUNT', 'items[1].delta', '1'],
  ['a time-out in a batch', BatchAdd, { items: [{ key: 'k', timeout_ms: 5 }] }, 'UNKNOWN_FIELD', 'items[0].timeout_ms', '0'],
  ['too many items', BatchAdd, { items: Array.from({ length: 1001 }, () => ({ key: 'k' })) }, 'BATCH_TOO_LARGE', 'items'],
  ['no key to read', Get, { key: '' }, 'INVALID_KEY', 'key'],
  ['a bad key to read among many', BatchGet, { items: [{ key: 'k' }, {}] }, 'INVALID_KEY', 'items[1].key', '1'],
  ['a time span of 0', AddFreq, { ...freq, time_span: 0 }, 'INVALID_ARGUMENT', 'time_span'],
  ['a time span beyond what the reply can say', AddFreq, { ...freq, time_span: 4294967295, time_unit: 1 }, 'INVALID_ARGUMENT', 'time_span'],
  ['a time unit that does not exist', AddFreq, { ...freq, time_unit: 2 }, 'INVALID_ARGUMENT', 'time_unit'],
  ['an empty key of a business', GetFreq, { business_id: 1 }, 'INVALID_KEY', 'key'],
  ['a bad request', BatchAddFreq, { requests: [freq, freq, { ...freq, time_span: 0 }] }, 'INVALID_ARGUMENT', 'requests[2].time_span', '2'],
];

describe('bad input over gRPC', () => {
  let node: GrpcNode;
  before(async () => {
    node = await startGrpcNode({ maxMessageBytes: 200_000 });
  });
  after(() => node.close());

  for (const [name, { path }, message, reason, field, index] of TABLE) {
    it(`refuses ${name}, naming ${field}`, async () => {
      const refused = await node.refused({ path }, bytesOf(path, message));
      assert.deepEqual([refused.reason, refused.field, refused.index], [reason, field, index]);
      assert.equal(refused.status, 'INVALID_ARGUMENT');
    });
  }

  const malformed: readonly [name: string, bytes: number[]][] = [
    ['that end within a field', [0x0a, 5, 0x6b]],
    ['that end within a number', [0x10, 0x80]],
    ['with a number of eleven bytes', [0x10, ...Array.from({ length: 10 }, () => 0xff), 1]],
    ['with a field number 0', [0x02, 1, 0x6b]],
    ['with a wire type that does not exist', [0x0f]],
    ['with a group that does not end', [0x6b]],
    ['with a key that is not UTF-8', [0x0a, 2, 0xc3, 0x28]],
    ['with half a surrogate pair', [0x0a, 3, 0xed, 0xa0, 0x80]],
    ['with a long key that is not UTF-8', [0x0a, 40, ...Array.from({ length: 39 }, () => 0x6b), 0xff]],
  ];
  for (const [name, bytes] of malformed) {
    it(`refuses bytes ${name}`, async () => {
      const refused = await node.refused(Add, Buffer.from(bytes));
      assert.deepEqual([refused.status, refused.code, refused.reason], ['INVALID_ARGUMENT', '10008', 'MALFORMED']);
    });
  }

  it('ignores fields it does not know, as protobuf prescribes, and known ones of another wire type', async () => {
    const known = counters.Add.requestSerialize({ key: 'ignores', delta: 3 });
    // Fields 99 to 103: a varint, bytes, 64 bits, 32 bits and a group; then delta as bytes.
    const unknown = [[0x98, 6, 1], [0xa2, 6, 1, 0x78], [0xa9, 6, 1, 2, 3, 4, 5, 6, 7, 8], [0xb5, 6, 1, 2, 3, 4], [0xbb, 6, 8, 1, 0xbc, 6]];
    const bytes = Buffer.concat([known, Buffer.from([...unknown.flat(), 0x12, 1, 0x79])]);
    const raw = { ...counters.Add, requestSerialize: () => bytes };
    assert.equal((await node.call(raw, { key: '' })).value, 3);
  });

  it('tells a message that is too large from everything else', async () => {
    const items = Array.from({ length: 200_000 }, (_, i) => ({ key: `key:${i}` }));
    const refused = await node.refused(BatchAdd, counters.BatchAdd.requestSerialize({ items }));
    assert.deepEqual([refused.status, refused.code, refused.reason], ['INVALID_ARGUMENT', '10010', 'PAYLOAD_TOO_LARGE']);
  });

  it('survives a message about half a surrogate pair', async () => {
    // 39 characters and a pair: what is shown of it is cut within the pair.
    const refused = await node.refused(Add, bytesOf(Add.path, { key: 'k', request_id: 'x'.repeat(39) + '😀'.repeat(60) }));
    assert.equal(refused.reason, 'INVALID_ARGUMENT');
  });

  it('has counted nothing, and logged no fault of its own', async () => {
    assert.deepEqual(await node.call(counters.Get, { key: 'k' }), { value: 0, found: false, exact: true });
    assert.equal((await node.call(frequency.GetFreq, { business_id: 1, key: 'k' })).code, 10002);
    assert.deepEqual(node.logged, []);
  });
});
