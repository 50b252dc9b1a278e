/**
 * Load shedding: under load, calls are refused with a probability that rises with it, before they are parsed and
 * before any call of the store. VIP callers never are.
 *
 * The load is the part of the last time in which the event loop of this process was busy. It is measured over
 * short spans, so that what is refused follows the load within a second.
 */
import { timingSafeEqual } from 'node:crypto';
import { TallystickError } from 'tallystick';
import type { Figures } from './figures.ts';

/** Settings of shedding. */
export interface SheddingOptions {
  /** What VIP callers send; undefined: nobody is one. */
  readonly vipToken?: string | undefined;
  /** The load now, 0 to 1. Default: {@link eventLoopLoad}. */
  readonly load?: () => number;
}

/** From a load on, the part of the calls that is refused; the highest that is reached counts. */
const STEPS: readonly (readonly [fromLoad: number, refused: number])[] = [
  [0.9, 0.5],
  [0.8, 0.3],
  [0.7, 0.1],
];
const SAMPLE_MS = 250;

/** The probability with which a call is refused at `load`. */
export const sheddingProbability = (load: number): number => STEPS.find(([from]) => load >= from)?.[1] ?? 0;

/** A function that gives the part of the last quarter of a second, or more, in which the event loop was busy. */
export function eventLoopLoad(): () => number {
  let last = performance.eventLoopUtilization();
  let sinceMs = performance.now();
  let load = 0;
  return () => {
    const nowMs = performance.now();
    if (nowMs - sinceMs < SAMPLE_MS) return load;
    const current = performance.eventLoopUtilization();
    load = performance.eventLoopUtilization(current, last).utilization;
    last = current;
    sinceMs = nowMs;
    return load;
  };
}

export class Shedding {
  readonly #load: () => number;
  readonly #vipToken: Buffer | undefined;
  readonly #figures: Figures;

  constructor(figures: Figures, { vipToken, load = eventLoopLoad() }: SheddingOptions) {
    this.#figures = figures;
    this.#load = load;
    this.#vipToken = vipToken === undefined ? undefined : Buffer.from(vipToken);
  }

  /**
   * Lets a call pass, or refuses it.
   *
   * @param vip - What the caller sent to be one of the VIPs.
   * @throws TallystickError `OVERLOADED`.
   */
  admit(vip: string | undefined): void {
    const probability = sheddingProbability(this.#load());
    if (probability === 0 || Math.random() >= probability || this.#isVip(vip)) return;
    this.#figures.shed++;
    throw new TallystickError('OVERLOADED', 'this node is busy and refuses a part of its calls; try again later');
  }

  #isVip(vip: string | undefined): boolean {
    if (vip === undefined || this.#vipToken === undefined) return false;
    const sent = Buffer.from(vip);
    return sent.length === this.#vipToken.length && timingSafeEqual(sent, this.#vipToken);
  }
}
