import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer } from '../model/answer.ts';
import { WINDOW } from '../model/batch.ts';
import { SOURCE_RETENTION_MS, Sources } from './sources.ts';

const answer = (value: number, atMs = 0): Answer => ({ atMs, values: [value], notes: [] });

/** Sources of which `source` has had batches 1 to `last`. */
function after(last: number, source = 's'): Sources {
  const sources = new Sources();
  for (let seq = 1; seq <= last; seq++) sources.applied(source, seq, answer(seq));
  return sources;
}

describe('Sources', () => {
  it('lets only the next batch through', () => {
    const sources = after(3);
    assert.equal(sources.reply('s', 4), undefined);
    assert.deepEqual(sources.reply('s', 5), { behind: 3 });
    assert.equal(sources.reply('new', 1), undefined);
    assert.deepEqual(sources.reply('new', 2), { behind: 0 });
  });

  it('answers the last batches with their own results', () => {
    const sources = after(20);
    for (let seq = 20; seq > 20 - WINDOW; seq--) assert.deepEqual(sources.reply('s', seq), answer(seq));
  });

  it('lets no earlier batch through, though its results are forgotten', () => {
    const sources = after(20);
    for (let seq = 20 - WINDOW; seq >= 1; seq--) assert.deepEqual(sources.reply('s', seq), { atMs: 0, values: [], notes: [] });
  });

  it('forgets a source that was silent for long, when another one comes', () => {
    const sources = after(3, 'silent');
    sources.applied('busy', 1, answer(1, SOURCE_RETENTION_MS - 1));
    sources.applied('new', 1, answer(1, SOURCE_RETENTION_MS - 1));
    assert.equal(sources.size, 3);
    sources.applied('newer', 1, answer(1, SOURCE_RETENTION_MS));
    assert.equal(sources.size, 3);
    assert.equal(sources.reply('silent', 1), undefined);
    assert.equal(sources.reply('busy', 2), undefined);
  });

  it('forgets a silent source in the partition alone where another one comes', () => {
    const sources = after(3, '1/silent');
    sources.applied('2/new', 1, answer(1, SOURCE_RETENTION_MS));
    assert.deepEqual(sources.reply('1/silent', 9), { behind: 3 });
    sources.applied('1/new', 1, answer(1, SOURCE_RETENTION_MS));
    assert.deepEqual(sources.reply('1/silent', 9), { behind: 0 });
  });
});
