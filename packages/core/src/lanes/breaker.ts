/**
 * Whether the store is away: when the oldest batch that is in flight anywhere has waited too long. It says so, and
 * no more than that: lanes go on sending what they have, and the first answer is what closes the breaker. One
 * timer watches all lanes, and only while something is in flight.
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

/** When the oldest batch of a lane that is in flight was sealed; undefined when none is. */
export type OldestMs = () => number | undefined;

const AFTER_MS = 500;

export class Breaker {
  readonly #environment: Environment;
  readonly #onEvent: (event: LaneEvent) => void;
  readonly #lanes: OldestMs[] = [];
  readonly #afterMs: number;
  #openedAtMs: number | undefined;
  #callOff: (() => void) | undefined;

  constructor({ environment, afterMs = AFTER_MS, onEvent }: BreakerOptions) {
    this.#environment = environment;
    this.#afterMs = afterMs;
    this.#onEvent = onEvent;
  }

  /** Whether the store is away. */
  get isOpen(): boolean {
    return this.#openedAtMs !== undefined;
  }

  /** Watches one lane more. */
  watch(oldestMs: OldestMs): void {
    this.#lanes.push(oldestMs);
  }

  /** Something is in flight now. */
  sent(): void {
    if (this.#callOff === undefined && !this.isOpen) this.#lookIn(this.#afterMs);
  }

  /** The store has answered. */
  answered(): void {
    if (this.#openedAtMs === undefined) return;
    const awayMs = this.#environment.nowMs() - this.#openedAtMs + this.#afterMs;
    this.#openedAtMs = undefined;
    this.#onEvent({ type: 'recovered', awayMs });
    this.sent();
  }

  /** Watches no more. */
  stop(): void {
    this.#callOff?.();
    this.#callOff = undefined;
    this.#lanes.length = 0;
  }

  #lookIn(delayMs: number): void {
    this.#callOff = this.#environment.after(delayMs, () => {
      this.#callOff = undefined;
      this.#look();
    });
  }

  #look(): void {
    const nowMs = this.#environment.nowMs();
    const oldestMs = this.#lanes.reduce((oldest, lane) => Math.min(oldest, lane() ?? Infinity), Infinity);
    const leftMs = oldestMs + this.#afterMs - nowMs;
    if (leftMs === Infinity) return;
    if (leftMs > 0) {
      this.#lookIn(leftMs);
    } else {
      this.#openedAtMs = nowMs;
      this.#onEvent({ type: 'outage', waitedMs: nowMs - oldestMs });
    }
  }
}
