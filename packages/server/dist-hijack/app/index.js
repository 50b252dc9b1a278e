/**
 * The use cases of a node. They know no transport: a request comes in as parsed from the wire, a reply is a
 * plain object, a refusal a thrown `TallystickError`. HTTP and gRPC put both into their own words.
 */
import { createTallystick, memoryStore, } from 'tallystick';
import { addCounter, addCounters } from "./add-counters.js";
import { declaredTypes } from "./counter-type.js";
import { Deadlines } from "./deadlines.js";
import { Figures } from "./figures.js";
import { addFreq, batchAddFreq, batchGetFreq, getFreq } from "./frequency.js";
import { getCounter, getCounters } from "./get-counters.js";
import { readiness } from "./health.js";
import { countLikes, countLikesOfMany, like, unlike } from "./like.js";
export { BUCKETS_SECONDS } from "./figures.js";
const REQUEST_TIMEOUT_MS = 5000;
const MAX_BATCH_ITEMS = 1000;
/**
 * Checks what is declared of counters without a store of their own kind: none is opened, nothing is written.
 *
 * @throws TallystickError `INVALID_CONFIG`, naming the pattern and the field.
 */
export async function checkCounters(counters) {
    await createTallystick({ store: memoryStore(), counters }).close();
}
/** Creates the use cases over a store. */
export function createApp(options) {
    const figures = new Figures();
    const { store, counters = {}, flushEveryMs } = options;
    const tallystick = createTallystick({
        store,
        counters,
        ...(flushEveryMs !== undefined && { flushEveryMs }),
        onEvent: (event) => {
            figures.countEvent(event.type);
            options.onEvent?.(event);
        },
    });
    const { requestTimeoutMs = REQUEST_TIMEOUT_MS, maxBatchItems = MAX_BATCH_ITEMS } = options;
    const context = {
        counters: tallystick.counters,
        figures,
        requestTimeoutMs,
        deadlines: new Deadlines(requestTimeoutMs),
        maxBatchItems,
        typeOfKey: declaredTypes(counters),
    };
    return { ...useCases(context), ...lifeOf(tallystick, context), figures, stats: () => tallystick.stats() };
}
function useCases(context) {
    return {
        addCounter: (key, request, call) => addCounter(context, key, request, call),
        addCounters: (request, call) => addCounters(context, request, call),
        getCounter: (key, request, call) => getCounter(context, key, request, call),
        getCounters: (request, call) => getCounters(context, request, call),
        like: (request, call) => like(context, request, call),
        unlike: (request, call) => unlike(context, request, call),
        countLikes: (resourceId, call) => countLikes(context, resourceId, call),
        countLikesOfMany: (request, call) => countLikesOfMany(context, request, call),
        addFreq: (request, call) => addFreq(context, request, call),
        batchAddFreq: (request, call) => batchAddFreq(context, request, call),
        getFreq: (request, call) => getFreq(context, request, call),
        batchGetFreq: (request, call) => batchGetFreq(context, request, call),
    };
}
function lifeOf(tallystick, context) {
    let closing = false;
    return {
        readiness: async () => (closing ? { ready: false, reason: 'draining' } : readiness(context)),
        close: (timeoutMs) => {
            closing = true;
            return tallystick.close({ timeoutMs });
        },
    };
}
//# sourceMappingURL=index.js.map