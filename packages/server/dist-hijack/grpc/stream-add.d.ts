/**
 * StreamAdd: batches of unrelated adds over one stream. A batch is answered when all of its items are; the
 * next ones are read meanwhile, up to a limit, beyond which the stream is not read: HTTP/2 then holds the
 * client back.
 */
import type { handleBidiStreamingCall } from '@grpc/grpc-js';
import { type StreamAddResponse } from '@tallystick/client/wire';
import type { App } from '../app/index.ts';
import { type Surroundings } from './unary.ts';
/** Settings of {@link StreamAdds}. */
export interface StreamAddsOptions extends Surroundings {
    readonly app: App;
    readonly maxBatchItems: number;
}
/** All open streams of a server. */
export declare class StreamAdds {
    #private;
    constructor(options: StreamAddsOptions);
    /** Serves one stream. */
    readonly handler: handleBidiStreamingCall<Buffer, StreamAddResponse>;
    /** Answers what was taken, then ends every stream. What comes meanwhile is for the client to send elsewhere. */
    drain(): void;
}
//# sourceMappingURL=stream-add.d.ts.map