/** Errors on the wire: the envelope `{code, msg, data: null, field?, index?}` and its HTTP status. */
import { TallystickError } from 'tallystick';
/** The JSON body of every answer that is an error. */
export interface ErrorEnvelope {
    readonly code: number;
    readonly msg: string;
    readonly data: null;
    readonly field?: string;
    readonly index?: number;
}
/** `error` as one of the table; what is not known here is a fault of this program. */
export declare function tallystickErrorOf(error: unknown): TallystickError;
/** The HTTP status of an answer that consists of this error. */
export declare const statusOf: (error: TallystickError) => number;
/** The body of an answer that consists of this error. */
export declare function envelopeOf({ number, message, field, index }: TallystickError): ErrorEnvelope;
//# sourceMappingURL=errors.d.ts.map