import { countersService } from '@tallystick/client/wire';
import { TallystickError } from 'tallystick';
import { addByItself } from "./counters.js";
import { inWireNames, refusalOf } from "./refusal.js";
import { timesOf } from "./unary.js";
/** Batches of one stream that are read and whose reply is not written. */
const MAX_UNANSWERED = 16;
/** All open streams of a server. */
export class StreamAdds {
    #options;
    /** By stream: how many of its batches are unanswered. */
    #open = new Map();
    #draining = false;
    constructor(options) {
        this.#options = options;
    }
    /** Serves one stream. */
    handler = (stream) => {
        const times = timesOf(this.#options.figures, countersService.StreamAdd.path);
        this.#open.set(stream, 0);
        stream.on('data', (bytes) => {
            const began = performance.now();
            this.#taken(stream);
            void this.#answer(bytes).then((reply) => {
                stream.write(reply, () => this.#answered(stream));
                times.observe((performance.now() - began) / 1000);
            });
        });
        stream.on('end', () => this.#endIfDone(stream));
        stream.on('cancelled', () => this.#open.delete(stream));
        if (this.#draining)
            this.#endIfDone(stream);
    };
    /** Answers what was taken, then ends every stream. What comes meanwhile is for the client to send elsewhere. */
    drain() {
        this.#draining = true;
        for (const stream of this.#open.keys()) {
            stream.pause();
            this.#endIfDone(stream);
        }
    }
    #taken(stream) {
        const unanswered = (this.#open.get(stream) ?? 0) + 1;
        this.#open.set(stream, unanswered);
        if (unanswered >= MAX_UNANSWERED)
            stream.pause();
    }
    #answered(stream) {
        const unanswered = this.#open.get(stream);
        if (unanswered === undefined)
            return;
        this.#open.set(stream, unanswered - 1);
        if (this.#draining)
            this.#endIfDone(stream);
        else
            stream.resume();
        if (stream.readableEnded)
            this.#endIfDone(stream);
    }
    #endIfDone(stream) {
        if (this.#open.get(stream) !== 0)
            return;
        this.#open.delete(stream);
        stream.end();
    }
    /** The reply to one message; never rejects. */
    async #answer(bytes) {
        let id = 0;
        try {
            const request = countersService.StreamAdd.parseRequest(bytes);
            id = request.id;
            const { app, log } = this.#options;
            this.#checkLength(request.items.length);
            return { id, results: await Promise.all(request.items.map((item) => addByItself(app, item, log))) };
        }
        catch (error) {
            const refusal = refusalOf(error, this.#options.log);
            return { id, results: [], code: refusal.code, msg: inWireNames(refusal).message };
        }
    }
    #checkLength(length) {
        const { maxBatchItems } = this.#options;
        if (length <= maxBatchItems)
            return;
        throw new TallystickError('BATCH_TOO_LARGE', `items: expected at most ${maxBatchItems}, got ${length}`, { field: 'items' });
    }
}
//# sourceMappingURL=stream-add.js.map