/** From a unary call to a use case and back. */
import type { handleUnaryCall, ServerUnaryCall } from '@grpc/grpc-js';
import type { Method } from '@tallystick/client/wire';
import { TallystickError } from 'tallystick';
import type { Call, Figures, ResponseTimes, Shedding } from '../app/index.ts';
import { callUntil } from './deadline.ts';
import { refusalOf, statusOf, type GrpcLog } from './refusal.ts';

/** What every method is given. */
export interface Surroundings {
  readonly figures: Figures;
  readonly log: GrpcLog;
  readonly shedding?: Shedding | undefined;
}

/** What VIP callers send. */
export const VIP_METADATA = 'x-tallystick-vip';

/** The response times of a method. */
export const timesOf = (figures: Figures, path: string): ResponseTimes => figures.timesOf(`grpc ${path}`);

/**
 * A handler that parses the request, lets `useCase` answer it, and puts what it throws into a status. A call
 * whose caller has gone executes nothing.
 */
export function unary<Request, Parsed, Reply>(
  method: Method<Request, Parsed, Reply>,
  { figures, log, shedding }: Surroundings,
  useCase: (request: Parsed, call: Call) => Promise<Reply>,
): handleUnaryCall<Buffer, Reply> {
  const times = timesOf(figures, method.path);
  const answer = async (call: ServerUnaryCall<Buffer, Reply>): Promise<Reply> => {
    if (call.cancelled) throw new TallystickError('TIMEOUT', 'the call was cancelled before it began; nothing was done');
    shedding?.admit(call.metadata.get(VIP_METADATA)[0]?.toString());
    return useCase(method.parseRequest(call.request), callUntil(call.getDeadline(), Date.now()));
  };
  return (call, callback) => {
    const began = performance.now();
    answer(call)
      .then(
        (reply) => callback(null, reply),
        (error: unknown) => callback(statusOf(refusalOf(error, log))),
      )
      .finally(() => times.observe((performance.now() - began) / 1000))
      .catch((error: unknown) => log.error({ err: error }, 'a gRPC reply could not be sent'));
  };
}
