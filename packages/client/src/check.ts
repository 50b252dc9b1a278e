/**
 * Checks of what an application gives. What the wire could not carry as it was given (a fraction, a number
 * out of range, half a surrogate pair) or could not carry in bounds is refused here, before it is put beside
 * other calls. What a counter allows is for the server to say.
 */
import { COUNTER_TYPES, MAX_KEY_BYTES, TallystickError, type ErrorCode } from 'tallystick';

const MAX_REQUEST_ID = 128;
const UINT32_MAX = 2 ** 32 - 1;

type Check = (value: unknown, field: string) => void;

/** Says what came, as the library says it: short, and safe for any value whatever. */
function shown(value: unknown): string {
  if (typeof value === 'string') {
    return value.length > 40 ? `${JSON.stringify(value.slice(0, 40))}… (${value.length} characters)` : JSON.stringify(value);
  }
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function refuse(code: ErrorCode, field: string, expected: string, got: string): never {
  throw new TallystickError(code, `${field}: expected ${expected}, got ${got}`, { field });
}

/** A character is at least one byte. How many bytes there are in all is for the server to count. */
const key: Check = (value, field) => {
  if (typeof value !== 'string') refuse('INVALID_KEY', field, 'a string', shown(value));
  if (value === '') refuse('INVALID_KEY', field, `1 to ${MAX_KEY_BYTES} bytes`, 'an empty string');
  if (!value.isWellFormed()) refuse('INVALID_KEY', field, 'well-formed Unicode', 'a string with a lone surrogate');
  if (value.length > MAX_KEY_BYTES) refuse('INVALID_KEY', field, `at most ${MAX_KEY_BYTES} bytes of UTF-8`, `${value.length} or more`);
};

const requestId: Check = (value, field) => {
  if (typeof value === 'string' && value !== '' && value.length <= MAX_REQUEST_ID && value.isWellFormed()) return;
  refuse('INVALID_ARGUMENT', field, `1 to ${MAX_REQUEST_ID} characters`, shown(value));
};

const amount: Check = (value, field) => {
  if (!Number.isSafeInteger(value)) refuse('INVALID_AMOUNT', field, 'an integer within ±(2^53 − 1)', shown(value));
};

const durationMs: Check = (value, field) => {
  if (Number.isSafeInteger(value) && (value as number) >= 1) return;
  refuse('INVALID_ARGUMENT', field, 'a whole number of milliseconds, at least 1', shown(value));
};

function whole(least: number, most: number): Check {
  return (value, field) => {
    if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return;
    refuse('INVALID_ARGUMENT', field, `an integer from ${least} to ${most}`, shown(value));
  };
}

function oneOf(values: readonly string[]): Check {
  return (value, field) => {
    if (!values.includes(value as string)) refuse('INVALID_ARGUMENT', field, `one of ${values.join(', ')}`, shown(value));
  };
}

const text: Check = (value, field) => {
  if (typeof value !== 'string' || !value.isWellFormed()) refuse('INVALID_ARGUMENT', field, 'a string of well-formed Unicode', shown(value));
};

const flag: Check = (value, field) => {
  if (typeof value !== 'boolean') refuse('INVALID_ARGUMENT', field, 'true or false', shown(value));
};

/** Rules are looked at one by one. */
const anything: Check = () => undefined;

const decision: Check = (value, field) => {
  if (Number.isSafeInteger((value as { readonly atMs?: unknown } | null)?.atMs)) return;
  refuse('INVALID_ARGUMENT', field, 'the decision of a take', shown(value));
};

const timeoutMs = whole(1, 2 ** 31 - 1);
const ageMs = whole(0, Number.MAX_SAFE_INTEGER);
const uint32 = whole(0, UINT32_MAX);
const request = { requestId, requestTtlMs: durationMs };
const which = { type: oneOf(COUNTER_TYPES), windowMs: durationMs, slices: uint32 };
const options = { ...which, min: amount, max: amount, ttlMs: durationMs, shards: uint32, member: key, ...request };

/** The fields of each thing an application gives, and the check of each. */
const FIELDS = {
  add: { ...options, key, delta: amount, timeoutMs },
  addItem: { ...options, key, delta: amount },
  get: { ...which, key, maxAgeMs: ageMs, timeoutMs },
  getItem: { ...which, key, maxAgeMs: ageMs },
  addFreq: { businessId: uint32, key, timeSpan: whole(1, UINT32_MAX), timeUnit: oneOf(['SEC', 'DAY']), ...request },
  getFreq: { businessId: uint32, key },
  take: { subject: key, cost: amount, timeoutMs, ...request },
  takeItem: { subject: key, rules: anything, cost: amount, ...request },
  change: { subject: key, cost: amount, decision, lease: key, forMs: durationMs, timeoutMs, ...request },
  rule: { name: text, algorithm: text, limit: amount, windowMs: amount, slices: amount, mode: text, burst: amount, align: text, leaseMs: amount, onOutage: text, unit: text, timeZone: text },
  call: { timeoutMs },
  batchCall: { timeoutMs, ...request },
  batchFreq: { timeoutMs, allOrNothing: flag, ...request },
} satisfies Record<string, Record<string, Check>>;

/** What a message calls each of them; the others are `options`. */
const NAMES: Partial<Record<keyof typeof FIELDS, string>> = { addItem: 'item', takeItem: 'item', rule: 'rule', getItem: 'item', addFreq: 'request', getFreq: 'request' };

/** Fields that must be there. */
const REQUIRED: ReadonlySet<string> = new Set(['key', 'subject', 'name', 'businessId', 'timeSpan']);

/**
 * Returns `given` when it has only fields of `kind`, each as it must be.
 *
 * @throws TallystickError naming the field.
 */
export function checked<Given extends object>(kind: keyof typeof FIELDS, given: Given): Given {
  const fields: Record<string, Check> = FIELDS[kind];
  const isObject = typeof given === 'object' && (given as unknown) !== null && !Array.isArray(given);
  if (!isObject) refuse('INVALID_ARGUMENT', NAMES[kind] ?? 'options', 'an object', shown(given));
  for (const [field, value] of Object.entries(given)) {
    const check = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (check === undefined) throw new TallystickError('UNKNOWN_FIELD', `${field}: expected one of ${Object.keys(fields).join(', ')}`, { field });
    if (value !== undefined) check(value, field);
  }
  for (const field in fields) if (REQUIRED.has(field)) fields[field]?.((given as Record<string, unknown>)[field], field);
  return given;
}

/** The same of each of `list`, which is called `name`; what is thrown names the index. */
export function checkedEach<Given extends object>(kind: keyof typeof FIELDS, name: string, list: readonly Given[]): readonly Given[] {
  const given: unknown = list;
  if (!Array.isArray(given)) refuse('INVALID_ARGUMENT', name, 'an array', shown(given));
  for (const [index, one] of list.entries()) {
    try {
      checked(kind, one);
    } catch (error) {
      throw error instanceof TallystickError ? placed(error, name, index) : error;
    }
  }
  return list;
}

/** As {@link TallystickError.at}, in a list of any name. */
function placed(error: TallystickError, name: string, index: number): TallystickError {
  const { code, message, field = name } = error.at(index);
  return new TallystickError(code, message.replace('items', name), { field: field.replace('items', name), index });
}
