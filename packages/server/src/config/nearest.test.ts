import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearest } from './nearest.ts';

describe('nearest', () => {
  it('finds what was probably meant, letter case aside', () => {
    const names = ['http', 'grpc', 'flushEveryMs', 'maxBodyBytes', 'maxBatchItems'];
    assert.equal(nearest('htpt', names), 'http');
    assert.equal(nearest('flush_every_ms', names), 'flushEveryMs');
    assert.equal(nearest('MAXBODYBYTE', names), 'maxBodyBytes');
    assert.equal(nearest('x', []), undefined);
  });
});
