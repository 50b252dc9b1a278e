/**
 * What a process grants by itself while the store is away. Its limits are as the rules say, and begin empty, so a
 * subject gets at most that much more from each process. What was granted is charged at the store when it answers
 * again: once, as one penalty a subject, which a lane sends until it is applied.
 */
import { createTallystick, memoryStore, type Decision, type Limits, type Tallystick } from 'tallystick';
import { calendar } from 'tallystick/calendar';
import type { Figures } from './rule.ts';

/** Units of one subject under some limits. */
export interface Charge {
  readonly subject: string;
  readonly figures: Figures;
  readonly cost: number;
}

/** Subjects whose grants are kept; what is granted to more is handed to their lanes at once. */
const MOST_KEPT = 100_000;

export class Insurance {
  readonly #limits: Limits;
  readonly #onUncharged: (error: unknown) => void;
  #local: Tallystick | undefined;
  /** Units by subject, then by figures, which are one object as long as they hold. */
  #granted = new Map<string, Map<Figures, number>>();

  /**
   * @param limits Those of the store.
   * @param onUncharged Told when the store refused to be told what was granted.
   */
  constructor(limits: Limits, onUncharged: (error: unknown) => void) {
    this.#limits = limits;
    this.#onUncharged = onUncharged;
  }

  /** Takes from this process alone; a cost of 0 only asks. */
  take({ subject, figures, cost }: Charge): Promise<Decision> {
    const { limits } = this.#opened();
    return cost === 0 ? limits.peek(subject, figures) : limits.take(subject, figures, { cost });
  }

  /** Notes what was granted and is to be charged when the store is back. */
  note(charge: Charge): void {
    const { subject, figures, cost } = charge;
    let ofSubject = this.#granted.get(subject);
    if (ofSubject === undefined) {
      if (this.#granted.size >= MOST_KEPT) {
        this.#charge(charge);
        return;
      }
      this.#granted.set(subject, (ofSubject = new Map<Figures, number>()));
    }
    ofSubject.set(figures, (ofSubject.get(figures) ?? 0) + cost);
  }

  /** Undoes a grant that was noted, wherever it has got to since. */
  async takeBack({ subject, figures, cost }: Charge, decision: Decision | undefined): Promise<void> {
    const options = { cost, ...(decision !== undefined && { decision }) };
    await this.#opened().limits.refund(subject, figures, options);
    const noted = this.#granted.get(subject)?.get(figures) ?? 0;
    if (noted >= cost) this.#granted.get(subject)?.set(figures, noted - cost);
    else await this.#limits.refund(subject, figures, { cost });
  }

  /** Charges all that was noted, each once. */
  settle(): void {
    if (this.#granted.size === 0) return;
    const granted = this.#granted;
    this.#granted = new Map<string, Map<Figures, number>>();
    for (const [subject, ofSubject] of granted) {
      for (const [figures, cost] of ofSubject) if (cost > 0) this.#charge({ subject, figures, cost });
    }
  }

  /** Charges what was noted, and forgets what this process counted. */
  async close(): Promise<void> {
    this.settle();
    await this.#local?.close();
  }

  #opened(): Tallystick {
    return (this.#local ??= createTallystick({ store: memoryStore(), calendar, rememberDenialsMs: 0 }));
  }

  #charge({ subject, figures, cost }: Charge): void {
    this.#limits.penalize(subject, figures, { cost }).catch(this.#onUncharged);
  }
}
