/** Errors on the wire: the envelope `{code, msg, data: null, field?, index?}` and its HTTP status. */
import { errorTable, TallystickError, type ErrorCode } from 'tallystick';
import { toldOf } from '../app/index.ts';

/** The JSON body of every answer that is an error. */
export interface ErrorEnvelope {
  readonly code: number;
  readonly msg: string;
  readonly data: null;
  readonly field?: string;
  readonly index?: number;
}

/** What Fastify itself refuses, in the words of the error table. */
const FRAMEWORK_CODES: Readonly<Record<string, readonly [code: ErrorCode, message: string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'content-type: expected application/json'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['PAYLOAD_TOO_LARGE', 'the body has more bytes than are allowed'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['MALFORMED', 'the body does not have the length that content-length announced'],
  ECONNRESET: ['MALFORMED', 'the client went away before its request was complete'],
  FST_ERR_BAD_URL: ['MALFORMED', 'the path is not percent-encoded UTF-8'],
};

/** `error` as one of the table that a caller may be told; what is not known here is a fault of this program. */
export function tallystickErrorOf(error: unknown): TallystickError {
  const name = error instanceof Error && !(error instanceof TallystickError) && 'code' in error ? String(error.code) : '';
  const known = Object.hasOwn(FRAMEWORK_CODES, name) ? FRAMEWORK_CODES[name] : undefined;
  if (known !== undefined) return new TallystickError(known[0], known[1], { cause: error });
  return toldOf(error);
}

/** The HTTP status of an answer that consists of this error. */
export const statusOf = (error: TallystickError): number => errorTable[error.code].http;

/** The body of an answer that consists of this error. */
export function envelopeOf({ number, message, field, index }: TallystickError): ErrorEnvelope {
  return { code: number, msg: message, data: null, ...(field !== undefined && { field }), ...(index !== undefined && { index }) };
}
