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

  it('forgets a source that was silent for two turns, and no other', () => {
    const sources = after(3, 'silent');
    const turn = (times: number): void => { sources.applied('busy', times, answer(times, times * SOURCE_RETENTION_MS)); };
    turn(1);
    assert.deepEqual([sources.size, sources.reply('silent', 9)], [2, { behind: 3 }]);
    turn(2);
    assert.deepEqual([sources.size, sources.reply('silent', 9)], [1, { behind: 0 }]);
    assert.deepEqual(sources.reply('busy', 1), answer(1, SOURCE_RETENTION_MS));
  });

  it('forgets nobody, however far the clock jumps', () => {
    const sources = after(3, 'alive');
    sources.applied('newcomer', 1, answer(1, 1000 * SOURCE_RETENTION_MS));
    assert.deepEqual(sources.reply('alive', 9), { behind: 3 });
    assert.deepEqual(sources.reply('alive', 3), answer(3));
    sources.applied('alive', 4, answer(4, 1000 * SOURCE_RETENTION_MS));
    sources.applied('newcomer', 2, answer(2, 2000 * SOURCE_RETENTION_MS));
    assert.deepEqual([sources.reply('alive', 9), sources.reply('alive', 3)], [{ behind: 4 }, answer(3)]);
  });

  it('takes as long for the last of many sources as for the first', () => {
    const sources = new Sources();
    const beganMs = performance.now();
    for (let i = 0; i < 200_000; i++) sources.applied(`s${i}`, 1, answer(1, i * 1000));
    assert.ok(performance.now() - beganMs < 5000, 'a look at all sources for each new one takes minutes');
    assert.ok(sources.size <= 2 * (SOURCE_RETENTION_MS / 1000));
  });
});
