/** Settings of the near cache. */
import { checkObject, checkOptions, checkWhole } from '../model/check.ts';

/** Settings of the near cache. The empty object takes the defaults. */
export interface NearOptions {
  /** Copies kept at most. Default 10,000; 1 to 1,000,000. */
  readonly maxEntries?: number;
  /**
   * How old a copy may be to be answered, in milliseconds. Default 1,000; at most 3,600,000. 0: none is answered while the
   * store does.
   */
  readonly ttlMs?: number;
  /**
   * How old a copy may be to stand in while the store is unavailable, in milliseconds; a read may say otherwise. Default 0:
   * none does. At most 86,400,000.
   */
  readonly staleIfErrorMs?: number;
}

/** The settings with their defaults. */
export type NearSettings = Required<NearOptions>;

/** No copy stands in that is older than a day. */
export const MAX_STALE_MS = 86_400_000;

const DEFAULTS: NearSettings = { maxEntries: 10_000, ttlMs: 1000, staleIfErrorMs: 0 };
const KNOWN = ['maxEntries', 'ttlMs', 'staleIfErrorMs'] as const;

/** @throws TallystickError `INVALID_CONFIG`, naming the option. */
export function checkNear(options: NearOptions): NearSettings {
  checkObject(options, 'near', 'INVALID_CONFIG');
  const { maxEntries = DEFAULTS.maxEntries, ttlMs = DEFAULTS.ttlMs, staleIfErrorMs = DEFAULTS.staleIfErrorMs } = checkOptions(options, KNOWN);
  checkWhole(maxEntries, 'near.maxEntries', [1, 1_000_000]);
  checkWhole(ttlMs, 'near.ttlMs', [0, 3_600_000]);
  checkWhole(staleIfErrorMs, 'near.staleIfErrorMs', [0, MAX_STALE_MS]);
  return { maxEntries, ttlMs, staleIfErrorMs };
}
