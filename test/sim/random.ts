/** The one source of chance of a simulated history: the same seed gives the same numbers for ever. */
import { seededRandom } from '../support/random.ts';

export class Random {
  /** The next number in [0, 1). */
  readonly next: () => number;

  constructor(seed: number) {
    // Neighbouring seeds start far apart.
    this.next = seededRandom(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b));
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.next() * choices.length)] as T;
  }
}
