import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Memos } from './memos.ts';

describe('Memos', () => {
  it('has one memo a key', () => {
    const memos = new Memos();
    assert.equal(memos.find('k'), undefined);
    assert.equal(memos.of('k'), memos.of('k'));
    assert.equal(memos.find('k'), memos.of('k'));
    assert.notEqual(memos.of('k'), memos.of('l'));
  });

  it('checks a key that is new', () => {
    const memos = new Memos();
    assert.throws(() => memos.of(''), { code: 'INVALID_KEY' });
    assert.throws(() => memos.of('\ud800'), { code: 'INVALID_KEY' });
    assert.equal(memos.find(''), undefined);
  });

  it('forgets between batches when it has become many, and never within one', () => {
    const memos = new Memos();
    const first = memos.nextBatch();
    const memo = memos.of('k');
    for (let i = 0; i < 20_000; i++) memos.of(`k${i}`);
    assert.equal(memos.of('k'), memo);
    assert.equal(memos.nextBatch(), first + 1);
    assert.equal(memos.find('k'), undefined);
  });
});
