/** `tallystick add`: adds to a counter of a running node. */
import { integerOf, integersOf, post, refusal, serverOf, textsOf } from "./node-client.js";
import { EXIT, failed } from "./terminal.js";
/** Adds `delta`, the second word, to the counter of the first. */
export async function add(options, terminal, words) {
    const [key, delta = '1'] = words;
    const item = {
        key,
        delta: integerOf('delta', delta),
        ...textsOf(options, ['type', 'member', 'requestId']),
        ...integersOf(options, ['min', 'max', 'ttlMs', 'windowMs', 'slices', 'shards']),
    };
    const server = await serverOf(options, terminal);
    const { results } = (await post(server, '/v1/counters/add', { items: [item] }));
    return print(results[0], options['json'] !== undefined, terminal);
}
function print(result, asJson, terminal) {
    const { out, err } = terminal;
    const isRefused = result.outcome === 'refused';
    if (!asJson && isRefused)
        return failed(refusal(result), terminal, asJson);
    out(asJson ? JSON.stringify(result) : String(result.value));
    if (!asJson && result.outcome === 'accepted')
        err('accepted: will be counted exactly once, the value is an estimate');
    return isRefused ? EXIT.refused : EXIT.ok;
}
//# sourceMappingURL=add.js.map