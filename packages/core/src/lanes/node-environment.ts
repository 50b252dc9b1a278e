/** The real world, for lanes: Node's timers, turns and randomness. */
import { randomBytes } from 'node:crypto';
import type { Environment } from './environment.ts';

/** Node's timers fire at once beyond this delay. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function after(delayMs: number, callback: () => void): () => void {
  const rest = delayMs - LONGEST_TIMER_MS;
  let callOff: (() => void) | undefined;
  const again = (): void => {
    callOff = after(rest, callback);
  };
  const timer = rest > 0 ? setTimeout(again, LONGEST_TIMER_MS) : setTimeout(callback, delayMs);
  return () => {
    clearTimeout(timer);
    callOff?.();
  };
}

const now = Promise.resolve();

/** Node's `queueMicrotask` makes an object for its hooks each time, and every socket of the process pays for it. */
function soon(callback: () => void): void {
  void now.then(callback);
}

export const nodeEnvironment: Environment = {
  nowMs: () => performance.now(),
  random: Math.random,
  newSource: () => randomBytes(12).toString('base64url'),
  after,
  soon,
  later: setImmediate,
};
