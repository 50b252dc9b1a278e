/** Deadlines of reads. Giving up on a read changes nothing; an add brings its own deadline to the lane. */
import { TallystickError } from 'tallystick';

/**
 * The answer of `work`, if it comes within `timeoutMs`.
 *
 * @throws TallystickError `TIMEOUT`.
 */
export function within<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new TallystickError('TIMEOUT', `the store did not answer within ${timeoutMs} ms`));
    const timer = setTimeout(late, timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
