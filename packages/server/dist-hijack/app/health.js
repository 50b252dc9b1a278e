/** Whether this node can serve. */
import { joinKey } from 'tallystick';
import { withinOwn } from "./deadlines.js";
/** A counter that nobody adds to. */
const PROBE_KEY = joinKey('tallystick', 'ready');
const PROBE_TIMEOUT_MS = 1000;
/** Asks the store for one counter. Never throws. */
export async function readiness({ counters }) {
    try {
        await withinOwn(counters.get(PROBE_KEY), PROBE_TIMEOUT_MS);
        return { ready: true };
    }
    catch (error) {
        return { ready: false, reason: error instanceof Error ? error.message : String(error) };
    }
}
//# sourceMappingURL=health.js.map