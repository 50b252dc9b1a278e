/**
 * Denials that this process remembers: until the time that one names, and at most for `forMs`, whoever asks the
 * same again is denied without the store. Others only take more meanwhile, so such an answer is right unless somebody
 * gave back: this process itself, which ends it at once, or another one, which is seen after `forMs` at the latest.
 */
import type { Decision } from './model/decision.ts';
import type { LimitsTerms } from './model/limit.ts';

interface Denied {
  readonly terms: LimitsTerms;
  readonly decision: Decision;
  /** By the process's clock. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Subjects remembered; beyond, the oldest goes. */
const MOST = 100_000;

export class Denials {
  readonly #forMs: number;
  readonly #bySubject = new Map<string, Denied>();

  constructor(forMs: number) {
    this.#forMs = forMs;
  }

  /** Whether there is nothing remembered, so that nobody needs to read a clock. */
  get isEmpty(): boolean {
    return this.#bySubject.size === 0;
  }

  find(subject: string, terms: LimitsTerms, nowMs: number): Decision | undefined {
    const denied = this.#bySubject.get(subject);
    if (denied === undefined || denied.terms !== terms) return undefined;
    if (denied.untilMs <= nowMs) {
      this.#bySubject.delete(subject);
      return undefined;
    }
    const passedMs = Math.floor(nowMs - denied.sinceMs);
    const { resetMs, retryAfterMs } = denied.decision;
    return { ...denied.decision, resetMs: less(resetMs, passedMs), retryAfterMs: less(retryAfterMs, passedMs), source: 'near' };
  }

  keep(subject: string, terms: LimitsTerms, decision: Decision, nowMs: number): void {
    if (this.#forMs === 0) return;
    this.#bySubject.delete(subject);
    if (this.#bySubject.size >= MOST) this.#bySubject.delete(this.#bySubject.keys().next().value as string);
    const untilMs = nowMs + Math.min(this.#forMs, decision.retryAfterMs ?? Infinity);
    this.#bySubject.set(subject, { terms, decision, sinceMs: nowMs, untilMs });
  }

  forget(subject: string): void {
    this.#bySubject.delete(subject);
  }
}

const less = (ms: number | null, passedMs: number): number | null => (ms === null ? null : Math.max(0, ms - passedMs));
