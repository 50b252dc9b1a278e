/**
 * Messages that are too large are refused by grpc-js while they arrive, with the status that also stands for
 * an exhausted quota. This puts the table's own code in its place, so that a program can tell them apart.
 */
import { status } from '@grpc/grpc-js';
import { TallystickError } from 'tallystick';
import { statusOf } from "./refusal.js";
/** An interceptor that costs a call nothing but one function: it changes the call instead of wrapping it. */
export function explainTooLarge(maxMessageBytes) {
    const message = `the message has more than ${maxMessageBytes} bytes; nothing was done`;
    const tooLarge = statusOf(new TallystickError('PAYLOAD_TOO_LARGE', message));
    return (_method, call) => {
        const sendStatus = call.sendStatus.bind(call);
        call.sendStatus = (sent) => sendStatus(sent.code === status.RESOURCE_EXHAUSTED ? tooLarge : sent);
        // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- the server asks only for its interface
        return call;
    };
}
//# sourceMappingURL=limits.js.map