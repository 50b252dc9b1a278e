/**
 * All `count` states of a replica, in columns: an index from key to slot, and typed arrays of values and
 * expiries. A counter costs its key, an index entry and 8 bytes (16 once any counter expires), and an add
 * is one look-up.
 */
import { inRange } from '../model/amount.ts';
import { isKey } from '../model/key.ts';
import type { Operation } from '../model/operation.ts';
import type { Count } from '../operations/add.ts';
import { KeyIndex } from './key-index.ts';

const FIRST_CAPACITY = 1024;

export class CountTable {
  #index = new KeyIndex();
  #values = new Float64Array(FIRST_CAPACITY);
  /** Absent until the first counter that expires; 0 stands for never. */
  #expiries: Float64Array<ArrayBuffer> | undefined;
  #free: number[] = [];
  #used = 0;
  /** The holder of memos; another one as soon as any slot may belong to another key. */
  #tenure = {};

  get size(): number {
    return this.#used - this.#free.length;
  }

  /** When the counter that {@link addPlain} added to last expires; 0 stands for never. */
  expiresAtMs = 0;

  /**
   * Adds a safe integer to a counter without bounds, and returns its new value; NaN when the general path
   * must decide: the counter has expired, has not the lifetime that is asked for, would leave the range, or
   * cannot be created like this. A memo that comes along spares the look-up the next time.
   */
  addPlain({ key, delta, reach, terms, memo }: Operation, nowMs: number): number {
    let slot = memo !== undefined && memo.holder === this.#tenure ? memo.slot : this.#index.get(key);
    let expiresAtMs = 0;
    if (slot === undefined) {
      if (delta === 0 || reach !== undefined || terms !== undefined || !isKey(key)) return NaN;
      slot = this.#take(key);
    } else {
      if (this.#expiries !== undefined) expiresAtMs = this.#expiries[slot] as number;
      if (expiresAtMs === 0 ? terms !== undefined : expiresAtMs <= nowMs) return NaN;
    }
    const before = this.#values[slot] as number;
    const value = before + delta;
    if (!inRange(value) || (reach !== undefined && !inRange(Math.abs(before) + reach))) return NaN;
    this.#values[slot] = value;
    if (memo !== undefined) {
      memo.holder = this.#tenure;
      memo.slot = slot;
    }
    this.expiresAtMs = expiresAtMs;
    return value;
  }

  has(key: string): boolean {
    return this.#index.get(key) !== undefined;
  }

  get(key: string): Count | undefined {
    const slot = this.#index.get(key);
    if (slot === undefined) return undefined;
    const value = this.#values[slot] as number;
    const expiresAtMs = this.#expiries?.[slot] ?? 0;
    return expiresAtMs === 0 ? { value } : { value, expiresAtMs };
  }

  set(key: string, { value, expiresAtMs }: Count): void {
    const slot = this.#index.get(key) ?? this.#take(key);
    this.#values[slot] = value;
    if (expiresAtMs !== undefined) this.#expiries ??= new Float64Array(this.#values.length);
    if (this.#expiries !== undefined) this.#expiries[slot] = expiresAtMs ?? 0;
  }

  delete(key: string): void {
    const slot = this.#index.get(key);
    if (slot === undefined) return;
    this.#index.delete(key);
    this.#free.push(slot);
    this.#tenure = {};
    if (this.size === 0) this.#reset();
  }

  keys(): IterableIterator<string> {
    return this.#index.keys();
  }

  #take(key: string): number {
    const slot = this.#free.pop() ?? this.#used++;
    if (slot === this.#values.length) this.#grow();
    this.#values[slot] = 0;
    if (this.#expiries !== undefined) this.#expiries[slot] = 0;
    this.#index.add(key, slot);
    return slot;
  }

  #grow(): void {
    const capacity = Math.ceil(this.#values.length * 1.5);
    this.#values = widened(this.#values, capacity);
    if (this.#expiries !== undefined) this.#expiries = widened(this.#expiries, capacity);
  }

  /** Gives the memory of a table that has become empty back. */
  #reset(): void {
    this.#index = new KeyIndex();
    this.#values = new Float64Array(FIRST_CAPACITY);
    this.#expiries = undefined;
    this.#free = [];
    this.#used = 0;
  }
}

function widened(column: Float64Array<ArrayBuffer>, capacity: number): Float64Array<ArrayBuffer> {
  const wide = new Float64Array(capacity);
  wide.set(column);
  return wide;
}
