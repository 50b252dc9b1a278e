/**
 * Whether the store is away, lane by lane: when the oldest batch that a lane has in flight has waited too long. On a
 * Cluster one part of the store may be away and the others not. It stops nothing: lanes go on sending what they have,
 * and the first answer is what closes it. One timer watches all lanes, and only while something is in flight.
 */
import type { Environment } from './environment.ts';
import type { LaneEvent } from './events.ts';

/** Settings of a breaker. */
export interface BreakerOptions {
  readonly environment: Environment;
  /** How long a batch may be in flight. Default 500. */
  readonly afterMs?: number;
  readonly onEvent: (event: LaneEvent) => void;
}

/** A lane, as a breaker sees it. */
export interface Watched {
  /** When the oldest batch that is in flight was sealed; undefined when none is. */
  readonly oldestMs: () => number | undefined;
  /** The store is away, and will be until the lane says {@link Watch.answered}. */
  readonly away: () => void;
}

const AFTER_MS = 500;

/** A breaker, as a lane sees it. */
export class Watch {
  readonly #breaker: Breaker;
  readonly lane: Watched;
  /** Whether the lane's part of the store is away. */
  isAway = false;

  constructor(breaker: Breaker, lane: Watched) {
    this.#breaker = breaker;
    this.lane = lane;
  }

  /** Something is in flight now. */
  sent(): void {
    this.#breaker.look();
  }

  /** The store has answered. */
  answered(): void {
    if (this.isAway) this.#breaker.close(this);
  }
}

export class Breaker {
  readonly #environment: Environment;
  readonly #onEvent: (event: LaneEvent) => void;
  readonly #watches: Watch[] = [];
  readonly #afterMs: number;
  #openedAtMs = 0;
  #callOff: (() => void) | undefined;

  constructor({ environment, afterMs = AFTER_MS, onEvent }: BreakerOptions) {
    this.#environment = environment;
    this.#afterMs = afterMs;
    this.#onEvent = onEvent;
  }

  /** Lanes whose part of the store is away. */
  get away(): number {
    return this.#watches.reduce((away, { isAway }) => away + Number(isAway), 0);
  }

  /** Watches one lane more. */
  watch(lane: Watched): Watch {
    const watch = new Watch(this, lane);
    this.#watches.push(watch);
    return watch;
  }

  /** Sees to it that lanes are looked at in time. */
  look(): void {
    if (this.#callOff === undefined) this.#lookIn(this.#afterMs);
  }

  /** A lane was answered. */
  close(watch: Watch): void {
    watch.isAway = false;
    if (this.away === 0) this.#onEvent({ type: 'recovered', awayMs: this.#environment.nowMs() - this.#openedAtMs + this.#afterMs });
    this.look();
  }

  /** Watches no more. */
  stop(): void {
    this.#callOff?.();
    this.#callOff = undefined;
    this.#watches.length = 0;
  }

  #lookIn(delayMs: number): void {
    this.#callOff = this.#environment.after(delayMs, () => {
      this.#callOff = undefined;
      this.#look();
    });
  }

  #look(): void {
    const nowMs = this.#environment.nowMs();
    const present = this.#watches.filter(({ isAway, lane }) => !isAway && lane.oldestMs() !== undefined);
    const late = present.filter(({ lane }) => (lane.oldestMs() as number) + this.#afterMs <= nowMs);
    const nextMs = present.reduce((next, watch) => (late.includes(watch) ? next : Math.min(next, watch.lane.oldestMs() as number)), Infinity);
    if (nextMs < Infinity) this.#lookIn(nextMs + this.#afterMs - nowMs);
    if (late.length > 0) this.#open(late, nowMs);
  }

  #open(late: readonly Watch[], nowMs: number): void {
    const waitedMs = nowMs - Math.min(...late.map(({ lane }) => lane.oldestMs() as number));
    const isNews = this.away === 0;
    for (const watch of late) watch.isAway = true;
    if (isNews) {
      this.#openedAtMs = nowMs;
      this.#onEvent({ type: 'outage', waitedMs });
    }
    for (const { lane } of late) lane.away();
  }
}
