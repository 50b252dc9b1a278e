/** From a unary call to a use case and back. */
import type { handleUnaryCall } from '@grpc/grpc-js';
import type { Method } from '@tallystick/client/wire';
import type { Call, Figures, ResponseTimes } from '../app/index.ts';
import { type GrpcLog } from './refusal.ts';
/** What every method is given. */
export interface Surroundings {
    readonly figures: Figures;
    readonly log: GrpcLog;
}
/** The response times of a method. */
export declare const timesOf: (figures: Figures, path: string) => ResponseTimes;
/**
 * A handler that parses the request, lets `useCase` answer it, and puts what it throws into a status. A call
 * whose caller has gone executes nothing.
 */
export declare function unary<Request, Parsed, Reply>(method: Method<Request, Parsed, Reply>, { figures, log }: Surroundings, useCase: (request: Parsed, call: Call) => Promise<Reply>): handleUnaryCall<Buffer, Reply>;
//# sourceMappingURL=unary.d.ts.map