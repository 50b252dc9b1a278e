/**
 * The near cache: copies of what this process has read lately, so that a hot counter is not asked for at every
 * read. It answers readings and nothing else: no add, limit or estimate is decided by a copy.
 *
 * - A copy is as old as the question that it answers: the value was the counter's then, or later.
 * - While a question is on its way, the same one is not asked again.
 * - What this process writes, it reads: when a write is answered, the copy of a total becomes its value, any other
 *   is not used again, and a reading on its way, which may lack the write, makes none.
 * - When the store is unavailable, or has not answered for half a second, a copy may stand in for longer, and says so.
 *
 * Bounded by entries; those least lately read from the store go first. What is too old goes when another comes.
 */
import { TallystickError } from '../errors.ts';
import type { Resolve } from '../lanes/callers.ts';
import type { Environment } from '../lanes/environment.ts';
import type { AddResult } from '../model/add-result.ts';
import { ABSENT, type Reading } from '../model/answer.ts';
import type { NearSettings } from './options.ts';

/** A reading, or a copy of one. */
export interface NearReading extends Reading {
  /** How old a copy is, in milliseconds. */
  readonly ageMs?: number;
  /** It is older than is allowed: the store is unavailable. */
  readonly stale?: true;
}

/** Running totals of a near cache since the start. */
export interface NearStats {
  /** Copies kept now. */
  readonly entries: number;
  /** Readings answered by a copy. */
  readonly hits: number;
  /** Readings that waited for the store. */
  readonly misses: number;
  /** Of those, readings answered by a copy because the store was unavailable. */
  readonly stale: number;
  /** Copies dropped to make room. */
  readonly evicted: number;
}

/** How old a copy may be, in milliseconds; undefined: as the settings say. */
export interface Ages {
  /** To be answered instead of asking the store. With 0 none is, and none stands in unless `staleMs` says so. */
  readonly maxMs?: number | undefined;
  /** To stand in while the store is unavailable. */
  readonly staleMs?: number | undefined;
}

/** How long the store is waited for when a copy may stand in. */
const PATIENCE_MS = 500;

interface Copy {
  reading: Reading;
  askedMs: number;
  /** A write of this process is missing. */
  isDated: boolean;
}

/** A question on its way. */
interface Flight {
  readonly askedMs: number;
  readonly answer: Promise<Reading>;
  /** Until the turn in which it is asked is over: then it is no older than whoever joins. */
  isNew: boolean;
}

export class Near {
  readonly #settings: NearSettings;
  readonly #environment: Environment;
  /** By id, least lately read from the store first. */
  readonly #copies = new Map<string, Copy>();
  readonly #flights = new Map<string, Flight>();
  /** The oldest copy that any read would take. */
  #keepMs: number;
  #hits = 0;
  #misses = 0;
  #stale = 0;
  #evicted = 0;

  constructor(settings: NearSettings, environment: Environment) {
    this.#settings = settings;
    this.#environment = environment;
    this.#keepMs = Math.max(settings.ttlMs, settings.staleIfErrorMs);
  }

  get stats(): NearStats {
    return { entries: this.#copies.size, hits: this.#hits, misses: this.#misses, stale: this.#stale, evicted: this.#evicted };
  }

  /** The copy under `id`, when it is not older than `maxMs` and no older than any copy may be. */
  find(id: string, { maxMs = Infinity }: Ages = ANY): NearReading | undefined {
    const oldestMs = Math.min(maxMs, this.#settings.ttlMs);
    const copy = oldestMs > 0 ? this.#copies.get(id) : undefined;
    if (copy === undefined || copy.isDated) return undefined;
    const ageMs = this.#environment.nowMs() - copy.askedMs;
    if (ageMs > oldestMs) return undefined;
    this.#hits++;
    return aged(copy.reading, ageMs);
  }

  /** Asks the store, or joins who has asked it; of what comes a copy is kept. */
  async fetch(id: string, ask: () => Promise<Reading>, { maxMs = Infinity, staleMs }: Ages = ANY): Promise<NearReading> {
    this.#misses++;
    const standInMs = staleMs ?? (maxMs > 0 ? this.#settings.staleIfErrorMs : 0);
    this.#keepMs = Math.max(this.#keepMs, standInMs);
    const askedMs = this.#environment.nowMs();
    const joined = this.#joinable(id, askedMs - Math.min(maxMs, this.#settings.ttlMs));
    const flight = joined ?? this.#start(id, ask, askedMs);
    const isCopy = joined !== undefined && !joined.isNew;
    const reading = this.#standIn(id, standInMs) !== undefined ? await this.#orStandIn(id, standInMs, flight) : await flight.answer;
    return isCopy && !('stale' in reading) ? aged(reading, this.#environment.nowMs() - flight.askedMs) : reading;
  }

  /** Sees what becomes of a write of this process. `isTotal`: what is answered is what a reading would be. */
  watched(id: string, isTotal: boolean, resolve: Resolve): Resolve {
    const sentMs = this.#environment.nowMs();
    return (result) => {
      if (result.delta !== 0 && result.replayed === undefined) this.#wrote(id, isTotal ? result : undefined, sentMs);
      resolve(result);
    };
  }

  /** What the store says, unless it is unavailable or takes too long, and a copy may stand in then. */
  async #orStandIn(id: string, standInMs: number, { answer, askedMs }: Flight): Promise<NearReading> {
    let callOff = (): void => undefined;
    const timeLeftMs = askedMs + PATIENCE_MS - this.#environment.nowMs();
    const late = new Promise<undefined>((resolve) => (callOff = this.#environment.after(timeLeftMs, () => { resolve(undefined); })));
    const inTime = answer.catch((error: unknown) => {
      if (isAway(error)) return undefined;
      throw error;
    });
    const reading = await Promise.race([inTime, late]).finally(callOff);
    const stale = reading === undefined ? this.#standIn(id, standInMs) : undefined;
    if (stale !== undefined) this.#stale++;
    return reading ?? stale ?? answer;
  }

  #joinable(id: string, sinceMs: number): Flight | undefined {
    const flight = this.#flights.get(id);
    return flight !== undefined && flight.askedMs > sinceMs ? flight : undefined;
  }

  #start(id: string, ask: () => Promise<Reading>, askedMs: number): Flight {
    const flight: Flight = { askedMs, answer: ask(), isNew: true };
    this.#flights.set(id, flight);
    this.#environment.soon(() => { flight.isNew = false; });
    flight.answer.then(
      (reading) => { if (this.#landed(id, flight)) this.#keep(id, { reading, askedMs, isDated: false }); },
      () => void this.#landed(id, flight),
    );
    return flight;
  }

  /** Whether nothing was written since it was asked. */
  #landed(id: string, flight: Flight): boolean {
    return this.#flights.get(id) === flight && this.#flights.delete(id);
  }

  #wrote(id: string, result: AddResult | undefined, sentMs: number): void {
    const isRead = this.#flights.delete(id) || this.#copies.has(id);
    if (!isRead) return;
    const copy = this.#copies.get(id);
    if (result?.outcome === 'applied') this.#put(id, { reading: readingOf(result), askedMs: sentMs, isDated: false });
    else if (copy !== undefined) copy.isDated = true;
  }

  #keep(id: string, copy: Copy): void {
    this.#copies.delete(id);
    this.#put(id, copy);
  }

  #put(id: string, copy: Copy): void {
    this.#copies.set(id, copy);
    const { maxEntries } = this.#settings;
    const oldestMs = this.#environment.nowMs() - this.#keepMs;
    for (const [oldest, { askedMs }] of this.#copies) {
      const isOver = askedMs < oldestMs;
      if (!isOver && this.#copies.size <= maxEntries) return;
      this.#copies.delete(oldest);
      if (!isOver) this.#evicted++;
    }
  }

  /** What is left of a copy, when the store cannot be asked. */
  #standIn(id: string, standInMs: number): NearReading | undefined {
    const copy = this.#copies.get(id);
    if (copy === undefined) return undefined;
    const ageMs = this.#environment.nowMs() - copy.askedMs;
    return ageMs < standInMs ? { ...aged(copy.reading, ageMs), stale: true } : undefined;
  }
}

const ANY: Ages = Object.freeze({});

const isAway = (error: unknown): boolean => error instanceof TallystickError && error.code === 'STORE_UNAVAILABLE';

const readingOf = ({ value, ttlMs }: AddResult): Reading => (ttlMs === undefined ? { value, found: true } : { value, found: true, ttlMs });

/** A reading after `ageMs`: a counter may have expired by then. */
function aged({ value, found, ttlMs }: Reading, ageMs: number): NearReading {
  const whole = Math.ceil(ageMs);
  if (ttlMs === undefined) return { value, found, ageMs: whole };
  return ttlMs > whole ? { value, found, ttlMs: ttlMs - whole, ageMs: whole } : { ...ABSENT, ageMs: whole };
}
