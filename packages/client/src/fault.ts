/** What a gRPC status says about a call that was not answered. */
import { status, type ServiceError } from '@grpc/grpc-js';
import { errorTable, TallystickError, type ErrorCode } from 'tallystick';
import { codeOf } from './wire/counters.ts';

/** Why an attempt brought no answer. */
export class Fault extends Error {
  readonly error: TallystickError;
  /** Whether another attempt may bring one. */
  readonly again: boolean;
  /** Whether the server may have done what was asked. */
  readonly lost: boolean;

  constructor(error: TallystickError, { again, lost }: { readonly again: boolean; readonly lost: boolean }) {
    super(error.message, { cause: error });
    this.error = error;
    this.again = again;
    this.lost = lost;
  }
}

/** Statuses of a connection that broke, or of something between here and the server, and of no refusal. */
const BROKEN: ReadonlySet<status> = new Set([status.UNAVAILABLE, status.INTERNAL, status.UNKNOWN, status.CANCELLED, status.ABORTED]);

/** An attempt whose answer was lost on the way. */
export function lost(why: string, cause?: unknown): Fault {
  return new Fault(new TallystickError('STORE_UNAVAILABLE', `the server did not answer: ${why}`, { cause }), { again: true, lost: true });
}

/** Whether the same may succeed when it is asked again. A time-out is the caller's own, and is over. */
export const mayPass = (error: TallystickError): boolean => error.transient && error.code !== 'TIMEOUT';

/** The time was up while a call still waited to be sent to `where`. */
export const unsent = (where: string): TallystickError =>
  new TallystickError('TIMEOUT', `${where}: the time was up before the call could be sent; nothing was done`);

/** Why there is no connection, taken out of the sentence in which grpc-js says it. */
export function connectionFaultOf({ details }: ServiceError): string {
  const fault = /Last error: (.+?)\.? Resolution note/.exec(details)?.[1] ?? details;
  return fault.replace(/^Error: /, '').replace(/ \(\d{4}-[^)]*Z\)$/, '');
}

/** The server refused the call as a whole, and said why: nothing was done. */
export const refused = (error: TallystickError): Fault => new Fault(error, { again: mayPass(error), lost: false });

/** What a server says of a refusal. */
interface Told {
  readonly code: ErrorCode;
  readonly msg: string;
  /** In snake case, as on the wire. */
  readonly field?: string | undefined;
  readonly index?: number | undefined;
}

/** A server's refusal with the field named as in the library. */
export function refusalOf({ code, msg, field, index }: Told): TallystickError {
  const place = index === undefined ? {} : { index };
  if (field === undefined) return new TallystickError(code, msg, place);
  const own = field.replace(/^.*\]\.?/, '');
  return new TallystickError(code, msg.replace(`${own}:`, `${inCamelCase(own)}:`), { field: inCamelCase(field), ...place });
}

const inCamelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** What the status of a call says. */
export function faultOf(error: ServiceError): Fault {
  const text = (name: string): string | undefined => error.metadata.get(`tallystick-${name}`)[0]?.toString();
  const reason = text('reason');
  if (reason !== undefined) {
    const [field, index] = [text('field'), text('index')];
    return refused(refusalOf({ code: codeOf(reason), msg: error.details, field, index: index === undefined ? undefined : Number(index) }));
  }
  if (BROKEN.has(error.code)) return lost(error.details, error);
  return new Fault(unexplained(error), { again: false, lost: error.code === status.DEADLINE_EXCEEDED });
}

/** A status that no Tallystick server gave a reason for. */
function unexplained(error: ServiceError): TallystickError {
  const code = Object.keys(errorTable).find((name) => errorTable[codeOf(name)].grpc === (error.code as number));
  return new TallystickError(codeOf(code ?? 'INTERNAL'), `${status[error.code]}: ${error.details}`, { cause: error });
}
