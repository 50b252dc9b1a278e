import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTallystick, memoryStore } from 'tallystick';
import { manualClock } from 'tallystick/testing';
import { Days } from './days.ts';

const at = (text: string): number => Date.parse(text);

/** A zone, a moment of a local day, and when that day ends: as in the published tables of the zones. */
const DAYS = [
  ['America/New_York', '2025-03-09T05:00:00Z', '2025-03-10T04:00:00Z'],
  ['America/New_York', '2025-11-02T04:00:00Z', '2025-11-03T05:00:00Z'],
  ['Africa/Cairo', '2025-04-24T22:00:00Z', '2025-04-25T21:00:00Z'],
  ['Africa/Cairo', '2025-04-24T21:59:59Z', '2025-04-24T22:00:00Z'],
  ['America/Santiago', '2025-09-07T04:00:00Z', '2025-09-08T03:00:00Z'],
  ['Australia/Lord_Howe', '2025-10-04T13:30:00Z', '2025-10-05T13:00:00Z'],
  ['Australia/Lord_Howe', '2025-04-05T13:00:00Z', '2025-04-06T13:30:00Z'],
  ['UTC', '2025-04-05T23:59:59Z', '2025-04-06T00:00:00Z'],
] as const;

describe('Days', () => {
  for (const [timeZone, from, to] of DAYS) {
    it(`T16 a count of one day in ${timeZone} that begins at ${from} ends at ${to}, whatever the clock of the sender says`, async () => {
      for (const skewMs of [0, -5000, 5000, -86_400_000, 86_400_000]) {
        const clock = manualClock(at(from));
        await using tallystick = createTallystick({ store: memoryStore({ clock }) });
        const ends = new Days(timeZone, () => at(from) + skewMs).ends(1);
        const { ttlMs } = await tallystick.counters.add('k', 1, { ttlMs: 86_400_000, ends });
        assert.equal(ttlMs, at(to) - at(from), `${skewMs} ms off`);
        clock.set(at(to) - 1);
        assert.equal((await tallystick.counters.add('k', 1, { ttlMs: 86_400_000, ends })).value, 2);
        clock.advance(1);
        assert.equal((await tallystick.counters.add('k', 1, { ttlMs: 86_400_000, ends })).value, 1);
      }
    });
  }

  it('ends a count of several days with the last of them', () => {
    const days = new Days('Europe/Berlin', () => at('2025-03-28T11:00:00Z'));
    const endOf = (count: number): number => days.ends(count).find(([beforeMs]) => at('2025-03-28T11:00:00Z') < beforeMs)![1];
    assert.equal(endOf(1), at('2025-03-28T23:00:00Z'));
    assert.equal(endOf(3), at('2025-03-30T22:00:00Z'), 'the last has 23 hours');
    assert.equal(endOf(365), at('2026-03-27T23:00:00Z'));
    assert.equal(endOf(40_000), at('2134-10-02T22:00:00Z'));
  });

  it('gives the same object all day, so that adds combine, and another one the next day', () => {
    let nowMs = at('2025-06-01T00:00:00Z');
    const days = new Days('UTC', () => nowMs);
    const first = days.ends(1);
    nowMs = at('2025-06-01T23:59:59.999Z');
    assert.equal(days.ends(1), first);
    nowMs += 1;
    assert.notEqual(days.ends(1), first);
    for (let i = 1; i < 2500; i++) assert.ok(days.ends(i).length >= 3);
  });

  it('is refused for a zone that is none, naming it', () => {
    assert.throws(() => new Days('Mars/Olympus'), { code: 'INVALID_ARGUMENT', field: 'timeZone', message: /Mars/ });
  });
});
