/** What the callers of a history asked for and were told. */
import { kindOf } from './keys.ts';

/**
 * What a caller knows of its call: `pending` until it is told; `absorbed` when it does not wait (a tally);
 * `unknown` when the process says so or died.
 */
export type Outcome = 'pending' | 'applied' | 'accepted' | 'absorbed' | 'refused' | 'unknown';

/** One call of one caller. */
export interface Ask {
  readonly process: string;
  readonly key: string;
  readonly delta: number;
  readonly requestId: string | undefined;
  /** Places in the order of everything that was asked and told. */
  readonly askedAt: number;
  toldAt: number;
  outcome: Outcome;
  value: number;
  /** What it really added, once that was told. */
  added: number;
  replayed: boolean;
}

/** Bounds of what a reader may see. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** Sums of one counter. */
interface Sums {
  askedUp: number;
  askedDown: number;
  /** Of the calls whose result is known. */
  knownUp: number;
  knownDown: number;
  added: number;
}

export class History {
  readonly asks: Ask[] = [];
  readonly #sums = new Map<string, Sums>();
  /** Request ids that were asked, and told, before. */
  readonly #askedIds = new Set<string>();
  readonly #toldIds = new Set<string>();
  #moment = 0;

  ask(process: string, key: string, delta: number, requestId?: string): Ask {
    const ask: Ask = {
      process, key, delta, requestId, askedAt: ++this.#moment, toldAt: Infinity, outcome: 'pending', value: NaN, added: 0, replayed: false,
    };
    this.asks.push(ask);
    if (isFirst(this.#askedIds, ask)) {
      const sums = this.#sumsOf(key);
      if (delta > 0) sums.askedUp += delta;
      else sums.askedDown += delta;
    }
    return ask;
  }

  tell(ask: Ask, outcome: Outcome, told: { value?: number; added?: number; replayed?: boolean } = {}): void {
    Object.assign(ask, { outcome, toldAt: ++this.#moment, ...told });
    const isKnown = outcome === 'applied' || (outcome === 'refused' && ask.requestId === undefined);
    if (!isKnown || !isFirst(this.#toldIds, ask)) return;
    const sums = this.#sumsOf(ask.key);
    if (ask.delta > 0) sums.knownUp += ask.delta;
    else sums.knownDown += ask.delta;
    sums.added += ask.added;
  }

  /**
   * Begins a read; call what it returns when the reading is there. What was told before the read was asked
   * must be in it; what was asked before the reading came may be in it; nothing else can be.
   */
  reading(key: string): () => Bounds {
    const { added, knownUp, knownDown } = this.#sumsOf(key);
    const knows = kindOf(key) !== 'expiring';
    return () => {
      const { askedUp, askedDown } = this.#sumsOf(key);
      const most = added + askedUp - knownUp;
      return knows ? { least: added + askedDown - knownDown, most } : { least: 0, most: askedUp };
    };
  }

  #sumsOf(key: string): Sums {
    let sums = this.#sums.get(key);
    if (sums === undefined) this.#sums.set(key, (sums = { askedUp: 0, askedDown: 0, knownUp: 0, knownDown: 0, added: 0 }));
    return sums;
  }
}

/** Whether a call is the first of its request id, of which only one counts. */
function isFirst(ids: Set<string>, { key, requestId }: Ask): boolean {
  if (requestId === undefined) return true;
  const id = `${key} ${requestId}`;
  if (ids.has(id)) return false;
  ids.add(id);
  return true;
}
