/** A refusal in the words of gRPC: a status, and trailers for a program. */
import { Metadata } from '@grpc/grpc-js';
import { errorTable, TallystickError } from 'tallystick';
/** The library's and the HTTP door's names of fields are in camel case, those of the .proto in snake case. */
const wireName = (field) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** The error to answer with. What is no `TallystickError` is a fault of this program: logged, and not shown. */
export function refusalOf(error, log) {
    if (error instanceof TallystickError)
        return error;
    log.error({ err: error }, 'a gRPC call failed by a fault of this program');
    return new TallystickError('INTERNAL', errorTable.INTERNAL.meaning, { cause: error });
}
/** The field at fault as the .proto names it, and the message about it. */
export function inWireNames({ field, message }) {
    if (field === undefined)
        return { field: '', message: message.toWellFormed() };
    const name = wireName(field);
    const about = message.startsWith(`${field}:`) ? name + message.slice(field.length) : message;
    // grpc-js throws at a lone surrogate, which a string that was cut for the message may end in.
    return { field: name.toWellFormed(), message: about.toWellFormed() };
}
/** The status of a call that was refused as a whole. */
export function statusOf(refusal) {
    const { field, message } = inWireNames(refusal);
    const metadata = new Metadata();
    metadata.set('tallystick-code', String(refusal.number));
    metadata.set('tallystick-reason', refusal.code);
    if (field !== '')
        metadata.set('tallystick-field', field);
    if (refusal.index !== undefined)
        metadata.set('tallystick-index', String(refusal.index));
    // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- the table has google.rpc.Code's numbers, as grpc-js has
    return { code: errorTable[refusal.code].grpc, details: message, metadata };
}
//# sourceMappingURL=refusal.js.map