/**
 * The one table of errors. Code, documentation and every wire (HTTP, gRPC) read it from here.
 *
 * An error is thrown only when an operation was *refused*: nothing happened and nothing will. The one
 * exception says so in its name: `OUTCOME_UNKNOWN`. Expected outcomes (a clamped add, a count kept for
 * later) are results, never errors.
 */

/** What the table says of one code. */
export interface ErrorEntry {
  /** The number carried in the `code` field of HTTP envelopes and gRPC messages. */
  readonly number: number;
  /** HTTP status of an answer that consists of this error alone. */
  readonly http: number;
  /** gRPC status of a call that consists of this error alone (numbers of google.rpc.Code). */
  readonly grpc: number;
  /** Whether the same call may succeed later without being changed. */
  readonly transient: boolean;
  /** One sentence for a person. */
  readonly meaning: string;
}

const entry = (number: number, [http, grpc]: readonly [number, number], transient: boolean, meaning: string): ErrorEntry =>
  Object.freeze({ number, http, grpc, transient, meaning });

/** Every code, in the order of its number. Numbers are stable: a code may be added, never renumbered. */
export const errorTable = Object.freeze({
  TIMEOUT: entry(10001, [504, 4], true, 'The deadline passed before anything was done.'),
  KEY_NOT_FOUND: entry(10002, [404, 5], false, 'There is no live counter under this key.'),
  INVALID_ARGUMENT: entry(10003, [400, 3], false, 'A field has the wrong type or an impossible value.'),
  INVALID_KEY: entry(10004, [400, 3], false, 'A key is not 1 to 512 bytes of well-formed UTF-8.'),
  INVALID_AMOUNT: entry(10005, [400, 3], false, 'An amount is not an integer within ±(2^53 − 1).'),
  OUT_OF_RANGE: entry(10006, [422, 11], false, 'The counter would leave ±(2^53 − 1); its value is unchanged.'),
  UNKNOWN_FIELD: entry(10007, [400, 3], false, 'A field is not known here.'),
  MALFORMED: entry(10008, [400, 3], false, 'The message cannot be parsed.'),
  BATCH_TOO_LARGE: entry(10009, [413, 3], false, 'A batch has more items than are allowed; nothing was executed.'),
  PAYLOAD_TOO_LARGE: entry(10010, [413, 3], false, 'A message has more bytes than are allowed.'),
  STATE_TOO_LARGE: entry(10011, [422, 9], false, 'The counter holds as many members or records as it may.'),
  NOT_FOUND: entry(10012, [404, 12], false, 'There is no such route or method.'),
  METHOD_NOT_ALLOWED: entry(10013, [405, 12], false, 'The route exists but not for this HTTP method.'),
  UNSUPPORTED_MEDIA_TYPE: entry(10014, [415, 3], false, 'A request body must be JSON.'),
  EXPECTATION_FAILED: entry(10015, [417, 3], false, 'A request expects of the server what it can not do.'),
  OVERLOADED: entry(10020, [503, 14], true, 'As much work is pending as may be kept; try again later.'),
  STORE_UNAVAILABLE: entry(10021, [503, 14], true, 'The store did not answer.'),
  CLOSED: entry(10022, [503, 14], true, 'This node or object is closing and takes no more work.'),
  OUTCOME_UNKNOWN: entry(10023, [500, 2], false, 'No answer came before the call or this node ended: it may have been applied.'),
  UNREACHABLE: entry(10024, [503, 14], true, 'No node answers at the address.'),
  UNSUPPORTED: entry(10025, [501, 12], false, 'This store does not do that.'),
  OUT_OF_CALENDAR: entry(10026, [503, 14], true, 'The clocks of store and caller are so far apart that no calendar window fits both.'),
  DATA_IN_USE: entry(10030, [500, 9], false, 'Another process holds this data.'),
  DATA_CORRUPT: entry(10031, [500, 15], false, 'Stored data failed its integrity check.'),
  SCHEMA_MISMATCH: entry(10032, [500, 9], false, 'Stored data has a schema version this program does not know.'),
  PARTITIONS_MISMATCH: entry(10033, [500, 9], false, 'Stored data was created with another number of partitions.'),
  INVALID_CONFIG: entry(10040, [500, 3], false, 'A setting is missing, unknown or impossible.'),
  RATE_LIMITED: entry(10050, [429, 8], true, 'A limit is reached; nothing was done.'),
  DUPLICATE: entry(10051, [429, 6], true, 'The same was done by the same user just before; nothing was done.'),
  UNAUTHENTICATED: entry(10060, [401, 16], false, 'The call has no API key, or none that is known here.'),
  PERMISSION_DENIED: entry(10061, [403, 7], false, 'The API key is of a lesser role than the call takes.'),
  INTERNAL: entry(10099, [500, 13], false, 'A fault of this program; the log has the details.'),
});

/** A code of {@link errorTable}. */
export type ErrorCode = keyof typeof errorTable;

/** Where an error belongs: the field it names and, in a batch, the index of the item. */
export interface ErrorDetail {
  readonly field?: string;
  readonly index?: number;
  /** The counter's value, unchanged, where it is known. */
  readonly value?: number;
  readonly cause?: unknown;
}

/**
 * The only error Tallystick throws.
 *
 * `code` is a name of {@link errorTable}, `number` its number there, `transient` whether trying the same
 * again later may succeed; `field` and `index` say where the fault is.
 *
 * @example
 * try { await counters.add('article:like:42', 0.5) }
 * catch (error) { if (error instanceof TallystickError) console.log(error.code, error.field) } // INVALID_AMOUNT delta
 */
export class TallystickError extends Error {
  override readonly name = 'TallystickError';
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly index: number | undefined;
  readonly value: number | undefined;

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.code = code;
    this.field = detail.field;
    this.index = detail.index;
    this.value = detail.value;
  }

  /** The code's number in {@link errorTable}. */
  get number(): number {
    return errorTable[this.code].number;
  }

  /** Whether the same call may succeed later without being changed. */
  get transient(): boolean {
    return errorTable[this.code].transient;
  }

  /** The same error, placed in item `index` of a batch. */
  at(index: number): TallystickError {
    const place = `items[${index}]`;
    const field = this.field === undefined ? place : `${place}.${this.field}`;
    return new TallystickError(this.code, `${place}: ${this.message}`, { field, index, cause: this.cause });
  }
}

/** Says what came, for an error message: short, and safe for any value whatever. */
export function describe(value: unknown): string {
  if (typeof value === 'string') {
    return value.length > 40 ? `${JSON.stringify(value.slice(0, 40))}… (${value.length} characters)` : JSON.stringify(value);
  }
  if (typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined) return String(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
