/** What each business of frequency control has chosen. */
import { OUTAGE_POLICIES, TallystickError, type AddOptions, type GetOptions } from 'tallystick';
import { unexpected } from './checks.ts';
import { Days } from './days.ts';

/** The choice of one business. */
export interface BusinessOptions {
  /**
   * What an add gets while the store is away: `queue` waits for it and is accepted at the deadline of the call, `reject` is
   * refused at once, `local` is accepted at once and counted once when the store is back. Default `queue`.
   */
  readonly onOutage?: AddOptions['onOutage'];
  /** How old a copy in this process may be that answers a read, in milliseconds; at most the near cache's. Default 0: none does. */
  readonly maxAgeMs?: number;
  /** How old a copy may be that stands in, marked as stale, while the store is away, in milliseconds. Default 0: none does. */
  readonly staleIfErrorMs?: number;
  /** IANA name. A span in days ends with a calendar's day of this time zone. Default: a day is 24 hours from the first add. */
  readonly timeZone?: string;
}

/** Choices by business_id, written in decimal; `*` is for those that are not named. */
export type BusinessDeclarations = Readonly<Record<string, BusinessOptions>>;

/** A choice, checked and put into the words of the library. */
export interface Business {
  readonly onOutage: NonNullable<AddOptions['onOutage']>;
  /** Undefined where there are no copies. */
  /** Undefined where a day is 24 hours. */
  readonly days: Days | undefined;
  readonly ages: Pick<GetOptions, 'maxAgeMs' | 'staleIfErrorMs'> | undefined;
}

const FIELDS = ['onOutage', 'maxAgeMs', 'staleIfErrorMs', 'timeZone'];
const UINT32_MAX = 0xffff_ffff;
const HOUR_MS = 3_600_000;
const REST = '*';

function checkFields(options: BusinessOptions): void {
  const stranger = Object.keys(options).find((field) => !FIELDS.includes(field));
  if (stranger !== undefined) throw new TallystickError('UNKNOWN_FIELD', `${stranger}: expected one of ${FIELDS.join(', ')}`, { field: stranger });
}

function checkAge(value: unknown, field: string, mostMs: number): number {
  if (value === undefined) return 0;
  if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= mostMs) return value as number;
  throw unexpected(field, `an integer from 0 to ${mostMs}`, value);
}

function businessOf(options: BusinessOptions, hasCopies: boolean): Business {
  checkFields(options);
  const { onOutage = 'queue', maxAgeMs, staleIfErrorMs, timeZone } = options;
  if (!OUTAGE_POLICIES.includes(onOutage)) throw unexpected('onOutage', `one of ${OUTAGE_POLICIES.join(', ')}`, onOutage);
  const ages = { maxAgeMs: checkAge(maxAgeMs, 'maxAgeMs', HOUR_MS), staleIfErrorMs: checkAge(staleIfErrorMs, 'staleIfErrorMs', 24 * HOUR_MS) };
  return { onOutage, ages: hasCopies ? ages : undefined, days: timeZone === undefined ? undefined : new Days(timeZone) };
}

function isBusinessId(name: string): boolean {
  return name === REST || (/^(0|[1-9]\d{0,9})$/.test(name) && Number(name) <= UINT32_MAX);
}

/** The oldest copy that any business lets stand in, in milliseconds. */
export const oldestStandInMs = (declared: BusinessDeclarations): number =>
  Object.values(declared).reduce((most, { staleIfErrorMs = 0 }) => Math.max(most, staleIfErrorMs), 0);

export class Businesses {
  readonly #named = new Map<number, Business>();
  readonly #rest: Business;

  /** @throws TallystickError `INVALID_CONFIG`, naming business and field. */
  constructor(declared: BusinessDeclarations, hasCopies: boolean) {
    const made = Object.entries(declared).map(([name, options]) => [name, placed(name, () => businessOf(options, hasCopies))] as const);
    for (const [name, business] of made) if (name !== REST) this.#named.set(Number(name), business);
    this.#rest = made.find(([name]) => name === REST)?.[1] ?? businessOf({}, hasCopies);
  }

  of(business_id: number): Business {
    return this.#named.get(business_id) ?? this.#rest;
  }
}

function placed(name: string, make: () => Business): Business {
  const place = `frequency[${JSON.stringify(name)}]`;
  if (!isBusinessId(name)) {
    throw new TallystickError('INVALID_CONFIG', `${place}: expected a business_id from 0 to ${UINT32_MAX}, or *`, { field: place });
  }
  try {
    return make();
  } catch (error) {
    if (!(error instanceof TallystickError)) throw error;
    throw new TallystickError('INVALID_CONFIG', `${place}.${error.message}`, { field: `${place}.${error.field}`, cause: error });
  }
}
