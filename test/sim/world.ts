/**
 * A world of its own: one clock, one queue of events, one source of chance. An event runs, then every
 * promise it settled is followed to its end, then the next event runs; nothing else happens, so a seed
 * has exactly one history. Time costs nothing: the clock leaps from event to event.
 */
import type { Environment } from '../../packages/core/src/lanes/environment.ts';
import { Random } from './random.ts';

interface Happening {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
  calledOff: boolean;
}

/** Something that may die: what it had planned is then never done. */
export interface Life {
  readonly name: string;
  alive: boolean;
}

/** More events than any history needs: a world that reaches this many goes round in circles. */
const MOST_EVENTS = 300_000;

export class World {
  readonly random: Random;
  nowMs = 0;
  /** Two histories that went the same way have the same hash (FNV-1a). */
  hash = 0x811c9dc5;
  events = 0;
  /** Called with every line of the history, when somebody wants to read it. */
  narrate: ((line: string) => void) | undefined;
  readonly #queue = new Queue();
  #order = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  /** Runs `run` once after `delayMs`. Returns how to call it off. */
  after(delayMs: number, run: () => void): () => void {
    const happening = { atMs: this.nowMs + Math.max(0, delayMs), order: this.#order++, run, calledOff: false };
    this.#queue.add(happening);
    return () => {
      happening.calledOff = true;
    };
  }

  /** Lets time pass until `done`; returns whether it is, when nothing more is going to happen. */
  async run(done: () => boolean): Promise<boolean> {
    await settled();
    if (done()) return true;
    for (let next = this.#queue.take(); next !== undefined; next = this.#queue.take()) {
      if (next.calledOff) continue;
      if (++this.events > MOST_EVENTS) throw new Error(`never at rest: more than ${MOST_EVENTS} events`);
      this.nowMs = next.atMs;
      next.run();
      await settled();
      if (done()) return true;
    }
    return false;
  }

  /** Whether nothing more is going to happen. */
  get isAtRest(): boolean {
    return this.#queue.isEmpty;
  }

  /** Adds a line to the history. */
  note(line: () => string): void {
    const text = `${this.nowMs.toFixed(3)} ${line()}`;
    for (let i = 0; i < text.length; i++) this.hash = Math.imul(this.hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
    this.narrate?.(text);
  }

  /** This world as a process sees it while it lives. */
  environmentOf(life: Life): Environment {
    const living = (callback: () => void) => (): void => {
      if (life.alive) callback();
    };
    let sources = 0;
    return {
      nowMs: () => this.nowMs,
      random: this.random.next,
      newSource: () => `${life.name}.${++sources}`,
      after: (delayMs, callback) => this.after(delayMs, living(callback)),
      soon: (callback) => {
        queueMicrotask(living(callback));
      },
      later: (callback) => {
        this.after(0, living(callback));
      },
    };
  }
}

/** Resolves when every promise that can be settled now has been, and every `then` has run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A binary heap: the earliest first, and what was asked first first. */
class Queue {
  readonly #heap: Happening[] = [];

  get isEmpty(): boolean {
    return this.#heap.every(({ calledOff }) => calledOff);
  }

  add(happening: Happening): void {
    const heap = this.#heap;
    let place = heap.push(happening) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (isBefore(heap[parent]!, happening)) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = happening;
  }

  take(): Happening | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let place = 0;
    for (let child = 1; child < heap.length; child = 2 * place + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (isBefore(last, heap[child]!)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
    return first;
  }
}

const isBefore = (a: Happening, b: Happening): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
