import type { Strategy } from './strategy.ts';
export const sketch: Strategy<object> = { apply: () => { throw new Error('being written'); }, read: () => undefined, expiresAtMs: () => undefined, variant: () => '' };
