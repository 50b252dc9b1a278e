/** A refusal in the words of gRPC: a status, and trailers for a program. */
import { type StatusObject } from '@grpc/grpc-js';
import { TallystickError } from 'tallystick';
/** What is told to an operator. A pino logger is one. */
export interface GrpcLog {
    error(details: object, message: string): void;
}
/** The error to answer with. What is no `TallystickError` is a fault of this program: logged, and not shown. */
export declare function refusalOf(error: unknown, log: GrpcLog): TallystickError;
/** The field at fault as the .proto names it, and the message about it. */
export declare function inWireNames({ field, message }: TallystickError): {
    field: string;
    message: string;
};
/** The status of a call that was refused as a whole. */
export declare function statusOf(refusal: TallystickError): StatusObject;
//# sourceMappingURL=refusal.d.ts.map