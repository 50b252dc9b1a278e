/** Rules that the cases of limits are told by, and ways to ask them. */
import type { NamedLimit } from 'tallystick';
import type { LimitDoor } from './limit-door.ts';

export const MINUTE_MS = 60_000;

/** A fixed window. */
export const fixed = (limit: number, windowMs = MINUTE_MS, name = 'fixed'): NamedLimit => ({ name, algorithm: 'fixed-window', limit, windowMs });

/** Every algorithm whose units come back by themselves. */
export const algorithms = (limit: number, windowMs = MINUTE_MS): readonly NamedLimit[] => [
  fixed(limit, windowMs),
  { name: 'clock', algorithm: 'fixed-window', limit, windowMs, align: 'clock' },
  { name: 'slices', algorithm: 'sliding-window', limit, windowMs, slices: 6 },
  { name: 'parts', algorithm: 'sliding-window', limit, windowMs, slices: 6, mode: 'interpolated' },
  { name: 'log', algorithm: 'sliding-log', limit, windowMs },
  { name: 'bucket', algorithm: 'token-bucket', limit, windowMs },
];

/** Takes one by one; how many were allowed. */
export async function allowed(limits: LimitDoor, subject: string, rule: NamedLimit, count: number): Promise<number> {
  let granted = 0;
  for (let i = 0; i < count; i++) if ((await limits.take(subject, rule)).allowed) granted++;
  return granted;
}

/**
 * Takes one unit where that is allowed. It asks first, as a take that was denied is remembered for a while by the
 * clock of its process, which no test moves.
 */
export async function attempt(limits: LimitDoor, subject: string, rule: NamedLimit): Promise<boolean> {
  return (await limits.peek(subject, rule)).allowed && (await limits.take(subject, rule)).allowed;
}
