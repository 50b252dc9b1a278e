/**
 * Deadlines of reads. All reads of a node wait equally long, so they end in the order they began: a queue
 * and one timer serve them all. A timer for each would cost as much as the read itself.
 *
 * (An add brings its own deadline to the lane, which knows whether it is on its way. Giving up on a read
 * changes nothing, so it can be done here.)
 */
import { TallystickError } from 'tallystick';
/** Answered reads at the beginning of the queue that are kept until cutting them off is worth the move. */
const MOST_FORGOTTEN = 1024;
export class Deadlines {
    #timeoutMs;
    /** By rising `endsMs`, beginning at `#oldest`. Never longer than the reads begun within one timeout. */
    #queue = [];
    #oldest = 0;
    #timer;
    constructor(timeoutMs) {
        this.#timeoutMs = timeoutMs;
    }
    /**
     * The answer of `work`, if it comes in time.
     *
     * @throws TallystickError `TIMEOUT`.
     */
    within(work) {
        return new Promise((resolve, reject) => {
            const waiting = { endsMs: performance.now() + this.#timeoutMs, giveUp: reject };
            this.#enqueue(waiting);
            const answered = () => void (waiting.giveUp = undefined);
            work.then(answered, answered);
            work.then(resolve, reject);
        });
    }
    #enqueue(waiting) {
        this.#forgetAnswered();
        this.#queue.push(waiting);
        if (this.#timer === undefined)
            this.#timer = this.#wake(this.#timeoutMs);
    }
    /** In the ordinary course everything older has been answered by now, and the queue stays short. */
    #forgetAnswered() {
        const queue = this.#queue;
        while (this.#oldest < queue.length && queue[this.#oldest]?.giveUp === undefined)
            this.#oldest++;
        if (this.#oldest < queue.length && this.#oldest < MOST_FORGOTTEN)
            return;
        queue.splice(0, this.#oldest);
        this.#oldest = 0;
    }
    /** The timer keeps no process alive: what it is for does. */
    #wake(delayMs) {
        return setTimeout(() => {
            this.#giveUpLate(performance.now());
            const next = this.#queue[this.#oldest];
            this.#timer = next === undefined ? undefined : this.#wake(Math.max(1, next.endsMs - performance.now()));
        }, delayMs).unref();
    }
    #giveUpLate(nowMs) {
        const queue = this.#queue;
        for (let next; (next = queue[this.#oldest]) !== undefined && (next.giveUp === undefined || next.endsMs <= nowMs); this.#oldest++) {
            next.giveUp?.(late(this.#timeoutMs));
            next.giveUp = undefined;
        }
    }
}
const late = (timeoutMs) => new TallystickError('TIMEOUT', `the store did not answer within ${timeoutMs} ms`);
/**
 * The answer of `work`, if it comes within a time of its own.
 *
 * @throws TallystickError `TIMEOUT`.
 */
export async function withinOwn(work, timeoutMs) {
    let timer;
    const timeUp = new Promise((_, reject) => {
        timer = setTimeout(() => reject(late(timeoutMs)), timeoutMs);
    });
    try {
        return await Promise.race([work, timeUp]);
    }
    finally {
        clearTimeout(timer);
    }
}
//# sourceMappingURL=deadlines.js.map