/**
 * Days, weeks, months and years of any time zone, for limits of the algorithm `calendar`.
 *
 * @packageDocumentation
 */
import { Temporal } from 'temporal-polyfill';
import type { Calendar } from '../limits.ts';
import type { CalendarUnit } from '../model/limit.ts';

/** The windows that are told around the one asked for: a late take finds its own, and so does one that waits. */
const [BEFORE, AFTER] = [2, 8];

function firstDay(unit: CalendarUnit, day: Temporal.PlainDate): Temporal.PlainDate {
  switch (unit) {
    case 'day':
      return day;
    case 'week':
      return day.subtract({ days: day.dayOfWeek - 1 });
    case 'month':
      return day.with({ day: 1 });
    case 'year':
      return day.with({ month: 1, day: 1 });
  }
}

/**
 * The calendar of the IANA time zones. A day begins with its first moment: where clocks skip midnight that is one o'clock,
 * and a day that a zone left out is none.
 *
 * @throws RangeError when there is no such time zone.
 * @example createTallystick({ store, calendar, limits: { daily: { algorithm: 'calendar', unit: 'day', timeZone: 'Europe/Berlin', limit: 100 } } })
 */
export const calendar: Calendar = (unit, timeZone, atMs) => {
  const first = firstDay(unit, Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timeZone).toPlainDate());
  const edges = Array.from({ length: BEFORE + AFTER + 1 }, (_, i) => {
    const day = first.add({ [`${unit}s`]: i - BEFORE });
    return day.toZonedDateTime({ timeZone }).epochMilliseconds;
  });
  return edges.filter((edge, i) => i === 0 || edge > (edges[i - 1] as number));
};
