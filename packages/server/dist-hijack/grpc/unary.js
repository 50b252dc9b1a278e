import { TallystickError } from 'tallystick';
import { callUntil } from "./deadline.js";
import { refusalOf, statusOf } from "./refusal.js";
/** The response times of a method. */
export const timesOf = (figures, path) => figures.timesOf(`grpc ${path}`);
/**
 * A handler that parses the request, lets `useCase` answer it, and puts what it throws into a status. A call
 * whose caller has gone executes nothing.
 */
export function unary(method, { figures, log }, useCase) {
    const times = timesOf(figures, method.path);
    const answer = async (call) => {
        if (call.cancelled)
            throw new TallystickError('TIMEOUT', 'the call was cancelled before it began; nothing was done');
        return useCase(method.parseRequest(call.request), callUntil(call.getDeadline(), Date.now()));
    };
    return (call, callback) => {
        const began = performance.now();
        answer(call)
            .then((reply) => callback(null, reply), (error) => callback(statusOf(refusalOf(error, log))))
            .finally(() => times.observe((performance.now() - began) / 1000))
            .catch((error) => log.error({ err: error }, 'a gRPC reply could not be sent'));
    };
}
//# sourceMappingURL=unary.js.map