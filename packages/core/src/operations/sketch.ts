/**
 * `sketch`: the estimated number of distinct members seen in the last `windowMs`, in memory that does not
 * grow with them.
 *
 * Error: the standard error of HyperLogLog with 2^14 registers, 0.81 %, of a number that lies between the
 * true one of the last `windowMs` and that of the last `windowMs + windowMs / slices`: slices are cut and
 * summed up as in `window.ts`, and what was seen in any slice of the window counts.
 *
 * Memory: 16 KiB for each slice of the ring in which any member was seen, at most `slices + 1` of them, and
 * as much for their union. The union and the number of its registers of each rank are kept, so that a touch
 * changes at most one register and walks none; they are worked out again when a slice leaves the window.
 *
 * The `delta` of a result is 1 when the touch changed the union and 0 when it did not (the member was seen
 * before, or its trace is covered by another's): the sum of deltas is not the value.
 */
import type { Result } from '../model/answer.ts';
import type { Operation, SketchTerms } from '../model/operation.ts';
import { estimate, MAX_RANK, placeOf, REGISTERS } from './hyperloglog.ts';
import type { Strategy } from './strategy.ts';
import { sliceOf } from './window.ts';

/** State of a `sketch`: a ring of `slices + 1` register arrays, slice number modulo its length. */
export interface Sketch {
  readonly windowMs: number;
  readonly slices: number;
  /** Undefined for a slice in which nothing was seen. */
  readonly ring: (Uint8Array | undefined)[];
  /** Number of the newest slice in the ring. */
  newest: number;
  /** Number of the newest slice in which a member was seen. */
  seen: number;
  /** Invariant: the highest rank of each register over the ring. */
  readonly union: Uint8Array;
  /** Invariant: how many registers of the union have each rank. */
  readonly histogram: number[];
  /** Invariant: the estimate of the histogram. */
  value: number;
}

const NO_MEMBERS: readonly number[] = [REGISTERS, ...new Array<number>(MAX_RANK).fill(0)];

function open(windowMs: number, slices: number): Sketch {
  const ring = new Array<Uint8Array | undefined>(slices + 1).fill(undefined);
  const union = new Uint8Array(REGISTERS);
  return { windowMs, slices, ring, newest: 0, seen: 0, union, histogram: [...NO_MEMBERS], value: 0 };
}

/** Works the union out again from the slices that are left. */
function unite(state: Sketch): void {
  const { ring, union, histogram } = state;
  union.fill(0);
  for (const registers of ring) {
    if (registers === undefined) continue;
    for (let i = 0; i < REGISTERS; i++) {
      const rank = registers[i] as number;
      if (rank > (union[i] as number)) union[i] = rank;
    }
  }
  histogram.fill(0);
  for (const rank of union) histogram[rank] = (histogram[rank] as number) + 1;
  state.value = estimate(histogram);
}

/** Moves the ring on so that `slice` is in it; what falls out no longer counts. */
function advance(state: Sketch, slice: number): void {
  const size = state.slices + 1;
  let dropped = false;
  for (let passed = Math.max(state.newest, slice - size) + 1; passed <= slice; passed++) {
    dropped ||= state.ring[passed % size] !== undefined;
    state.ring[passed % size] = undefined;
  }
  state.newest = Math.max(state.newest, slice);
  if (dropped) unite(state);
}

/** Notes that `member` was seen in `slice`, which is in the ring. Returns whether the union changed. */
function see(state: Sketch, member: string, slice: number): boolean {
  const { register, rank } = placeOf(member);
  const registers = (state.ring[slice % (state.slices + 1)] ??= new Uint8Array(REGISTERS));
  registers[register] = Math.max(registers[register] as number, rank);
  state.seen = Math.max(state.seen, slice);
  const before = state.union[register] as number;
  if (rank <= before) return false;
  state.union[register] = rank;
  state.histogram[before] = (state.histogram[before] as number) - 1;
  state.histogram[rank] = (state.histogram[rank] as number) + 1;
  state.value = estimate(state.histogram);
  return true;
}

function apply(given: Sketch | undefined, op: Operation, nowMs: number): readonly [Result, Sketch | undefined] {
  const { windowMs, slices } = op.terms as SketchTerms;
  const state = given ?? open(windowMs, slices);
  advance(state, sliceOf(nowMs, windowMs, slices));
  const slice = sliceOf(op.effect?.atMs ?? nowMs, windowMs, slices);
  if (op.delta === 0 || slice < state.newest - slices) return [{ value: state.value, delta: 0 }, given];
  if (op.member === undefined || op.delta !== 1) return [{ value: state.value, delta: 0, code: 'INVALID_ARGUMENT' }, given];
  advance(state, slice);
  const changed = see(state, op.member, slice);
  return [{ value: state.value, delta: changed ? 1 : 0 }, state];
}

/** Moves the ring on as a touch would, so that reading a sketch nobody touches does not unite it each time. */
function read(state: Sketch, nowMs: number): number | undefined {
  advance(state, sliceOf(nowMs, state.windowMs, state.slices));
  return state.value === 0 ? undefined : state.value;
}

/** The specification of `sketch`. */
export const sketch: Strategy<Sketch> = {
  apply,
  read,
  expiresAtMs: (state) => Math.ceil(((state.seen + state.slices + 1) * state.windowMs) / state.slices),
  variant: (terms) => `${(terms as SketchTerms).windowMs}/${(terms as SketchTerms).slices}`,
};
