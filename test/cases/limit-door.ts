/** The limits of a node as seen through a door, in the words of the library. */
import type { ChangeResult, Decision, Limits } from 'tallystick';
import { post } from './http-door.ts';

/** What every door can do with limits. */
export type LimitDoor = Pick<Limits, 'take' | 'peek' | 'refund' | 'block' | 'unblock'>;

/** Opens the door of HTTP. @throws TallystickError as the envelope says. */
export function httpLimits(url: string): LimitDoor {
  const decide = async (action: string, body: object): Promise<Decision> => (await post(`${url}/v1/limits/${action}`, body)) as unknown as Decision;
  const change = async (action: string, body: object): Promise<ChangeResult> => (await post(`${url}/v1/limits/${action}`, body)) as unknown as ChangeResult;
  return {
    take: (subject, rules, options) => decide('check', { subject, rules, ...options }),
    peek: (subject, rules, options) => decide('peek', { subject, rules, ...options }),
    refund: (subject, rules, options) => change('refund', { subject, rules, ...options }),
    block: (subject, options) => change('block', { subject, ...options }),
    unblock: (subject, options) => change('unblock', { subject, ...options }),
  };
}
