/** A source of milliseconds since the epoch. Every part that needs the time is given one. */
export type Clock = () => number;

/**
 * A clock that never runs back and never stands still for long: when the raw clock is set back, time goes
 * on from where it was, at the raw clock's pace. `lastMs` is where it was before, for instance in a data
 * file of an earlier run.
 */
export function steadyClock(raw: Clock, lastMs = 0): Clock {
  let rawBefore = raw();
  let offset = Math.max(0, lastMs - rawBefore);
  return () => {
    const rawNow = raw();
    if (rawNow < rawBefore) offset += rawBefore - rawNow;
    rawBefore = rawNow;
    return Math.floor(rawNow + offset);
  };
}
