/**
 * `log`: the exact count of events in the last `windowMs`.
 *
 * An event at `t` counts while `now − t < windowMs`. Events are kept one record per millisecond in which
 * any happened, with how many; so events of the same millisecond are all counted, and a window of W
 * milliseconds never holds more than W records. Purge, count and add are one step.
 */
import { inRange } from '../model/amount.ts';
import type { Result } from '../model/answer.ts';
import type { LogTerms, Operation } from '../model/operation.ts';
import type { Strategy } from './strategy.ts';

/** The most records a log keeps; more is refused with `STATE_TOO_LARGE`. A `window` has no such limit. */
export const MAX_LOG_RECORDS = 1_000_000;

/** State of a `log`. Records before `head` are purged; the arrays are trimmed when half of them are. */
export interface Log {
  readonly windowMs: number;
  /** Rising. */
  readonly atMs: number[];
  readonly amounts: number[];
  head: number;
  total: number;
}

function purge(log: Log, nowMs: number): void {
  while (log.head < log.atMs.length && (log.atMs[log.head] ?? 0) <= nowMs - log.windowMs) {
    log.total -= log.amounts[log.head] ?? 0;
    log.head++;
  }
  if (log.head * 2 > log.atMs.length) {
    log.atMs.splice(0, log.head);
    log.amounts.splice(0, log.head);
    log.head = 0;
  }
}

/** Adds `amount` at `atMs`, which is the newest moment except for effects that come late. */
function record(log: Log, atMs: number, amount: number): void {
  let place = log.atMs.length;
  while (place > log.head && (log.atMs[place - 1] ?? 0) > atMs) place--;
  if (place > log.head && log.atMs[place - 1] === atMs) {
    log.amounts[place - 1] = (log.amounts[place - 1] ?? 0) + amount;
  } else {
    log.atMs.splice(place, 0, atMs);
    log.amounts.splice(place, 0, amount);
  }
  log.total += amount;
}

function apply(state: Log | undefined, op: Operation, nowMs: number): readonly [Result, Log | undefined] {
  const { windowMs } = op.terms as LogTerms;
  const log = state ?? { windowMs, atMs: [], amounts: [], head: 0, total: 0 };
  purge(log, nowMs);
  const atMs = op.effect?.atMs ?? nowMs;
  if (op.delta === 0 || atMs <= nowMs - windowMs) return [{ value: log.total, delta: 0 }, state];
  if (op.delta < 0) return [{ value: log.total, delta: 0, code: 'INVALID_AMOUNT' }, state];
  if (!inRange(log.total + op.delta)) return [{ value: log.total, delta: 0, code: 'OUT_OF_RANGE' }, state];
  if (log.atMs.length - log.head >= MAX_LOG_RECORDS && log.atMs.at(-1) !== atMs) {
    return [{ value: log.total, delta: 0, code: 'STATE_TOO_LARGE' }, state];
  }
  record(log, atMs, op.delta);
  return [{ value: log.total, delta: op.delta }, log];
}

function read(log: Log, nowMs: number): number | undefined {
  purge(log, nowMs);
  return log.total === 0 ? undefined : log.total;
}

/** The specification of `log`. */
export const log: Strategy<Log> = {
  apply,
  read,
  expiresAtMs: (state) => (state.atMs.at(-1) ?? 0) + state.windowMs,
  variant: (terms) => String((terms as LogTerms).windowMs),
};
