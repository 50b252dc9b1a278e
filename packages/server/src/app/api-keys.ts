/**
 * Who may call. A key is kept as its SHA-256 alone: keys are long and random, so that a digest gives nothing away,
 * and digests are compared in constant time, all of them, so that time tells nothing of which was nearest.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { TallystickError } from 'tallystick';

/** What a key is for; each role may do what those before it may. */
export type Role = 'read' | 'write' | 'admin';

/** The roles, the least first. */
export const ROLES: readonly Role[] = ['read', 'write', 'admin'];

/** A key, as it is kept. */
export interface ApiKey {
  /** For people; never the key itself. */
  readonly name: string;
  readonly role: Role;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

/** The digest of a key, as {@link ApiKey} has it. */
export const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex');

const BEARER = /^Bearer +(\S+) *$/i;
const MAX_CHARACTERS = 1024;

export class ApiKeys {
  readonly #keys: readonly { readonly rank: number; readonly digest: Buffer }[];

  constructor(keys: readonly ApiKey[]) {
    this.#keys = keys.map(({ role, sha256 }) => ({ rank: ROLES.indexOf(role), digest: Buffer.from(sha256, 'hex') }));
  }

  /**
   * Lets a caller pass whose `authorization` is `Bearer` and a key of `role` or more.
   *
   * @throws TallystickError `UNAUTHENTICATED` without a known key, `PERMISSION_DENIED` with one of a lesser role.
   */
  check(authorization: string | undefined, role: Role): void {
    const rank = this.#rankOf(authorization);
    if (rank === undefined) {
      throw new TallystickError('UNAUTHENTICATED', 'authorization: expected Bearer and an API key that is known here', { field: 'authorization' });
    }
    if (rank < ROLES.indexOf(role)) {
      throw new TallystickError('PERMISSION_DENIED', `authorization: expected a key of role ${role}, got one of role ${ROLES[rank]}`, { field: 'authorization' });
    }
  }

  #rankOf(authorization: string | undefined): number | undefined {
    if (authorization === undefined || authorization.length > MAX_CHARACTERS) return undefined;
    const presented = createHash('sha256').update(BEARER.exec(authorization)?.[1] ?? '').digest();
    let rank: number | undefined;
    for (const key of this.#keys) if (timingSafeEqual(key.digest, presented)) rank = key.rank;
    return rank;
  }
}
