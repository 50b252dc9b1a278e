/**
 * Checks of what an application gives. What the wire could not carry as it was given (a fraction, a number
 * out of range, half a surrogate pair) or could not carry in bounds is refused here, before it is put beside
 * other calls. What a counter allows is for the server to say.
 */
import { COUNTER_TYPES, MAX_KEY_BYTES, TallystickError, type ErrorCode } from 'tallystick';

const MAX_REQUEST_ID = 128;
const UINT32_MAX = 2 ** 32 - 1;

type Check = (value: unknown, field: string) => void;

/** Says what came, for an error message. */
function shown(value: unknown): string {
  if (typeof value === 'string') return `a string of ${value.length} characters`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function refuse(code: ErrorCode, field: string, expected: string, value: unknown): never {
  throw new TallystickError(code, `${field}: expected ${expected}, got ${shown(value)}`, { field });
}

/** Every character is at least one byte. */
function text(code: ErrorCode, most: number): Check {
  return (value, field) => {
    if (typeof value === 'string' && value.length > 0 && value.length <= most && value.isWellFormed()) return;
    refuse(code, field, `a well-formed string of 1 to ${most} characters`, value);
  };
}

function whole(code: ErrorCode, least: number, most: number): Check {
  return (value, field) => {
    if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most) {
      refuse(code, field, `an integer from ${least} to ${most}`, value);
    }
  };
}

function oneOf(values: readonly string[]): Check {
  return (value, field) => {
    if (!values.includes(value as string)) refuse('INVALID_ARGUMENT', field, `one of ${values.join(', ')}`, value);
  };
}

const { MAX_SAFE_INTEGER: MAX } = Number;
const key = text('INVALID_KEY', MAX_KEY_BYTES);
const amount = whole('INVALID_AMOUNT', -MAX, MAX);
const durationMs = whole('INVALID_ARGUMENT', 1, MAX);
const requestId = text('INVALID_ARGUMENT', MAX_REQUEST_ID);
const timeoutMs = whole('INVALID_ARGUMENT', 1, 2 ** 31 - 1);
const uint32 = whole('INVALID_ARGUMENT', 0, UINT32_MAX);
const request = { requestId, requestTtlMs: durationMs };
const which = { type: oneOf(COUNTER_TYPES), windowMs: durationMs, slices: uint32 };
const options = { ...which, min: amount, max: amount, ttlMs: durationMs, member: text('INVALID_KEY', MAX_KEY_BYTES), ...request };

/** The fields of each thing an application gives, and the check of each. */
const FIELDS = {
  add: { ...options, key, delta: amount, timeoutMs },
  addItem: { ...options, key, delta: amount },
  get: { ...which, key, timeoutMs },
  getItem: { ...which, key },
  addFreq: { businessId: uint32, key, timeSpan: uint32, timeUnit: oneOf(['SEC', 'DAY']), ...request },
  getFreq: { businessId: uint32, key },
  call: { timeoutMs },
  batchCall: { timeoutMs, ...request },
} satisfies Record<string, Record<string, Check>>;

/** Fields that must be there. */
const REQUIRED: ReadonlySet<string> = new Set(['key', 'businessId', 'timeSpan']);

/**
 * Returns `given` when it has only fields of `kind`, each as it must be.
 *
 * @throws TallystickError naming the field.
 */
export function checked<Given extends object>(kind: keyof typeof FIELDS, given: Given): Given {
  const fields: Record<string, Check> = FIELDS[kind];
  if (typeof given !== 'object' || (given as unknown) === null) refuse('INVALID_ARGUMENT', kind, 'an object', given);
  for (const [field, value] of Object.entries(given)) {
    const check = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (check === undefined) throw new TallystickError('UNKNOWN_FIELD', `${field}: known are ${Object.keys(fields).join(', ')}`, { field });
    if (value !== undefined) check(value, field);
  }
  for (const field in fields) if (REQUIRED.has(field)) fields[field]?.((given as Record<string, unknown>)[field], field);
  return given;
}

/** The same of each of `list`, which is called `name`; what is thrown names the index. */
export function checkedEach<Given extends object>(kind: keyof typeof FIELDS, name: string, list: readonly Given[]): readonly Given[] {
  const given: unknown = list;
  if (!Array.isArray(given)) refuse('INVALID_ARGUMENT', name, 'an array', given);
  for (const [index, one] of list.entries()) {
    try {
      checked(kind, one);
    } catch (error) {
      throw error instanceof TallystickError ? placed(error, `${name}[${index}]`, index) : error;
    }
  }
  return list;
}

const placed = ({ code, message, field }: TallystickError, place: string, index: number): TallystickError =>
  new TallystickError(code, `${place}.${message}`, { field: field === undefined ? place : `${place}.${field}`, index });
