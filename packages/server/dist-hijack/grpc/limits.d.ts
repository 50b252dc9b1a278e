/**
 * Messages that are too large are refused by grpc-js while they arrive, with the status that also stands for
 * an exhausted quota. This puts the table's own code in its place, so that a program can tell them apart.
 */
import { type ServerInterceptor } from '@grpc/grpc-js';
/** An interceptor that costs a call nothing but one function: it changes the call instead of wrapping it. */
export declare function explainTooLarge(maxMessageBytes: number): ServerInterceptor;
//# sourceMappingURL=limits.d.ts.map