import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Note } from '../../model/answer.ts';
import type { Operation } from '../../model/operation.ts';
import { answerOf, readRecord, toRecord, type Applied, type LogRecord } from './record.ts';

function recordOf(operations: readonly Operation[], values: readonly number[], notes: readonly Note[] = []): LogRecord {
  return toRecord(1, { source: 's', partition: 0, seq: 1, operations }, { atMs: 100, values, notes });
}

/** What a row says was changed: counts by value, everything else by what is told of it. */
function changesOf(record: LogRecord): unknown[] {
  const changes: unknown[] = [];
  readRecord(record, {
    count: (key, value) => changes.push([key, value]),
    other: ({ key, value, delta, changed }: Applied) => changes.push({ key, value, delta, changed }),
  });
  return changes;
}

describe('a record of the log', () => {
  it('gives the answer back as it was, also at the ends of the range', () => {
    for (const values of [[], [1, -2, 2 ** 31 - 1, -(2 ** 31)], [2 ** 31], [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 0]]) {
      const operations = values.map((_, i) => ({ key: `k${i}`, delta: 1 }));
      const notes: Note[] = values.length > 1 ? [{ index: 1, value: values[1]!, delta: 1, expiresAtMs: 500 }] : [];
      assert.deepEqual(answerOf(recordOf(operations, values, notes)), { atMs: 100, values, notes });
    }
  });

  it('tells what each plain add came to, and nothing of what added nothing', () => {
    const operations = [{ key: 'a', delta: 2 }, { key: 'b\0"\n', delta: 0 }, { key: 'a', delta: -1 }];
    assert.deepEqual(changesOf(recordOf(operations, [2, 0, 1])), [['a', 2], ['a', 1]]);
    assert.deepEqual(changesOf(recordOf([{ key: 'a', delta: 3 }, { key: 'b', delta: 3 }], [3, 7])), [['a', 3], ['b', 7]]);
  });

  it('says nothing of what was refused or answered from a request id, and takes it whatever it is', () => {
    const operations = [{ key: 7n, delta: 5n }, { key: 'k', delta: 1, requestId: 'r' }, { key: 'k', delta: 1 }] as unknown as Operation[];
    const notes: Note[] = [{ index: 0, value: 0, delta: 0, code: 'INVALID_KEY' }, { index: 1, value: 4, delta: 1, replayed: true }];
    assert.deepEqual(changesOf(recordOf(operations, [0, 4, 5], notes)), [{ key: 'k', value: 5, delta: 1, changed: true }]);
  });

  it('holds of a bounded add what was really added', () => {
    const operations: Operation[] = [{ key: 'k', delta: -9, terms: { kind: 'count', min: 0 } }, { key: 'l', delta: -9, terms: { kind: 'count', min: 0 } }];
    const notes: Note[] = [{ index: 0, value: 0, delta: -4 }, { index: 1, value: 0, delta: 0 }];
    assert.deepEqual(changesOf(recordOf(operations, [0, 0], notes)), [
      { key: 'k', value: 0, delta: -4, changed: true },
      { key: 'l', value: 0, delta: 0, changed: false },
    ]);
  });

  it('knows amounts that cancelled each other from an amount of 0', () => {
    assert.deepEqual(changesOf(recordOf([{ key: 'k', delta: 0, reach: 4 }], [0])), [{ key: 'k', value: 0, delta: 0, changed: true }]);
  });
});
