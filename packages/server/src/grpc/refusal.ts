/** A refusal in the words of gRPC: a status, and trailers for a program. */
import { Metadata, type StatusObject } from '@grpc/grpc-js';
import { errorTable, type TallystickError } from 'tallystick';
import { toldOf } from '../app/index.ts';

/** What is told to an operator. A pino logger is one. */
export interface GrpcLog {
  error(details: object, message: string): void;
}

/** The library's and the HTTP door's names of fields are in camel case, those of the .proto in snake case. */
const wireName = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The error to answer with. What a caller is not told is logged. */
export function refusalOf(error: unknown, log: GrpcLog): TallystickError {
  const told = toldOf(error);
  if (told.code === 'INTERNAL') log.error({ err: error }, 'a gRPC call failed by a fault of this program');
  return told;
}

/** The field at fault as the .proto names it, and the message about it. */
export function inWireNames({ field, message }: TallystickError): { field: string; message: string } {
  if (field === undefined) return { field: '', message: message.toWellFormed() };
  const name = wireName(field);
  const about = message.startsWith(`${field}:`) ? name + message.slice(field.length) : message;
  // grpc-js throws at a lone surrogate, which a string that was cut for the message may end in.
  return { field: name.toWellFormed(), message: about.toWellFormed() };
}

/** The status of a call that was refused as a whole. */
export function statusOf(refusal: TallystickError): StatusObject {
  const { field, message } = inWireNames(refusal);
  const metadata = new Metadata();
  metadata.set('tallystick-code', String(refusal.number));
  metadata.set('tallystick-reason', refusal.code);
  if (field !== '') metadata.set('tallystick-field', field);
  if (refusal.index !== undefined) metadata.set('tallystick-index', String(refusal.index));
  // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- the table has google.rpc.Code's numbers, as grpc-js has
  return { code: errorTable[refusal.code].grpc, details: message, metadata };
}
