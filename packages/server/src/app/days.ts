/**
 * When counts of calendar days end. A store knows no time zones: it is told the ends of some days, and its own clock picks
 * one, so a node whose clock is a little off does no harm.
 */
import { TallystickError, type Ends } from 'tallystick';
import { calendar } from 'tallystick/calendar';
import { unexpected } from './checks.ts';

const DAY_MS = 24 * 3_600_000;
/** Days told around today: two before, for a store whose clock is behind, and two after. */
const AROUND = 2;
/** How many spans are remembered: callers choose their lengths. */
const MOST_SPANS = 1000;

interface Known {
  readonly ends: Ends;
  /** It is today from the one time until the other. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** The first moment of the day that `atMs` lies in. */
const beginOf = (timeZone: string, atMs: number): number => calendar('day', timeZone, atMs).findLast((edgeMs) => edgeMs <= atMs) as number;

/** Where a span of `days` ends that begins in the day of `beginMs`: noon of its last day is never far off. */
const endOf = (timeZone: string, beginMs: number, days: number): number => beginOf(timeZone, beginMs + days * DAY_MS + DAY_MS / 2);

export class Days {
  readonly #timeZone: string;
  readonly #nowMs: () => number;
  readonly #known = new Map<number, Known>();

  /** @throws TallystickError `INVALID_ARGUMENT`, field `timeZone`, when there is none of that name. */
  constructor(timeZone: string, nowMs: () => number = Date.now) {
    this.#timeZone = timeZone;
    this.#nowMs = nowMs;
    try {
      beginOf(timeZone, nowMs());
    } catch (cause) {
      const { message } = unexpected('timeZone', 'an IANA time zone such as Europe/Berlin', timeZone);
      throw new TallystickError('INVALID_ARGUMENT', message, { field: 'timeZone', cause });
    }
  }

  /** When a count of `days` days ends, by when it begins: a span of one day ends with its day. The same object all day. */
  ends(days: number): Ends {
    const nowMs = this.#nowMs();
    const known = this.#known.get(days);
    if (known !== undefined && known.fromMs <= nowMs && nowMs < known.toMs) return known.ends;
    if (this.#known.size >= MOST_SPANS) this.#known.clear();
    const made = this.#make(days, nowMs);
    this.#known.set(days, made);
    return made.ends;
  }

  #make(days: number, nowMs: number): Known {
    const edges = calendar('day', this.#timeZone, nowMs);
    const today = edges.findLastIndex((edgeMs) => edgeMs <= nowMs);
    const begins = edges.slice(Math.max(0, today - AROUND), today + AROUND + 1);
    const ends = begins.map((beginMs) => [endOf(this.#timeZone, beginMs, 1), endOf(this.#timeZone, beginMs, days)] as const);
    return { ends: Object.freeze(ends), fromMs: edges[today] as number, toMs: edges[today + 1] as number };
  }
}
